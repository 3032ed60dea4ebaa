// SPDX-License-Identifier: Apache-2.0
#include "match/treepool/free_nodes.hpp"

#include <algorithm>
#include <numeric>

namespace copse {

Result<FreeNodes> FreeNodes::create(const ResourceGraph& graph, const State& state,
                                    const Layouts& layouts) {
  FreeNodes made(graph, state, layouts.piece_gib > 0);
  if (auto ok = made.make(layouts); !ok) return std::unexpected(ok.error());
  return made;
}

FreeNodes::FreeNodes(const ResourceGraph& graph, const State& state, const FreeNodes& other)
    : graph_(graph),
      state_(state),
      kinds_(graph, other.kinds_),
      counts_(other.counts_),
      nodes_(other.nodes_),
      node_of_(other.node_of_),
      words_(other.words_),
      up_(other.up_),
      later_(other.later_),
      marked_(other.marked_),
      marked_nodes_(other.marked_nodes_),
      later_nodes_(other.later_nodes_),
      index_(other.index_),
      cores_max_(other.cores_max_) {}

Result<void> FreeNodes::make(const Layouts& layouts) {
  const TypeId node_type = graph_.find_type("node");
  std::vector<PoolId> pools;
  graph_.preorder(graph_.root(), [&](PoolId p) {
    if (graph_.type(p) != node_type || graph_.leaf(p)) return true;
    pools.push_back(p);
    return false;
  });
  std::ranges::stable_sort(pools, {}, [&](PoolId p) { return graph_.rank(p); });
  std::vector<std::uint32_t> node_of(graph_.interior_count(), NodeIndex::kNone);
  std::size_t words = 0;
  for (PoolId p : pools) {
    const auto kind = kinds_.add(p, layouts.of_rank(graph_.rank(p)));
    if (!kind) return std::unexpected(kind.error());
    if (kinds_[*kind].leaves[kCore].empty()) continue;
    node_of[graph_.interior(p)] = size();
    nodes_.push_back({p, *kind, words});
    words += kinds_[*kind].word_count();
    cores_max_ = std::max(cores_max_, kinds_[*kind].size(kCore));
  }
  node_of_ = std::move(node_of);
  counts_.resize(kinds_.size());
  for (const Node& node : nodes_) ++counts_[node.kind];
  words_.resize(words);
  up_.resize(size());
  later_.resize(size());
  marked_.assign(size(), true);
  marked_nodes_.resize(size());
  std::iota(marked_nodes_.begin(), marked_nodes_.end(), 0u);
  index_ = NodeIndex(size(), cores_max_);
  return {};
}

std::uint32_t FreeNodes::node_above(PoolId leaf) const {
  for (PoolId up = leaf; up != kNoPool; up = graph_.parent(up)) {
    if (graph_.leaf(up)) continue;
    const std::uint32_t node = node_of_[graph_.interior(up)];
    if (node != NodeIndex::kNone) return node;
  }
  return NodeIndex::kNone;
}

// --- Marking nodes

void FreeNodes::mark(std::uint32_t node) {
  if (marked_[node]) return;
  marked_[node] = true;
  marked_nodes_.push_back(node);
}

void FreeNodes::mark_below(PoolId pool) {
  if (const std::uint32_t node = node_above(pool); node != NodeIndex::kNone) {
    mark(node);
    return;
  }
  graph_.preorder(pool, [&](PoolId p) {
    if (graph_.leaf(p)) return true;
    const std::uint32_t node = node_of_[graph_.interior(p)];
    if (node != NodeIndex::kNone) mark(node);
    return node == NodeIndex::kNone;
  });
}

void FreeNodes::started(const Selection& selection) {
  for (const SelectedPools& t : selection.taken) {
    if (t.exclusive || t.whole) mark_below(t.first);
  }
}

// If only the grant's own bits change, they are changed at once.
void FreeNodes::applied(const Selection& selection, std::int64_t start, std::int64_t end,
                        int sign) {
  const bool active = start <= state_.now() && state_.now() < end;
  std::uint32_t node = NodeIndex::kNone;
  PoolId node_end{0};
  for (const SelectedPools& t : selection.taken) {
    const bool inside = node != NodeIndex::kNone && t.first < node_end;
    if (!inside) {
      node = graph_.leaf(t.first) ? NodeIndex::kNone : node_of_[graph_.interior(t.first)];
      if (node == NodeIndex::kNone) {
        if (t.exclusive || t.whole) mark_below(t.first);
        continue;
      }
      node_end = graph_.end(t.first);
    }
    if (!t.exclusive && !t.whole) continue;
    if (marked_[node]) continue;  // it will be recomputed
    if (!active || later_[node] || !up_[node]) {
      mark(node);
      continue;
    }
    change_bits(node, t, sign > 0);
    set_index(node);
    fits_.changed(node);
  }
}

void FreeNodes::change_bits(std::uint32_t number, const SelectedPools& taken, bool take) {
  const Node& node = nodes_[number];
  const NodeKind& kind = kinds_[node.kind];
  Word* mask = words_.data() + node.mask_at;
  if (!graph_.leaf(taken.first)) {
    // The node itself, or an interior pool in it.
    if (taken.first != node.pool || !state_.all_usable()) return mark(number);
    if (take) {
      std::fill(mask, mask + kind.word_count(), 0);
    } else {
      kind.fill(mask);
    }
    return;
  }
  const std::uint32_t first = taken.first.v - node.pool.v;
  for (std::uint32_t i = first; i < first + taken.count; ++i) {
    if (!kind.has_bit(i)) continue;
    if (take) {
      kind.clear_bit(i, mask);
    } else if (usable(PoolId{node.pool.v + i})) {
      kind.set_bit(i, mask);
    }
  }
}

void FreeNodes::set_index(std::uint32_t number) {
  const NodeKind& kind = this->kind(number);
  const Word* words = mask(number);
  index_.put(number, kind.count(kCore, words), kind.count(kGpu, words));
}

// --- Recomputing marked nodes

bool FreeNodes::usable(PoolId pool) const {
  if (state_.all_usable()) return true;
  for (PoolId up = pool; up != kNoPool; up = graph_.parent(up)) {
    if (!state_.usable(up)) return false;
  }
  return true;
}

bool FreeNodes::free_over(std::uint32_t number, std::int64_t start, std::int64_t end, Word* mask,
                          bool* later) const {
  const Node& node = nodes_[number];
  const NodeKind& kind = kinds_[node.kind];
  auto allocated = [&](PoolId p) {
    if (!state_.exclusive_spans().marked(p)) return false;
    if (later != nullptr) *later = *later || state_.exclusive_spans().all(p).back().start > start;
    return state_.allocated(p, start, end);
  };
  if (!usable(node.pool)) return false;
  bool any = true;
  for (PoolId up = node.pool; up != kNoPool; up = graph_.parent(up)) {
    if (allocated(up)) any = false;
  }
  if (any) {
    kind.fill(mask);
  } else {
    std::fill(mask, mask + kind.word_count(), 0);
  }
  const bool all_up = state_.all_usable();
  if (all_up && !state_.touched(node.pool, start, INT64_MAX)) return true;  // the usual case
  // The spans of a leaf, and those of the pools between it and the node.
  auto gone = [&](PoolId leaf) {
    bool is = false;
    for (PoolId p = leaf; p != node.pool; p = graph_.parent(p)) {
      is = allocated(p) || is;  // evaluate all of them: any may have a later span
      is = is || (!all_up && !state_.usable(p));
    }
    return is;
  };
  for (std::uint32_t i = 1; i < kind.bit_at.size(); ++i) {
    if (kind.has_bit(i) && gone(PoolId{node.pool.v + i})) kind.clear_bit(i, mask);
  }
  return true;
}

void FreeNodes::renew_node(std::uint32_t number) {
  marked_[number] = false;
  bool later = false;
  const std::int64_t now = state_.now();
  up_[number] = free_over(number, now, now + 1, words_.data() + nodes_[number].mask_at, &later);
  if (later && up_[number]) {
    if (!later_[number]) later_nodes_.push_back(number);
    index_.erase(number);
  } else if (!up_[number]) {
    index_.erase(number);
  } else {
    set_index(number);
  }
  later_[number] = later && up_[number];
  fits_.changed(number);
}

void FreeNodes::renew() {
  for (std::size_t i = 0; i < marked_nodes_.size(); ++i) renew_node(marked_nodes_[i]);
  marked_nodes_.clear();
  if (!later_nodes_.empty()) std::erase_if(later_nodes_, [&](auto n) { return !later_[n]; });
}

bool FreeNodes::check() const {
  if (!marked_nodes_.empty()) return true;  // the invariants hold only after renew()
  std::vector<Word> words;
  std::uint32_t later_count = 0;
  for (std::uint32_t n = 0; n < size(); ++n) {
    bool later = false;
    words.assign(kind(n).word_count(), 0);
    const bool up = free_over(n, state_.now(), state_.now() + 1, words.data(), &later);
    if (up != up_[n] || (up && later) != later_[n]) return false;
    if (up && !std::ranges::equal(words, std::span(mask(n), words.size()))) return false;
    if (index_.contains(n) != (up && !later)) return false;
    if (index_.contains(n) && (index_.cores_of(n) != kind(n).count(kCore, mask(n)) ||
                               index_.gpus_of(n) != kind(n).count(kGpu, mask(n)))) {
      return false;
    }
    later_count += later_[n] ? 1 : 0;
  }
  return later_count == later_nodes_.size() && index_.check();
}

}  // namespace copse
