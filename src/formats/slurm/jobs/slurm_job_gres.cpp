// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/jobs/slurm_job_gres.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "formats/slurm/slurm_gres.hpp"
#include "text/split.hpp"
#include "text/xml_text.hpp"

namespace copse {

namespace {

constexpr std::int64_t kGpusMax = INT64_C(1) << 40;

// Whether an item is a GRES, and no other trackable resource: "gres/gpu:2", "gpu:2", but not "cpu:4",
// "license/x:1".
bool is_gres(std::string_view item) {
  if (item.starts_with("gres/") || item.starts_with("gres:")) return true;
  constexpr std::array<std::string_view, 6> kOthers{"cpu",     "mem",    "node",
                                                    "billing", "energy", "vmem"};
  const std::string_view name = item.substr(0, item.find_first_of(":="));
  return !name.contains('/') && std::ranges::find(kOthers, name) == kOthers.end();
}

// The gpus of a text; of others, their names.
Result<std::int64_t> gpus_of(std::string_view text, SlurmJobGpus& out) {
  std::int64_t gpus = 0;
  if (text == "(null)" || text == "N/A") return gpus;
  while (!text.empty()) {
    const std::string_view item = xml::trimmed(take_part(text, ','));
    if (item.empty() || !is_gres(item)) continue;
    const auto gres = parse_gres(item);
    if (!gres) return std::unexpected(gres.error());
    for (const SlurmGres& one : *gres) {
      if (one.name != "gpu") {
        others.push_back(one.name);
        continue;
      }
      add(out.all, one.count);
      if (!one.type.empty()) add(kind_of(out.kinds, one.type).of_node, one.count);
    }
  }
  return out;
}

std::int64_t divided(std::int64_t number, std::int64_t by) { return (number + by - 1) / by; }

}  // namespace

Result<SlurmJobGpus> gpus_of_slurm_job(const SlurmJobGres& gres) {
  SlurmJobGpus out;
  const std::int64_t nodes = std::max<std::int64_t>(gres.nodes, 1);
  const std::int64_t tasks =
      gres.tasks_of_node > 0 ? gres.tasks_of_node : divided(gres.tasks, nodes);
  for (const auto& [text, times] : {std::pair{&gres.of_node, std::int64_t{1}},
                                    {&gres.of_job, std::int64_t{1}},
                                    {&gres.of_task, tasks},
                                    {&gres.of_socket, gres.sockets_of_node}}) {
    const auto gpus = gpus_of(*text, out);
    if (!gpus) return std::unexpected(gpus.error());
    if (*gpus == 0) continue;
    std::int64_t of_node = 0;
    if (times <= 0) {
      out.of_node = std::nullopt;
    } else if (__builtin_mul_overflow(*gpus, times, &of_node)) {
      of_node = kGpusMax;
    }
    if (text == &gres.of_job) of_node = divided(of_node, nodes);
    if (out.of_node) out.of_node = std::max(*out.of_node, std::min(of_node, kGpusMax));
  }
  return out;
}

}  // namespace copse
