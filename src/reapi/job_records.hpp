// SPDX-License-Identifier: Apache-2.0
//
// JobRecords: what a context of Fluxion's C API remembers of its jobs.
//
// Clients may use an id again while it holds something, and any number may be an id. So an id is not
// the number of a grant: it has one or several.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "copse/engine.hpp"

namespace copse::reapi {

struct JobRecord {
  enum class State : std::uint8_t { allocated, reserved, canceled } state = State::allocated;
  std::int64_t at_s = 0;
  double overhead_s = 0;
  std::vector<JobId> grants{};
};

class JobRecords {
 public:
  // A number for the next grant of this id: its own, if nobody has it. O(log jobs).
  [[nodiscard]] JobId grant_number(const Engine& engine, std::uint64_t id);
  // It was granted something under that number.
  void add(std::uint64_t id, JobId grant, std::int64_t at_s, bool reserved, double overhead_s);

  [[nodiscard]] const JobRecord* find(std::uint64_t id) const;   // nullptr: never granted anything
  [[nodiscard]] const JobRecord* alive(std::uint64_t id) const;  // nullptr: it holds nothing
  void cancel(std::uint64_t id);                                 // REQUIRES alive()

 private:
  std::map<std::uint64_t, JobRecord> jobs_;
  JobId next_further_ = JobId{1} << 62;  // of grants that do not have their job's number
};

}  // namespace copse::reapi
