// SPDX-License-Identifier: Apache-2.0
//
// UnitCounts: how many of some interchangeable units are in use over time.
//
// Invariants
//   1. planned_ has a span for each use.
//   2. bounds_ holds for free units, from the latest `now_s` of earlier() on.
//
// Cost: that of a Planner of one dimension (time/planner.hpp): about 1 µs per change, and 2 to 3 µs
// for the earliest start among 10^5 jobs, whatever the number of units of a job. A start earlier
// than a promised one is searched only where units were freed since the last search
// (time/run_bounds.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "time/planner.hpp"
#include "time/run_bounds.hpp"

namespace copse::queue {

class UnitCounts {
 public:
  // A change that is undone right away leaves nothing to search.
  enum class Note : bool { nothing, freed };

  explicit UnitCounts(std::int64_t usable) : usable_(usable) {}
  [[nodiscard]] std::int64_t usable() const { return usable_; }

  // REQUIRES start_s < end_s, for these and all others.
  void add(std::int64_t start_s, std::int64_t end_s, std::int64_t units) {
    if (units > 0) planned_.add(start_s, end_s, {&units, 1});
  }
  void remove(std::int64_t start_s, std::int64_t end_s, std::int64_t units, Note note);
  void move(std::int64_t start_s, std::int64_t end_s, std::int64_t to_start_s,
            std::int64_t to_end_s, std::int64_t units);
  // A use has moved, and is in its new time: its old one was removed with Note::nothing.
  void moved(std::int64_t start_s, std::int64_t end_s, std::int64_t to_start_s,
             std::int64_t to_end_s, std::int64_t units);
  // Units that are free at all times of it; below 0 if more are in use than are usable.
  [[nodiscard]] std::int64_t free(std::int64_t start_s, std::int64_t end_s) const {
    return usable_ - planned_.max_used(0, start_s, end_s);
  }
  [[nodiscard]] bool fits(std::int64_t start_s, std::int64_t end_s, std::int64_t units) const {
    return units <= usable_ && units <= free(start_s, end_s);
  }
  // The earliest start from `from_s` on, below `horizon_s`.
  [[nodiscard]] std::optional<std::int64_t> earliest(std::int64_t from_s, std::int64_t duration_s,
                                                     std::int64_t horizon_s,
                                                     std::int64_t units) const;
  // The earliest start in [now_s, start_s) of a job that has its units from start_s on, for the
  // same time. REQUIRES that now_s never decreases.
  [[nodiscard]] std::optional<std::int64_t> earlier(std::int64_t now_s, std::int64_t start_s,
                                                    std::int64_t duration_s, std::int64_t units);
  // Whether the same is in use at all times.
  [[nodiscard]] bool operator==(const UnitCounts& other) const;
  // The first later start from which on more may be free than at all times of this one; INT64_MAX:
  // there is none.
  [[nodiscard]] std::int64_t more_from(std::int64_t start_s, std::int64_t end_s) const;

 private:
  void freed(std::int64_t from_s, std::int64_t until_s, std::int64_t units);
  [[nodiscard]] std::optional<std::int64_t> whole_fit(const RunBounds::Part& part,
                                                      std::int64_t now_s, std::int64_t duration_s,
                                                      std::int64_t units) const;

  Planner planned_{1};
  std::int64_t usable_ = 0;
  RunBounds bounds_;
};

}  // namespace copse::queue
