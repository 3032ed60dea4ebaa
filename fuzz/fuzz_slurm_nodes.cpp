// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the answer to `scontrol show nodes --json`: a machine, or one sentence with a place.
#include <cstdint>
#include <string_view>

#include "formats/slurm/slurm_nodes.hpp"
#include "go_on.hpp"
#include "target.hpp"

using copse::fuzz::require;

FUZZ_TARGET(slurm_nodes) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto machine = copse::read_slurm_nodes(text, "fuzz");
  if (!machine) {
    require(!machine.error().text.empty() && machine.error().place.file == "fuzz");
    require(machine.error().text.find('\n') == std::string::npos);
    return 0;
  }
  const auto graph =
      copse::graph_of_slurm(*machine, "containment", {.pools_max = 100'000, .edges_max = 100'000});
  if (!graph) {
    require(graph.error().text.find('\n') == std::string::npos);
    return 0;
  }
  require(graph->of_type(graph->find_type("node")).size() == machine->nodes.size());
  return 0;
}
