// SPDX-License-Identifier: Apache-2.0
//
// ListSearch: the entries of a watched list that may serve a vertex, by what the list shows. The
// list shows this moment only: for other views all entries are visited.
//
// Invariants: searches nest; each has its own needs on the stack. Nothing is allocated for a pool.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "match/shared/eligibility.hpp"

namespace copse {

class ListSearch {
 public:
  ListSearch(const Eligibility& asked, State& state) : asked_(asked), state_(state) {}

  // Visits entries in order, until visit(pool) returns true. `column`: WatchedList::kAvailable or
  // kIdle; `needs`: units free below.
  template <class Visit>
  void run(WatchedList& list, std::uint32_t column, std::span<const Need> needs, Visit visit) {
    const std::size_t first = needs_.size();
    if (asked_.view == View::now) add_needs(list, column, needs);
    for (CandidateList::Position at;;) {
      const std::span<const CandidateList::Need> own(needs_.data() + first, needs_.size() - first);
      if (!list.list.next(at, own)) break;
      const PoolId found = list.list.pool(at);
      CandidateList::advance(at);
      if (visit(found)) break;
    }
    needs_.resize(first);
  }
  void clear() { needs_.clear(); }

 private:
  void add_needs(WatchedList& list, std::uint32_t column, std::span<const Need> needs) {
    needs_.push_back({column, 1});
    for (const Need& need : needs) {
      if (need.units <= 0) continue;
      needs_.push_back(
          {state_.lists().watch(list, need.type),
           static_cast<CandidateList::Value>(std::min<std::int64_t>(need.units, INT32_MAX))});
    }
  }

  const Eligibility& asked_;
  State& state_;
  std::vector<CandidateList::Need> needs_;  // stack
};

}  // namespace copse
