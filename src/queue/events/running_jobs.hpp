// SPDX-License-Identifier: Apache-2.0
//
// RunningJobs: events of running jobs. JobQueue documents each event and its errors.
#pragma once

#include <cstdint>
#include <span>

#include "queue/queue_parts.hpp"

namespace copse::queue {

inline constexpr std::int64_t kOverrun_s = 60;

class RunningJobs {
 public:
  explicit RunningJobs(QueueParts& parts) : p_(parts) {}
  [[nodiscard]] Result<void> ended(JobId id, std::int64_t at_s);
  [[nodiscard]] Result<bool> ended_part(JobId id, std::span<const PoolId> pools);
  [[nodiscard]] Result<void> set_end(JobId id, std::int64_t end_s);
  // REQUIRES that the engine has its grant, and that it is in the table, in state waiting.
  void adopted(Slot slot);
  // Jobs that should have ended by then keep their resources.
  void overrun(std::int64_t now_s);

 private:
  [[nodiscard]] Result<void> run_until(Slot slot, std::int64_t end_s, bool may_drop_promises);
  [[nodiscard]] bool overdrawn(Slot slot, std::int64_t old_s, std::int64_t end_s) const;

  QueueParts& p_;
};

}  // namespace copse::queue
