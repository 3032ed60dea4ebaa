// SPDX-License-Identifier: Apache-2.0
//
// NodeCandidates: iterates over the nodes that a request may use, with at least given amounts free,
// in the order in which the treepool traverser tries them: by (free cores, free GPUs, number).
//
// They come from an index (of all nodes, or a FitLists list), and from a sorted list of nodes that
// are not in the index. Neither must change meanwhile. next: O(1) and that of NodeIndex.
#pragma once

#include <algorithm>
#include <span>
#include <tuple>

#include "match/compile/compiled.hpp"
#include "match/treepool/free_nodes.hpp"

namespace copse {

// A node over the window of the query.
struct NodeCandidate {
  std::uint32_t node, cores, gpus;
  const Word* free;
  [[nodiscard]] bool before(const NodeCandidate& other) const {
    return std::tie(cores, gpus, node) < std::tie(other.cores, other.gpus, other.node);
  }
};

class NodeCandidates {
 public:
  // `index` nullptr: only nodes of the list.
  NodeCandidates(const FreeNodes& nodes, const AllowedPools& allowed, const NodeIndex* index,
                 std::span<const NodeCandidate> list, std::int64_t cores_min, std::int64_t gpus_min)
      : nodes_(nodes),
        allowed_(allowed),
        list_(list),
        cores_(bounded(cores_min)),
        gpus_(bounded(gpus_min)),
        index_(index == nullptr ? nodes.index() : *index),
        walk_(index_, cores_, gpus_) {
    if (index != nullptr) indexed_ = walk_.next();
  }

  bool next(NodeCandidate& out) {
    for (;;) {
      while (!list_.empty() && (list_.front().cores < cores_ || list_.front().gpus < gpus_)) {
        list_ = list_.subspan(1);
      }
      if (indexed_ == NodeIndex::kNone && list_.empty()) return false;
      if (indexed_ != NodeIndex::kNone) {
        out = {indexed_, index_.cores_of(indexed_), index_.gpus_of(indexed_),
               nodes_.mask(indexed_)};
      }
      if (!list_.empty() && (indexed_ == NodeIndex::kNone || list_.front().before(out))) {
        out = list_.front();
        list_ = list_.subspan(1);
      } else {
        indexed_ = walk_.next();
      }
      ++passed_;
      if (allowed_.empty() || allowed_[nodes_.pool(out.node).v]) return true;
    }
  }

  [[nodiscard]] std::uint64_t passed() const { return passed_; }  // nodes visited so far

 private:
  static std::uint32_t bounded(std::int64_t n) {
    return static_cast<std::uint32_t>(std::min<std::int64_t>(n, UINT32_MAX));
  }
  const FreeNodes& nodes_;
  const AllowedPools& allowed_;
  std::span<const NodeCandidate> list_;  // the rest of it
  std::uint32_t cores_, gpus_;
  const NodeIndex& index_;
  NodeIndex::Walk walk_;
  std::uint32_t indexed_ = NodeIndex::kNone;  // the next one of the index
  std::uint64_t passed_ = 0;
};

}  // namespace copse
