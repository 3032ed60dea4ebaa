// SPDX-License-Identifier: Apache-2.0
#include "match/treepool/node_capacities.hpp"

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
  out.unit.whole_node = out.whole;
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

void NodeCapacities::begin(const CompiledRequest& request, StateView view, std::int64_t start,
                           std::int64_t end) {
  request_ = &request;
  view_ = view;
  start_ = start;
  end_ = end;
  of_kind_.resize(nodes_.kinds().size());
  window_.clear();
  if (view == StateView::later || (view == StateView::now && !nodes_.later_nodes().empty())) {
    list_window(view == StateView::later);
  }
}

// Lists the nodes whose masks over the window differ from the present ones.
void NodeCapacities::list_window(bool all) {
  const std::size_t n = all ? nodes_.size() : nodes_.later_nodes().size();
  auto node_at = [&](std::size_t i) {
    return all ? static_cast<std::uint32_t>(i) : nodes_.later_nodes()[i];
  };
  std::size_t words = 0;
  for (std::size_t i = 0; i < n; ++i) words += nodes_.kind(node_at(i)).word_count();
  window_words_.resize(words);
  Word* mask = window_words_.data();
  for (std::size_t i = 0; i < n; ++i) {
    const NodeKind& kind = nodes_.kind(node_at(i));
    if (nodes_.free_over(node_at(i), start_, end_, mask)) {
      window_.push_back({node_at(i), kind.count(kCore, mask), kind.count(kGpu, mask), mask});
    }
    mask += kind.word_count();
  }
  std::ranges::sort(window_, &NodeCandidate::before);
}

void NodeCapacities::measure_kinds(const NodeDemand& demand, std::int64_t most, bool spill) {
  for (std::uint32_t k = 0; k < of_kind_.size(); ++k) {
    const NodeKind& kind = nodes_.kinds()[k];
    scratch_.resize(std::max<std::size_t>(scratch_.size(), kind.word_count()));
    kind.fill(scratch_.data());
    of_kind_[k] = placer_.place(kind, demand.unit, most, spill, scratch_.data());
  }
}

// Of nodes that are taken whole, only some kinds fit.
NodeCandidates NodeCapacities::candidates(const NodeDemand& demand, std::int64_t units,
                                          const NodeIndex* index) {
  std::int64_t cores = saturating_product(demand.cores_min, units);
  std::int64_t gpus = saturating_product(demand.gpus_min, units);
  if (demand.whole) {
    cores = gpus = INT64_MAX;
    for (std::uint32_t k = 0; k < of_kind_.size(); ++k) {
      if (of_kind_[k] < units) continue;
      const NodeKind& kind = nodes_.kinds()[k];
      cores = std::min<std::int64_t>(cores, kind.size(kCore));
      gpus = std::min<std::int64_t>(gpus, kind.size(kGpu));
    }
  }
  if (index == nullptr && view_ == StateView::now) index = &nodes_.index();
  return {nodes_, request_->allowed, index, window_, cores, gpus};
}

std::int64_t NodeCapacities::capacity(const NodeDemand& demand, const NodeCandidate& at,
                                      std::int64_t most, bool spill) {
  const NodeKind& kind = nodes_.kind(at.node);
  if (demand.whole) {
    const bool idle = at.cores == kind.size(kCore) && at.gpus == kind.size(kGpu);
    return idle && untouched(at.node) ? of_empty(at.node) : 0;
  }
  if (demand.plain() && (spill || demand.unit.amounts[kGpu] > 0)) {
    std::int64_t units = most;
    const auto [cores, gpus] = std::pair{demand.unit.amounts[kCore], demand.unit.amounts[kGpu]};
    if (cores > 0) units = std::min(units, at.cores / cores);
    if (gpus > 0) units = std::min(units, at.gpus / gpus);
    return units;
  }
  scratch_.assign(at.free, at.free + kind.word_count());
  return placer_.place(kind, demand.unit, most, spill, scratch_.data());
}

std::int64_t NodeCapacities::available(const NodeDemand& demand) {
  constexpr std::int64_t kMany = INT64_C(1) << 40;  // more than a node has of anything
  const std::int64_t most = demand.by_node ? demand.units : kMany;
  auto counted = [&](std::int64_t units) {
    if (demand.by_node) return std::int64_t{units >= demand.units ? 1 : 0};
    return units;
  };
  std::int64_t sum = 0;
  if (view_ != StateView::empty) {
    if (demand.whole) measure_kinds(demand, demand.units_of_node(), true);
    NodeCandidates all = candidates(demand, demand.units_of_node());
    for (NodeCandidate at{}; all.next(at);) {
      const std::int64_t here = counted(capacity(demand, at, most, true));
      if (here > 0 && take_layers(at.node)) sum = saturating_sum(sum, here);
    }
    return_layers();
    return sum;
  }
  measure_kinds(demand, most, true);
  if (!request_->constrained() && availability_ == nullptr) {
    for (std::uint32_t k = 0; k < of_kind_.size(); ++k) {
      sum = saturating_sum(sum, saturating_product(counted(of_kind_[k]), nodes_.count(k)));
    }
    return sum;
  }
  std::vector<std::uint32_t> nodes;
  auto of_node = [&](std::uint32_t n) { return counted(of_empty(n)); };
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    if (of_node(n) > 0 && allowed(n)) nodes.push_back(n);
  }
  // Among nodes that share layers, those with most room come first.
  if (availability_ != nullptr) std::ranges::stable_sort(nodes, std::ranges::greater{}, of_node);
  for (std::uint32_t n : nodes) {
    if (take_layers(n)) sum = saturating_sum(sum, of_node(n));
  }
  return_layers();
  return sum;
}

}  // namespace copse
