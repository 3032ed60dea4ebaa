// SPDX-License-Identifier: Apache-2.0
#include "match/treepool/fit_lists.hpp"

#include <algorithm>

namespace copse {

void FitLists::passed(FitQuestion question, std::uint64_t count, std::uint32_t nodes,
                      std::uint32_t cores_max) {
  const auto known = std::ranges::find(pending_, question, &Pending::question);
  if (known != pending_.end()) {
    count += known->passed;
    pending_.erase(known);
  }
  if (count <= nodes / 4) {
    if (pending_.size() == kMost) pending_.erase(pending_.begin());
    pending_.push_back({std::move(question), count});
    return;
  }
  if (lists_.size() == kMost) {
    lists_.erase(std::ranges::min_element(lists_, {}, [](const auto& l) { return l->used; }));
  }
  log_most_ = std::size_t{nodes} + 1;
  lists_.push_back(std::make_unique<List>(
      List{std::move(question), NodeIndex(nodes, cores_max), kAll, ++uses_}));
}

// Lists that are not up to date are rebuilt on use.
void FitLists::forget_log() {
  for (std::unique_ptr<List>& list : lists_) list->seen = list->seen == log_.size() ? 0 : kAll;
  log_.clear();
}

}  // namespace copse
