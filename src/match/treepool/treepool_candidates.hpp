// SPDX-License-Identifier: Apache-2.0
//
// The nodes that a request may have, in the order in which TreePool tries them.
#pragma once

#include <algorithm>
#include <tuple>

#include "match/treepool/treepool.hpp"

namespace copse {

// Goes over the nodes that a request may have, in order, with at least so much free: those of the
// index, or those of a list of fits, and between them those of the window.
class TreePool::Candidates {
 public:
  Candidates(const TreePool& pool, const NodeIndex& index, std::int64_t cores_min,
             std::int64_t gpus_min)
      : pool_(pool),
        index_(index),
        cores_(bounded(cores_min)),
        gpus_(bounded(gpus_min)),
        walk_(index, cores_, gpus_) {
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
        out = {indexed_, index_.cores_of(indexed_), index_.gpus_of(indexed_),
               pool_.free_.data() + pool_.nodes_[indexed_].free_at};
      }
      if (list && (indexed_ == NodeIndex::kNone || before(pool_.window_[listed_], out))) {
        out = pool_.window_[listed_++];
      } else {
        indexed_ = walk_.next();
      }
      ++passed_;
      if (pool_.allowed(out.node)) return true;
    }
  }

  [[nodiscard]] std::uint64_t passed() const { return passed_; }  // nodes so far

  static bool before(const Candidate& a, const Candidate& b) {
    return std::tie(a.cores, a.gpus, a.node) < std::tie(b.cores, b.gpus, b.node);
  }

 private:
  static std::uint32_t bounded(std::int64_t n) {
    return static_cast<std::uint32_t>(std::min<std::int64_t>(n, UINT32_MAX));
  }
  const TreePool& pool_;
  const NodeIndex& index_;
  std::uint32_t cores_, gpus_;
  NodeIndex::Walk walk_;
  std::uint32_t indexed_ = NodeIndex::kNone;
  std::size_t listed_ = 0;
  std::uint64_t passed_ = 0;
};

}  // namespace copse
