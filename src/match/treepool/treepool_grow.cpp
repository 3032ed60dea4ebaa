// SPDX-License-Identifier: Apache-2.0
//
// TreePool: how much there is, for counts that may grow and for whether there ever can be enough.
#include <algorithm>

#include "match/treepool/treepool_candidates.hpp"
#include "match/treepool/treepool_sums.hpp"

namespace copse {

// --- Capacities

// Of nodes that are taken whole, only those of some kinds will do.
TreePool::Candidates TreePool::candidates(const NodeIndex& index, const Ask& ask,
                                          std::int64_t units, bool spill) {
  if (!ask.whole) {
    return {*this, index, times(ask.cores_min, units), times(ask.gpus_min, units)};
  }
  std::int64_t cores = INT64_MAX, gpus = INT64_MAX;
  for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
    of_kind_[k] = capacity_of_kind(ask, k, units, spill);
    if (of_kind_[k] < units) continue;
    cores = std::min<std::int64_t>(cores, static_cast<std::int64_t>(kinds_[k].cores.size()));
    gpus = std::min<std::int64_t>(gpus, static_cast<std::int64_t>(kinds_[k].gpus.size()));
  }
  return {*this, index, cores, gpus};
}

std::int64_t TreePool::capacity_of_kind(const Ask& ask, std::uint32_t number, std::int64_t most,
                                        bool spill) {
  const NodeKind& kind = kinds_[number];
  scratch_.resize(std::max<std::size_t>(scratch_.size(), kind.word_count()));
  kind.fill(scratch_.data());
  return placer_.place(kind, ask.unit, most, spill, scratch_.data());
}

// How many units, up to `most`, the node can have.
std::int64_t TreePool::capacity(const Ask& ask, const Candidate& at, std::int64_t most,
                                bool spill) {
  const Node& node = nodes_[at.node];
  const NodeKind& kind = kinds_[node.kind];
  if (ask.whole) {
    const bool idle = at.cores == kind.cores.size() && at.gpus == kind.gpus.size() &&
                      !state_.touched(node.pool, start_, end_);
    return idle ? of_kind_[node.kind] : 0;  // see candidates()
  }
  if (ask.unit.parts.empty() && !ask.unit.has_stocks() && (spill || ask.unit.gpus > 0)) {
    std::int64_t units = most;
    if (ask.unit.cores > 0) units = std::min(units, at.cores / ask.unit.cores);
    if (ask.unit.gpus > 0) units = std::min(units, at.gpus / ask.unit.gpus);
    return units;
  }
  scratch_.assign(at.free, at.free + kind.word_count());
  return placer_.place(kind, ask.unit, most, spill, scratch_.data());
}

std::int64_t TreePool::nodes_with(const Ask& ask) {
  std::int64_t nodes = 0;
  if (view_ == View::empty) {
    for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
      of_kind_[k] = capacity_of_kind(ask, k, ask.units, true) >= ask.units ? 1 : 0;
    }
    if (!request_->constrained() && offer_ == nullptr) {
      for (std::uint32_t k = 0; k < kinds_.size(); ++k)
        nodes += of_kind_[k] == 1 ? kind_counts_[k] : 0;
      return nodes;
    }
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      if (of_kind_[nodes_[n].kind] == 1 && allowed(n) && take_supply(n)) ++nodes;
    }
    undo_supply(0);
    return nodes;
  }
  Candidates all = candidates(*index_, ask, ask.units, true);
  for (Candidate at{}; all.next(at);) {
    if (capacity(ask, at, ask.units, true) >= ask.units && take_supply(at.node)) ++nodes;
  }
  undo_supply(0);
  return nodes;
}

std::int64_t TreePool::total_capacity(const Ask& ask) {
  std::int64_t units = 0;
  constexpr std::int64_t kMost = INT64_C(1) << 40;  // more than a node has of anything
  if (view_ == View::empty) {
    for (std::uint32_t k = 0; k < kinds_.size(); ++k)
      of_kind_[k] = capacity_of_kind(ask, k, kMost, true);
    if (!request_->constrained() && offer_ == nullptr) {
      for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
        units = plus(units, times(of_kind_[k], kind_counts_[k]));
      }
      return units;
    }
    // Of nodes that share a supply those that have the most come first.
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      if (of_kind_[nodes_[n].kind] > 0 && allowed(n)) nodes.push_back(n);
    }
    if (offer_ != nullptr) {
      std::ranges::stable_sort(nodes, std::ranges::greater{},
                               [&](std::uint32_t n) { return of_kind_[nodes_[n].kind]; });
    }
    for (std::uint32_t n : nodes) {
      if (take_supply(n)) units = plus(units, of_kind_[nodes_[n].kind]);
    }
    undo_supply(0);
    return units;
  }
  Candidates all = candidates(*index_, ask, 1, true);
  for (Candidate at{}; all.next(at);) {
    const std::int64_t here = capacity(ask, at, kMost, true);
    if (here > 0 && take_supply(at.node)) units = plus(units, here);
  }
  undo_supply(0);
  return units;
}

// --- Counts that may grow: the nodes first, then what is on them, as far as all above keep theirs.

namespace {

// The largest number of the count for which `fits` holds, none above the first for which it does
// not; 0 if there is none. O(log most) calls.
template <class Fits>
std::int64_t largest(const Count& count, std::int64_t most, Fits fits) {
  std::int64_t low = count.min, high = count.effective(most);
  if (high == 0 || !fits(low)) return 0;
  while (low < high) {
    std::int64_t middle = count.effective(low + (high - low + 1) / 2);
    if (middle <= low) middle = count.after(low);
    if (fits(middle)) {
      low = middle;
    } else {
      high = count.effective(middle - 1);
    }
  }
  return low;
}

}  // namespace

bool TreePool::grow(const TreepoolRequest& request, Ask& ask) {
  std::int64_t cores_most = 0, gpus_most = 0;
  for (const NodeKind& kind : kinds_) {
    cores_most = std::max<std::int64_t>(cores_most, static_cast<std::int64_t>(kind.cores.size()));
    gpus_most = std::max<std::int64_t>(gpus_most, static_cast<std::int64_t>(kind.gpus.size()));
  }
  if (ask.by_node) {
    const std::int64_t nodes = request.nodes.effective(nodes_with(ask) / request.node_factor);
    if (nodes == 0) return false;
    ask.nodes = times(nodes, request.node_factor);
  } else {
    ask.units = request.units.effective(total_capacity(ask));
    if (ask.units == 0) return false;
  }
  auto fits = [&] {
    set_least(ask);
    return ask.by_node ? nodes_with(ask) >= ask.nodes : total_capacity(ask) >= ask.units;
  };
  auto grow_one = [&](const Count& count, std::int64_t& value, std::int64_t most) {
    if (!count.moldable()) return;
    value = largest(count, most, [&](std::int64_t n) {
      value = n;
      return fits();
    });
    set_least(ask);
  };
  if (ask.by_node) grow_one(request.units, ask.units, std::max(cores_most, gpus_most));
  if (ask.units == 0) return false;
  grow_one(request.cores, ask.unit.cores, cores_most);
  grow_one(request.gpus, ask.unit.gpus, gpus_most);
  return true;
}

}  // namespace copse
