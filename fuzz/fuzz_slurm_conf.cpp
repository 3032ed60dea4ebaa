// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as slurm.conf, and as topology.conf and gres.conf of a machine of four nodes. What is refused is one
// sentence; what is accepted makes a machine whose pools are those of its nodes, or is refused.
#include <cstdint>
#include <string_view>

#include "formats/slurm/gres/slurm_gres_conf.hpp"
#include "formats/slurm/slurm_conf.hpp"
#include "formats/slurm/slurm_topology.hpp"
#include "go_on.hpp"
#include "target.hpp"

using copse::fuzz::require;

namespace {

template <class Value>
bool accepted(const copse::Result<Value>& result) {
  if (result) return true;
  require(!result.error().text.empty());
  require(result.error().text.find('\n') == std::string::npos);
  return false;
}

void build(const copse::SlurmMachine& machine) {
  const auto graph =
      copse::graph_of_slurm(machine, "containment", {.pools_max = 100'000, .edges_max = 100'000});
  if (!accepted(graph)) return;
  require(graph->of_type(graph->find_type("node")).size() == machine.nodes.size());
}

}  // namespace

FUZZ_TARGET(slurm_conf) {
  if (size > 8192) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)copse::looks_like_slurm_conf(text);
  if (const auto machine = copse::read_slurm_conf(text, "fuzz"); accepted(machine)) build(*machine);
  auto four = copse::read_slurm_conf("NodeName=a[1-4] CPUs=2\n", "four");
  require(four.has_value());
  if (accepted(copse::read_slurm_topology(text, "fuzz", *four))) build(*four);
  auto gpus = copse::read_slurm_conf("NodeName=a[1-4] CPUs=2 Gres=gpu:4,gpu:b:2,shard:9\n", "gpus");
  require(gpus.has_value());
  if (accepted(copse::read_slurm_gres_conf(text, "fuzz", *gpus))) build(*gpus);
  return 0;
}
