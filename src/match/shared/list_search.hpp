// SPDX-License-Identifier: Apache-2.0
//
// ListSearch: finds the entries of a watched list that may fit a vertex. The list shows the present
// only. For later times, bounds may know which pools are open, and the others are skipped; if not,
// all entries are visited.
//
// Invariants: searches nest; each has its own needs on the stack. Nothing is allocated for a pool.
// Cost: at present that of CandidateList::next. Later O(entries up to the last one visited). With
// bounds, for n entries with m open ones, at most O(n/64 + m + 64 for each one visited).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "match/shared/eligibility.hpp"

namespace copse {

class ListSearch {
 public:
  ListSearch(const Eligibility& eligibility, State& state)
      : eligibility_(eligibility), state_(state) {}

  static constexpr std::uint32_t kNoLevel = UINT32_MAX;

  // Visits entries in order, until visit(pool) returns true. `column`: WatchedList::kAvailable or
  // kIdle; `needs`: units free below. `level`: only pools that may fit it are visited; kNoLevel:
  // all.
  template <class Visit>
  void run(WatchedList& list, std::uint32_t column, std::span<const Need> needs,
           std::uint32_t level, Visit visit) {
    if (eligibility_.view == StateView::later && eligibility_.bounds != nullptr &&
        level != kNoLevel) {
      if (const auto open = eligibility_.bounds->open(level)) return run_open(list, *open, visit);
    }
    const std::size_t first = needs_.size();
    if (eligibility_.view == StateView::now) add_needs(list, column, needs);
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
  // Visits all entries first. Once these are more than the open pools, visits only the blocks of
  // open pools.
  template <class Visit>
  static void run_open(const WatchedList& list, const StartBounds::OpenPools& open, Visit visit) {
    CandidateList::Marks marks;
    std::uint32_t mark_at = 1;
    for (std::uint32_t b = 0; b < list.list.blocks(); ++b) {
      if (b == 1) mark_at = std::max(mark_at, open.count() / CandidateList::kBlock);
      if (b == mark_at) {
        open.for_each([&](std::uint32_t interior) { list.list.mark(list.key(interior), marks); });
        if (marks.empty()) return;
      }
      if (!list.list.marked(b, marks)) continue;
      const auto keys = list.list.keys(b);
      for (std::uint32_t slot = 0; slot < keys.size(); ++slot) {
        const bool has = open.has(list.first_interior + keys[slot]);
        if (has && visit(list.list.pool({b, slot}))) return;
      }
    }
  }
  void add_needs(WatchedList& list, std::uint32_t column, std::span<const Need> needs) {
    needs_.push_back({column, 1});
    for (const Need& need : needs) {
      if (need.units <= 0) continue;
      needs_.push_back(
          {state_.lists().watch(list, need.type),
           static_cast<CandidateList::Value>(std::min<std::int64_t>(need.units, INT32_MAX))});
    }
  }

  const Eligibility& eligibility_;
  State& state_;
  std::vector<CandidateList::Need> needs_;  // stack
};

}  // namespace copse
