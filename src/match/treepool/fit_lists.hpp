// SPDX-License-Identifier: Apache-2.0
//
// FitLists: for a question that counts of free cores and GPUs do not answer (is a domain whole? do
// so many slots lie in domains? does the constraint hold?), the nodes that pass it, in a NodeIndex
// of their own, so that those that do not are looked at once and not at every match.
//
// A question gets a list when matches had to skip a quarter as many nodes for it as there are, so
// that making it costs no more than what went before, but for a factor. A list that is asked for
// takes up the nodes that changed since; the list used longest ago makes room for another.
//
// Invariant: a node that the list does not have would not have served when it last changed, and
// has not changed since.
// Size: kMost lists, each 4 bytes per node and its buckets; the log 4 bytes for each node that
// changed, forgotten when it is longer than the machine. Taking up a node: a placing on it.
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
  // Of the request, if it has a constraint: whose nodes those are.
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
  // The list of a question, if it has one; what changed since is given to
  // take_up(index, node) for each node.
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
  // A match without a list skipped so many nodes.
  void passed(FitQuestion question, std::uint64_t count, std::uint32_t nodes,
              std::uint32_t cores_max);

 private:
  static constexpr std::size_t kAll = SIZE_MAX;  // nothing seen yet
  struct List {
    FitQuestion question;
    NodeIndex index;
    std::size_t seen = kAll;  // of the log
    std::uint64_t used = 0;
  };
  struct Pending {
    FitQuestion question;
    std::uint64_t passed;
  };
  void forget_log();
  std::vector<Pending> pending_;  // kMost at most, the last one asked for at the end
  std::vector<std::unique_ptr<List>> lists_;
  std::vector<std::uint32_t> log_;  // nodes in the order in which they changed
  std::size_t log_most_ = 0;
  std::uint64_t uses_ = 0;
};

}  // namespace copse
