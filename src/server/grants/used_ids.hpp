// SPDX-License-Identifier: Apache-2.0
//
// UsedIds: the ids that jobs and grants of a service have had, so that an automatic id is a new one.
//
//   UsedIds used;
//   used.add(7);          // chosen by a client
//   used.next();          // 1: an id that a client chooses is left out, and moves no other
//
// Ids are below 2^53: programs that read numbers as doubles distinguish these only.
//
// Invariant: next() is the smallest id that was not added, except that of more than kRangesMax
// ranges the largest are forgotten. Cost: O(log ranges). Memory: about 60 bytes a range.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "copse/ids.hpp"

namespace copse::server {

inline constexpr std::int64_t kIdEnd = std::int64_t{1} << 53;  // all ids are below

class UsedIds {
 public:
  static constexpr std::size_t kRangesMax = 100'000;

  [[nodiscard]] JobId next() const { return next_; }
  // Ids from kIdEnd on are ignored: journals of earlier versions may have some.
  void add(JobId id);
  // Those after next(), as an idset.
  [[nodiscard]] std::string text() const;
  // Adds all ids before `next`, and those of text(). A `next` above kIdEnd is ignored: an earlier
  // version continued after an id that a client had chosen. Errors: invalid.
  [[nodiscard]] Result<void> restore(JobId next, std::string_view text);

 private:
  void add_range(JobId first, JobId last);

  JobId next_ = 1;
  std::map<JobId, JobId> ranges_{};  // first and last of each, after next_
};

}  // namespace copse::server
