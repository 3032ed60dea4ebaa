// SPDX-License-Identifier: Apache-2.0
//
// FitLists: for a condition that does not depend only on the numbers of free cores and GPUs (a
// whole domain, slots inside domains, a constraint), the nodes that meet it, in a separate
// NodeIndex. So other nodes are checked once, not at every match.
//
// A condition gets a list after matches had to skip, for it, a quarter of the number of nodes, so
// building the list costs a constant factor more than before. A list is updated with the changed
// nodes when it is used; the least recently used list is evicted.
//
// Invariant: a node that is not in the list did not meet the condition when it last changed.
// Size: kMost lists, each 4 bytes per node and its buckets; the log 4 bytes for each changed node;
// it is dropped when it is longer than the number of nodes. Updating a node: one placement on it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "match/treepool/slot_placer.hpp"
#include "state/node_index.hpp"

namespace copse {

struct FitQuestion {
  Unit unit;
  std::int64_t units = 1;
  bool whole = false, spill = false;
  // The nodes that the constraint allows, if there is one.
  std::shared_ptr<const std::vector<bool>> allowed;
  bool operator==(const FitQuestion&) const = default;
};

class FitLists {
 public:
  static constexpr std::size_t kMost = 8;

  void changed(std::uint32_t node) {
    if (lists_.empty()) return;
    if (log_.size() >= log_most_) forget_log();
    log_.push_back(node);
  }
  // The list of a condition, if it has one; calls take_up(index, node) for each node that changed
  // since.
  template <class TakeUp>
  [[nodiscard]] const NodeIndex* find(const FitQuestion& question, std::uint32_t nodes,
                                      TakeUp take_up) {
    if (lists_.empty()) return nullptr;
    for (std::unique_ptr<List>& list : lists_) {
      if (!(list->question == question)) continue;
      if (list->seen == kAll) {
        for (std::uint32_t n = 0; n < nodes; ++n) take_up(list->index, n);
      } else {
        for (std::size_t i = list->seen; i < log_.size(); ++i) take_up(list->index, log_[i]);
      }
      list->seen = log_.size();
      list->used = ++uses_;
      return &list->index;
    }
    return nullptr;
  }
  // Records that a match without a list skipped this many nodes.
  void passed(FitQuestion question, std::uint64_t count, std::uint32_t nodes,
              std::uint32_t cores_max);

 private:
  static constexpr std::size_t kAll = SIZE_MAX;  // not built yet
  struct List {
    FitQuestion question;
    NodeIndex index;
    std::size_t seen = kAll;  // entries of the log that were processed
    std::uint64_t used = 0;
  };
  struct Pending {
    FitQuestion question;
    std::uint64_t passed;
  };
  void forget_log();
  std::vector<Pending> pending_;  // at most kMost, the most recent one last
  std::vector<std::unique_ptr<List>> lists_;
  std::vector<std::uint32_t> log_;  // nodes in the order in which they changed
  std::size_t log_most_ = 0;
  std::uint64_t uses_ = 0;
};

}  // namespace copse
