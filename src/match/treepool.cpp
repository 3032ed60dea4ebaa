// SPDX-License-Identifier: Apache-2.0
//
// TreePool: which nodes, in which order, and how much of each.
#include "match/treepool.hpp"

#include <algorithm>
#include <tuple>

namespace copse {

namespace {

std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? INT64_MAX : out;
}
std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? INT64_MAX : out;
}

}  // namespace

// Goes over the nodes that a request may have, in order, with at least so much free: those of the
// index, and between them those of the window.
class TreePool::Candidates {
 public:
  Candidates(const TreePool& pool, std::int64_t cores_min, std::int64_t gpus_min)
      : pool_(pool),
        cores_(bounded(cores_min)),
        gpus_(bounded(gpus_min)),
        walk_(*pool.index_, cores_, gpus_) {
    if (pool.view_ == View::now) indexed_ = walk_.next();
  }

  bool next(Candidate& out) {
    for (;;) {
      while (listed_ < pool_.window_.size() &&
             (pool_.window_[listed_].cores < cores_ || pool_.window_[listed_].gpus < gpus_)) {
        ++listed_;
      }
      const bool list = listed_ < pool_.window_.size();
      if (indexed_ == NodeIndex::kNone && !list) return false;
      if (indexed_ != NodeIndex::kNone) {
        out = {indexed_, pool_.index_->cores_of(indexed_), pool_.index_->gpus_of(indexed_),
               pool_.free_.data() + pool_.nodes_[indexed_].free_at};
      }
      if (list && (indexed_ == NodeIndex::kNone || before(pool_.window_[listed_], out))) {
        out = pool_.window_[listed_++];
      } else {
        indexed_ = walk_.next();
      }
      if (pool_.allowed(out.node)) return true;
    }
  }

  static bool before(const Candidate& a, const Candidate& b) {
    return std::tie(a.cores, a.gpus, a.node) < std::tie(b.cores, b.gpus, b.node);
  }

 private:
  static std::uint32_t bounded(std::int64_t n) {
    return static_cast<std::uint32_t>(std::min<std::int64_t>(n, UINT32_MAX));
  }
  const TreePool& pool_;
  std::uint32_t cores_, gpus_;
  NodeIndex::Walk walk_;
  std::uint32_t indexed_ = NodeIndex::kNone;
  std::size_t listed_ = 0;
};

// --- The question

void TreePool::begin(const CompiledRequest& request, View view, std::int64_t start,
                     std::int64_t end) {
  request_ = &request;
  view_ = view;
  start_ = start;
  end_ = end;
  visits_ = 0;
  of_kind_.resize(kinds_.size());
  window_.clear();
  if (view == View::empty) return;
  renew();
  if (view == View::later || !later_nodes_.empty()) list_window(view == View::later);
}

// Nodes whose masks over the window are not those of now.
void TreePool::list_window(bool all) {
  const std::size_t n = all ? nodes_.size() : later_nodes_.size();
  std::size_t words = 0;
  for (std::size_t i = 0; i < n; ++i) {
    words += kinds_[nodes_[all ? i : later_nodes_[i]].kind].word_count();
  }
  window_words_.resize(words);
  Word* mask = window_words_.data();
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t node = all ? static_cast<std::uint32_t>(i) : later_nodes_[i];
    const NodeKind& kind = kinds_[nodes_[node].kind];
    if (free_over(node, start_, end_, mask)) {
      const std::span<const Word> free(mask, kind.word_count());
      window_.push_back({node, count_bits(free.first(kind.core_words)),
                         count_bits(free.subspan(kind.core_words)), mask});
    }
    mask += kind.word_count();
  }
  std::ranges::sort(window_, Candidates::before);
}

// Finds the numbers of the names; false if there is a domain that no node has.
bool TreePool::name_parts(const std::vector<SlotPart>& parts, std::vector<NamedPart>& out) {
  for (const SlotPart& part : parts) {
    NamedPart& named = out.emplace_back(NamedPart{.count = part.count,
                                                  .repeat = part.repeat,
                                                  .cores = part.cores,
                                                  .gpus = part.gpus,
                                                  .whole = part.whole});
    if (!part.name.empty()) {
      const auto known = names_.find(part.name);
      if (known == names_.end()) return false;
      named.name = known->second;
    }
    if (!name_parts(part.parts, named.parts)) return false;
  }
  return true;
}

// What a node must have free at least for the parts. A domain taken whole may be of any kind.
void TreePool::least_of(const std::vector<NamedPart>& parts, std::int64_t& cores,
                        std::int64_t& gpus) const {
  for (const NamedPart& part : parts) {
    std::int64_t cores_inside = part.cores, gpus_inside = part.gpus;
    least_of(part.parts, cores_inside, gpus_inside);
    cores_inside = times(cores_inside, part.repeat);
    gpus_inside = times(gpus_inside, part.repeat);
    if (part.whole) {
      std::int64_t fewest_cores = INT64_MAX, fewest_gpus = INT64_MAX;
      for (const NodeKind& kind : kinds_) {
        for (const KindDomain& domain : kind.domains) {
          if (domain.number != part.name) continue;
          fewest_cores = std::min<std::int64_t>(fewest_cores, kind.groups[domain.group].cores.bits);
          fewest_gpus = std::min<std::int64_t>(fewest_gpus, kind.groups[domain.group].gpus.bits);
        }
      }
      cores_inside = std::max(cores_inside, fewest_cores);
      gpus_inside = std::max(gpus_inside, fewest_gpus);
    }
    cores = plus(cores, times(cores_inside, part.count));
    gpus = plus(gpus, times(gpus_inside, part.count));
  }
}

TreePool::Ask TreePool::ask_of(const TreepoolRequest& request) {
  Ask ask;
  ask.by_node = request.by_node;
  ask.whole = request.whole_nodes;
  if (request.by_node) ask.nodes = times(request.nodes.min, request.node_factor);
  ask.units = request.units.min;
  ask.unit.cores = request.cores.min;
  ask.unit.gpus = request.gpus.min;
  return ask;
}

void TreePool::set_least(Ask& ask) {
  ask.cores_min = ask.unit.cores;
  ask.gpus_min = ask.unit.gpus;
  least_of(ask.unit.parts, ask.cores_min, ask.gpus_min);
}

// --- Capacities

// Of nodes that are taken whole, only those of some kinds will do.
TreePool::Candidates TreePool::candidates(const Ask& ask, std::int64_t units, bool spill) {
  if (!ask.whole) {
    return {*this, times(ask.cores_min, units), times(ask.gpus_min, units)};
  }
  std::int64_t cores = INT64_MAX, gpus = INT64_MAX;
  for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
    of_kind_[k] = capacity_of_kind(ask, k, units, spill);
    if (of_kind_[k] < units) continue;
    cores = std::min<std::int64_t>(cores, static_cast<std::int64_t>(kinds_[k].cores.size()));
    gpus = std::min<std::int64_t>(gpus, static_cast<std::int64_t>(kinds_[k].gpus.size()));
  }
  return {*this, cores, gpus};
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
  if (ask.unit.parts.empty() && (spill || ask.unit.gpus > 0)) {
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
    if (!request_->constrained()) {
      for (std::uint32_t k = 0; k < kinds_.size(); ++k)
        nodes += of_kind_[k] == 1 ? kind_counts_[k] : 0;
      return nodes;
    }
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      if (of_kind_[nodes_[n].kind] == 1 && allowed(n)) ++nodes;
    }
    return nodes;
  }
  Candidates all = candidates(ask, ask.units, true);
  for (Candidate at{}; all.next(at);) {
    if (capacity(ask, at, ask.units, true) >= ask.units) ++nodes;
  }
  return nodes;
}

std::int64_t TreePool::total_capacity(const Ask& ask) {
  std::int64_t units = 0;
  constexpr std::int64_t kMost = INT64_C(1) << 40;  // more than a node has of anything
  if (view_ == View::empty) {
    for (std::uint32_t k = 0; k < kinds_.size(); ++k)
      of_kind_[k] = capacity_of_kind(ask, k, kMost, true);
    if (!request_->constrained()) {
      for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
        units = plus(units, times(of_kind_[k], kind_counts_[k]));
      }
      return units;
    }
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      if (allowed(n)) units = plus(units, of_kind_[nodes_[n].kind]);
    }
    return units;
  }
  Candidates all = candidates(ask, 1, true);
  for (Candidate at{}; all.next(at);) units = plus(units, capacity(ask, at, kMost, true));
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

// --- The answer

bool TreePool::fill(const Ask& ask, bool spill) {
  chosen_.clear();
  taken_.clear();
  units_ = 0;
  const std::int64_t wanted = ask.by_node ? times(ask.nodes, ask.units) : ask.units;
  Candidates all = candidates(ask, ask.by_node ? ask.units : 1, spill);
  for (Candidate at{}; units_ < wanted && all.next(at);) {
    ++visits_;
    const NodeKind& kind = kinds_[nodes_[at.node].kind];
    if (ask.whole) {
      if (capacity(ask, at, ask.units, spill) < ask.units) continue;
      chosen_.push_back({at.node, 0, true});
      units_ += ask.units;
      continue;
    }
    const std::size_t mark = taken_.size();
    taken_.insert(taken_.end(), at.free, at.free + kind.word_count());
    Word* left = taken_.data() + mark;
    const std::int64_t most = ask.by_node ? ask.units : wanted - units_;
    const std::int64_t placed = placer_.place(kind, ask.unit, most, spill, left);
    if (placed == 0 || (ask.by_node && placed < ask.units)) {
      taken_.resize(mark);
      continue;
    }
    for (std::uint32_t w = 0; w < kind.word_count(); ++w) left[w] = at.free[w] & ~left[w];
    units_ += placed;
    chosen_.push_back({at.node, mark, false});
  }
  return units_ >= wanted;
}

void TreePool::write_node(const Chosen& chosen, Selection& out) {
  const Node& node = nodes_[chosen.node];
  const NodeKind& kind = kinds_[node.kind];
  while (!open_.empty() && !graph_.below(node.pool, open_.back())) open_.pop_back();
  auto open_above = [&](PoolId pool) {  // what stands between it and what is listed
    const std::size_t first = out.taken.size();
    const PoolId known = open_.empty() ? kNoPool : open_.back();
    for (PoolId up = graph_.parent(pool); up != known; up = graph_.parent(up)) {
      out.taken.push_back({.first = up});
    }
    std::reverse(out.taken.begin() + static_cast<std::ptrdiff_t>(first), out.taken.end());
    for (std::size_t i = first; i < out.taken.size(); ++i) open_.push_back(out.taken[i].first);
  };
  open_above(node.pool);
  const std::span<const Word> taken =
      chosen.whole ? std::span<const Word>()
                   : std::span<const Word>(taken_.data() + chosen.taken_at, kind.word_count());
  // All that a node has is the node: one hold instead of one for each leaf.
  const bool all = chosen.whole ||
                   (kind.only_these && count_bits(taken) == kind.cores.size() + kind.gpus.size() &&
                    !state_.touched(node.pool, start_, end_));
  out.taken.push_back({.first = node.pool, .exclusive = all, .whole = all});
  if (all) return;
  open_.push_back(node.pool);
  runs_.clear();
  auto add_runs = [&](const std::vector<KindLeaf>& leaves, std::span<const Word> words) {
    for (std::size_t w = 0; w < words.size(); ++w) {
      for (Word rest = words[w]; rest != 0; rest &= rest - 1) {
        const std::size_t b = w * 64 + static_cast<std::size_t>(__builtin_ctzll(rest));
        const PoolId leaf{node.pool.v + leaves[b].offset};
        if (leaves[b].follows && !runs_.empty() &&
            runs_.back().first.v + runs_.back().count == leaf.v) {
          ++runs_.back().count;
        } else {
          runs_.push_back({.first = leaf, .exclusive = true});
        }
      }
    }
  };
  add_runs(kind.cores, taken.first(kind.core_words));
  add_runs(kind.gpus, taken.subspan(kind.core_words));
  std::ranges::sort(runs_, {}, [](const Taken& t) { return t.first; });
  for (const Taken& run : runs_) {
    while (open_.back() != graph_.parent(run.first) && !graph_.below(run.first, open_.back())) {
      open_.pop_back();
    }
    if (open_.back() != graph_.parent(run.first)) open_above(run.first);
    out.taken.push_back(run);
  }
}

void TreePool::write(Selection& out) {
  std::ranges::sort(chosen_, {}, [&](const Chosen& c) { return nodes_[c.node].pool; });
  open_.clear();
  for (const Chosen& chosen : chosen_) write_node(chosen, out);
}

bool TreePool::select(const CompiledRequest& compiled, View view, std::int64_t start,
                      std::int64_t end, Selection& out, std::int64_t& nslots) {
  const TreepoolRequest& request = *compiled.treepool;
  out.clear();
  nslots = 0;
  begin(compiled, view, start, end);
  Ask ask = ask_of(request);
  if (!name_parts(request.parts, ask.unit.parts)) return false;
  set_least(ask);
  if (view == View::empty) {
    return ask.by_node ? nodes_with(ask) >= ask.nodes : total_capacity(ask) >= ask.units;
  }
  if (request.moldable() && !grow(request, ask)) return false;
  const bool may_spill = ask.unit.gpus == 0 && ask.unit.parts.empty();
  if (!fill(ask, false) && (!may_spill || !fill(ask, true))) return false;
  write(out);
  nslots = times(units_, request.unit_slots);
  return true;
}

}  // namespace copse
