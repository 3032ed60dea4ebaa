// SPDX-License-Identifier: Apache-2.0
#include "match/treepool/selection_writer.hpp"

#include <algorithm>
#include <bit>

namespace copse {

// Adds the pools between a pool and the open ones.
void SelectionWriter::open_above(PoolId pool, Selection& out) {
  while (!open_.empty() && !graph_.below(pool, open_.back())) open_.pop_back();
  const std::size_t first = out.taken.size();
  const PoolId known = open_.empty() ? kNoPool : open_.back();
  for (PoolId up = graph_.parent(pool); up != known; up = graph_.parent(up)) {
    out.taken.push_back({.first = up});
  }
  std::reverse(out.taken.begin() + static_cast<std::ptrdiff_t>(first), out.taken.end());
  for (std::size_t i = first; i < out.taken.size(); ++i) open_.push_back(out.taken[i].first);
}

void SelectionWriter::add_node(PoolId node, Selection& out) {
  open_above(node, out);
  out.taken.push_back({.first = node, .exclusive = true, .whole = true});
}

void SelectionWriter::add_runs(PoolId node, const std::vector<KindLeaf>& leaves,
                               const Word* taken) {
  for (std::size_t w = 0; w * 64 < leaves.size(); ++w) {
    for (Word rest = taken[w]; rest != 0; rest &= rest - 1) {
      const KindLeaf& at = leaves[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))];
      const PoolId leaf{node.v + at.offset};
      if (at.follows && !runs_.empty() && runs_.back().first.v + runs_.back().count == leaf.v) {
        ++runs_.back().count;
      } else {
        runs_.push_back({.first = leaf, .exclusive = true});
      }
    }
  }
}

void SelectionWriter::add_leaves(PoolId node, const NodeKind& kind, const Word* taken,
                                 Selection& out) {
  open_above(node, out);
  out.taken.push_back({.first = node});
  open_.push_back(node);
  runs_.clear();
  for (std::size_t k = 0; k < kLeafKinds; ++k) {
    add_runs(node, kind.leaves[k], taken + kind.first_word[k]);
  }
  std::ranges::sort(runs_, {}, &SelectedPools::first);
  for (const SelectedPools& run : runs_) {
    if (open_.back() != graph_.parent(run.first)) open_above(run.first, out);
    out.taken.push_back(run);
  }
}

}  // namespace copse
