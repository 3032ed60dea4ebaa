// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/jobs/slurm_job_gres.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "formats/slurm/gres/slurm_gres.hpp"
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

// The gpus of a text: of all types, and by type.
struct GpusOfText {
  std::int64_t all = 0;
  std::vector<GpuKind> kinds{};
};

void add(std::int64_t& sum, std::int64_t more) {
  sum = std::min(sum + std::min(more, kGpusMax), kGpusMax);
}

GpuKind& kind_of(std::vector<GpuKind>& kinds, const std::string& type) {
  const auto known = std::ranges::find(kinds, type, &GpuKind::type);
  return known != kinds.end() ? *known : kinds.emplace_back(GpuKind{type});
}

// The names of other GRES are added to `others`.
Result<GpusOfText> gpus_of(std::string_view text, std::vector<std::string>& others) {
  GpusOfText out;
  if (text == "(null)" || text == "N/A") return out;
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
    const auto gpus = gpus_of(*text, out.others);
    if (!gpus) return std::unexpected(gpus.error());
    if (gpus->all == 0) continue;
    const bool of_job = text == &gres.of_job;
    const auto of_node = [&](std::int64_t count) {
      std::int64_t all = 0;
      if (__builtin_mul_overflow(count, times, &all)) all = kGpusMax;
      return std::min(of_job ? divided(all, nodes) : all, kGpusMax);
    };
    if (times <= 0) out.of_node = std::nullopt;
    if (out.of_node) out.of_node = std::max(*out.of_node, of_node(gpus->all));
    for (const GpuKind& kind : gpus->kinds) {
      std::int64_t& most = kind_of(out.kinds, kind.type).of_node;
      if (times > 0) most = std::max(most, of_node(kind.of_node));
    }
  }
  return out;
}

}  // namespace copse
