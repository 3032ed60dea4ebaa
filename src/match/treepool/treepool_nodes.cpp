// SPDX-License-Identifier: Apache-2.0
//
// TreePool: the nodes, and what is free of them.
#include <algorithm>
#include <numeric>

#include "match/treepool/treepool.hpp"

namespace copse {

Result<std::unique_ptr<TreePool>> TreePool::create(const ResourceGraph& graph, const State& state,
                                                   const Layouts& layouts) {
  std::unique_ptr<TreePool> made(new TreePool(graph, state));
  if (auto ok = made->make(layouts); !ok) return std::unexpected(ok.error());
  return made;
}

Result<void> TreePool::make(const Layouts& layouts) {
  types_.core = graph_.find_type("core");
  types_.gpu = graph_.find_type("gpu");
  if (layouts.piece_gib > 0) {
    types_.stocks = {graph_.find_type("memory"), graph_.find_type("storage")};
  }
  node_type_ = graph_.find_type("node");
  std::vector<PoolId> pools;
  graph_.preorder(graph_.root(), [&](PoolId p) {
    if (graph_.type(p) != node_type_ || graph_.leaf(p)) return true;
    pools.push_back(p);
    return false;
  });
  std::ranges::stable_sort(pools, {}, [&](PoolId p) { return graph_.rank(p); });
  node_of_.assign(graph_.interior_count(), NodeIndex::kNone);
  std::size_t words = 0, cores_max = 0;
  for (PoolId p : pools) {
    auto kind = kind_of(p, layouts.of_rank(graph_.rank(p)));
    if (!kind) return std::unexpected(kind.error());
    if (kinds_[*kind].cores.empty()) continue;  // an R cannot say that it is given (RFC 20)
    node_of_[graph_.interior(p)] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({p, *kind, words});
    ++kind_counts_[*kind];
    words += kinds_[*kind].word_count();
    cores_max = std::max(cores_max, kinds_[*kind].cores.size());
  }
  kinds_by_hash_.clear();
  free_.resize(words);
  const auto n = static_cast<std::uint32_t>(nodes_.size());
  later_.resize(n);
  up_.resize(n);
  marked_.assign(n, true);
  marked_nodes_.resize(n);
  std::iota(marked_nodes_.begin(), marked_nodes_.end(), 0u);
  cores_max_ = static_cast<std::uint32_t>(cores_max);
  index_ = std::make_unique<NodeIndex>(n, cores_max_);
  return {};
}

namespace {

bool same_part(const NodeKind& a, const MaskPart& in_a, const NodeKind& b, const MaskPart& in_b) {
  return in_a.first == in_b.first && in_a.count == in_b.count &&
         std::equal(a.part_words(in_a), a.part_words(in_a) + in_a.count, b.part_words(in_b));
}

// Whether the groups of two kinds are the same, level by level; names are not looked at.
bool same_levels(const NodeKind& a, const NodeKind& b) {
  const auto groups_a = a.groups_by_level(), groups_b = b.groups_by_level();
  return std::equal(a.levels.begin(), a.levels.end(), b.levels.begin(), b.levels.end(),
                    [](const NodeKind::Level& x, const NodeKind::Level& y) {
                      return x.first == y.first && x.count == y.count;
                    }) &&
         std::equal(groups_a.begin(), groups_a.end(), groups_b.begin(), groups_b.end(),
                    [&](const Group& x, const Group& y) {
                      return same_part(a, x.cores, b, y.cores) && same_part(a, x.gpus, b, y.gpus) &&
                             same_part(a, x.stocks[0], b, y.stocks[0]) &&
                             same_part(a, x.stocks[1], b, y.stocks[1]);
                    });
}

}  // namespace

// Nodes whose groups are the same are of one kind, whatever their domains are called: the names of
// the first such kind count for all of them, as recorded answers pin (flux-core compares levels).
Result<std::uint32_t> TreePool::kind_of(PoolId node, const Layout* layout) {
  auto alike = [&](std::uint32_t kind) {
    return (kinds_[kind].layout == layout || also_of_.contains({layout, kind})) &&
           same_leaves(graph_, node, kind_nodes_[kind]);
  };
  if (!nodes_.empty() && alike(nodes_.back().kind)) return nodes_.back().kind;
  std::size_t hash = reinterpret_cast<std::uintptr_t>(layout);
  for (std::uint32_t v = node.v; v < graph_.end(node).v; ++v) {
    const auto id = v == node.v ? 0 : static_cast<std::size_t>(graph_.id(PoolId{v}));
    hash = (hash ^ (id * 31 + graph_.type(PoolId{v}).v)) * 1'099'511'628'211u;
  }
  const auto [first, last] = kinds_by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (alike(at->second)) return at->second;
  }
  auto made = make_kind(graph_, node, types_, layout, words_left_);
  if (!made) return std::unexpected(made.error());
  for (std::uint32_t kind = 0; kind < kinds_.size(); ++kind) {
    const bool named = layout != nullptr && kinds_[kind].layout != nullptr;
    if (!named || !same_leaves(graph_, node, kind_nodes_[kind])) continue;
    if (!same_levels(kinds_[kind], *made)) continue;
    kinds_by_hash_.emplace(hash, kind);
    also_of_.emplace(layout, kind);
    return kind;
  }
  for (KindDomain& domain : made->domains) {
    domain.number =
        names_.emplace(domain.name, static_cast<std::uint32_t>(names_.size())).first->second;
  }
  const auto number = static_cast<std::uint32_t>(kinds_.size());
  kinds_.push_back(std::move(*made));
  kind_nodes_.push_back(node);
  kind_counts_.push_back(0);
  kinds_by_hash_.emplace(hash, number);
  return number;
}

std::uint32_t TreePool::node_above(PoolId leaf) const {
  for (PoolId up = leaf; up != kNoPool; up = graph_.parent(up)) {
    if (graph_.leaf(up)) continue;
    const std::uint32_t node = node_of_[graph_.interior(up)];
    if (node != NodeIndex::kNone) return node;
  }
  return NodeIndex::kNone;
}

// --- What has to be looked at again

void TreePool::mark(std::uint32_t node) {
  if (marked_[node]) return;
  marked_[node] = true;
  marked_nodes_.push_back(node);
}

void TreePool::mark_below(PoolId pool) {
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

void TreePool::status_changed(PoolId pool) { mark_below(pool); }

void TreePool::begun(const Selection& selection) {
  for (const Taken& t : selection.taken) {
    if (t.exclusive || t.whole) mark_below(t.first);
  }
}

// Where a grant's own bits are all that changes, they are changed at once.
void TreePool::applied(const Selection& selection, std::int64_t start, std::int64_t end, int sign) {
  const bool active = start <= state_.now() && state_.now() < end;
  std::uint32_t node = NodeIndex::kNone;
  PoolId node_end{0};
  for (const Taken& t : selection.taken) {
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
    if (marked_[node]) continue;  // it will be looked at again
    if (!active || later_[node] || !up_[node]) {
      mark(node);
      continue;
    }
    change_bits(node, t, sign > 0);
    set_index(node);
    fits_.changed(node);
  }
}

void TreePool::change_bits(std::uint32_t number, const Taken& taken, bool take) {
  const Node& node = nodes_[number];
  const NodeKind& kind = kinds_[node.kind];
  Word* mask = free_.data() + node.free_at;
  const bool all_up = state_.all_usable();
  if (!graph_.leaf(taken.first)) {
    // The node itself, or something in it that has leaves of its own.
    if (taken.first != node.pool || !all_up) return mark(number);
    if (take) {
      std::fill(mask, mask + kind.word_count(), 0);
    } else {
      kind.fill(mask);
    }
    return;
  }
  const std::uint32_t first = taken.first.v - node.pool.v;
  for (std::uint32_t i = first; i < first + taken.count; ++i) {
    if (kind.bit_at[i] == 0) continue;
    std::size_t bit = kind.bit_at[i] - 1;
    Word* words = mask;
    if (bit >= kind.cores.size()) {
      bit -= kind.cores.size();
      words += kind.core_words;
      if (bit >= kind.gpus.size()) {
        bit -= kind.gpus.size();
        const bool second = bit >= kind.stocks[0].size();
        if (second) bit -= kind.stocks[0].size();
        words = mask + kind.stock_at(second ? 1 : 0);
      }
    }
    if (take) {
      words[bit / 64] &= ~(Word{1} << (bit % 64));
    } else if (all_up || state_.usable(PoolId{node.pool.v + i})) {
      words[bit / 64] |= Word{1} << (bit % 64);
    }
  }
}

void TreePool::set_index(std::uint32_t number) {
  const Node& node = nodes_[number];
  const NodeKind& kind = kinds_[node.kind];
  const std::span<const Word> mask(free_.data() + node.free_at, kind.word_count());
  index_->put(number, count_bits(mask.first(kind.core_words)),
              count_bits(mask.subspan(kind.core_words, kind.gpu_words)));
}

// --- Looking again

bool TreePool::usable(PoolId pool) const {
  if (state_.all_usable()) return true;
  for (PoolId up = pool; up != kNoPool; up = graph_.parent(up)) {
    if (!state_.usable(up)) return false;
  }
  return true;
}

bool TreePool::free_over(std::uint32_t number, std::int64_t start, std::int64_t end, Word* mask,
                         bool* later) const {
  const Node& node = nodes_[number];
  const NodeKind& kind = kinds_[node.kind];
  auto held = [&](PoolId p) {
    if (!state_.holds().marked(p)) return false;
    if (later != nullptr) *later = *later || state_.holds().all(p).back().start > start;
    return state_.held(p, start, end);
  };
  if (!usable(node.pool)) return false;
  bool any = true;
  for (PoolId up = node.pool; up != kNoPool; up = graph_.parent(up)) {
    if (held(up)) any = false;
  }
  if (any) {
    kind.fill(mask);
  } else {
    std::fill(mask, mask + kind.word_count(), 0);
  }
  // A leaf's own holds, and those of what stands between it and the node.
  const bool all_up = state_.all_usable();
  auto gone = [&](PoolId leaf) {
    bool is = false;
    for (PoolId p = leaf; p != node.pool; p = graph_.parent(p)) {
      is = held(p) || is;  // of all of them: any may have a later hold
      is = is || (!all_up && !state_.usable(p));
    }
    return is;
  };
  auto clear = [&](const std::vector<KindLeaf>& leaves, Word* words) {
    for (std::uint32_t b = 0; b < leaves.size(); ++b) {
      if (gone(PoolId{node.pool.v + leaves[b].offset})) words[b / 64] &= ~(Word{1} << (b % 64));
    }
  };
  clear(kind.cores, mask);
  clear(kind.gpus, mask + kind.core_words);
  for (std::size_t k = 0; k < kStocks; ++k) clear(kind.stocks[k], mask + kind.stock_at(k));
  return true;
}

void TreePool::renew_node(std::uint32_t number) {
  marked_[number] = false;
  bool later = false;
  const std::int64_t now = state_.now();
  up_[number] = free_over(number, now, now + 1, free_.data() + nodes_[number].free_at, &later);
  if (later && up_[number]) {
    if (!later_[number]) later_nodes_.push_back(number);
    index_->erase(number);
  } else if (!up_[number]) {
    index_->erase(number);
  } else {
    set_index(number);
  }
  later_[number] = later && up_[number];
  fits_.changed(number);
}

void TreePool::renew() {
  for (std::size_t i = 0; i < marked_nodes_.size(); ++i) renew_node(marked_nodes_[i]);
  marked_nodes_.clear();
  if (!later_nodes_.empty()) std::erase_if(later_nodes_, [&](auto n) { return !later_[n]; });
}

}  // namespace copse
