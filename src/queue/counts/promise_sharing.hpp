// SPDX-License-Identifier: Apache-2.0
//
// PromiseSharing: all promises choose their groups of nodes again, so that one more job starts at a
// certain time (NodeSharing). No start changes.
//
// A pass has a budget, because an attempt costs O(promises): kPromisesMax promises choose again, each
// as often as it does.
#pragma once

#include <cstdint>
#include <optional>

#include "queue/counts/counted_jobs.hpp"
#include "queue/job_table.hpp"

namespace copse::queue {

class PromiseSharing {
 public:
  static constexpr std::uint64_t kPromisesMax = 65'536;

  // The job that wants to start; it may have a promise, which is not in the counts meanwhile.
  struct Wish {
    std::int64_t start_s = 0, end_s = 0;
    Slot slot = kNoSlot;
  };

  void begin_pass() { left_ = kPromisesMax; }
  // What the job gets; nullopt: no other groups were found for all. REQUIRES that promises are
  // counted.
  std::optional<CountedUse> share_out(JobTable& jobs, CountedJobs& counted, const DuePromises& due,
                                      const Wish& wish);
  // How often promises took other groups.
  [[nodiscard]] std::uint64_t times() const { return times_; }

 private:
  std::uint64_t left_ = kPromisesMax;
  std::uint64_t times_ = 0;
};

}  // namespace copse::queue
