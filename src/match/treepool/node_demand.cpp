// SPDX-License-Identifier: Apache-2.0
#include "match/treepool/node_demand.hpp"

#include <algorithm>

#include "base/saturating.hpp"

namespace copse {

namespace {

// Resolves names to numbers; false if no node has one of the domains.
bool name_parts(const std::vector<SlotPart>& parts, const NodeKinds& kinds,
                std::vector<NamedPart>& out) {
  for (const SlotPart& part : parts) {
    NamedPart& named = out.emplace_back(NamedPart{
        .count = part.count, .repeat = part.repeat, .amounts = part.amounts, .whole = part.whole});
    if (!part.name.empty()) {
      const auto known = kinds.name(part.name);
      if (!known) return false;
      named.name = *known;
    }
    if (!name_parts(part.parts, kinds, named.parts)) return false;
  }
  return true;
}

// Adds the least free amounts of a node for the parts. A whole domain may be of any kind.
void add_least(const std::vector<NamedPart>& parts, const NodeKinds& kinds, std::int64_t& cores,
               std::int64_t& gpus) {
  for (const NamedPart& part : parts) {
    std::int64_t cores_inside = part.amounts[kCore], gpus_inside = part.amounts[kGpu];
    add_least(part.parts, kinds, cores_inside, gpus_inside);
    cores_inside = saturating_product(cores_inside, part.repeat);
    gpus_inside = saturating_product(gpus_inside, part.repeat);
    if (part.whole) {
      std::int64_t fewest_cores = INT64_MAX, fewest_gpus = INT64_MAX;
      for (const NodeKind& kind : kinds) {
        for (const KindDomain& domain : kind.domains) {
          if (domain.number != part.name) continue;
          const AffinityGroup& all = kind.groups[domain.group];
          fewest_cores = std::min<std::int64_t>(fewest_cores, all.parts[kCore].bits);
          fewest_gpus = std::min<std::int64_t>(fewest_gpus, all.parts[kGpu].bits);
        }
      }
      cores_inside = std::max(cores_inside, fewest_cores);
      gpus_inside = std::max(gpus_inside, fewest_gpus);
    }
    cores = saturating_sum(cores, saturating_product(cores_inside, part.count));
    gpus = saturating_sum(gpus, saturating_product(gpus_inside, part.count));
  }
}

}  // namespace

std::optional<NodeDemand> NodeDemand::of(const TreepoolRequest& request, const NodeKinds& kinds) {
  NodeDemand out;
  out.by_node = request.by_node;
  out.whole = request.whole_nodes;
  if (out.by_node) out.nodes = saturating_product(request.nodes.min, request.node_factor);
  out.units = request.units.min;
  out.unit.amounts = request.stocks;
  out.unit.amounts[kCore] = request.cores.min;
  out.unit.amounts[kGpu] = request.gpus.min;
  if (!name_parts(request.parts, kinds, out.unit.parts)) return std::nullopt;
  out.set_least(kinds);
  return out;
}

void NodeDemand::set_least(const NodeKinds& kinds) {
  cores_min = unit.amounts[kCore];
  gpus_min = unit.amounts[kGpu];
  add_least(unit.parts, kinds, cores_min, gpus_min);
}

}  // namespace copse
