// SPDX-License-Identifier: Apache-2.0
//
// TreePool: what was chosen, as a selection.
#include <algorithm>

#include "match/treepool/treepool.hpp"

namespace copse {

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
  const bool all = chosen.whole || (kind.only_these && count_bits(taken) == kind.leaf_count() &&
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
  add_runs(kind.gpus, taken.subspan(kind.core_words, kind.gpu_words));
  for (std::size_t k = 0; k < kStocks; ++k) {
    add_runs(kind.stocks[k], taken.subspan(kind.stock_at(k), kind.stock_words[k]));
  }
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

}  // namespace copse
