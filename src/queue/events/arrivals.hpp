// SPDX-License-Identifier: Apache-2.0
//
// Arrivals: jobs enter a queue: they are submitted, run already, or continue from a former queue. JobQueue
// documents each event and its errors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "queue/events/submission.hpp"
#include "queue/queue_parts.hpp"

namespace copse::queue {

class Arrivals {
 public:
  explicit Arrivals(QueueParts& parts) : p_(parts) {}
  [[nodiscard]] Result<std::optional<Error>> submit(const Submission& job);
  [[nodiscard]] Result<void> adopt(const Adoption& running);
  [[nodiscard]] Result<void> resume(std::span<const Resumption> jobs);

 private:
  // Errors: as submit().
  [[nodiscard]] Result<const QueueTable::Entry*> queue_of(const Submission& job) const;
  [[nodiscard]] Result<const QueueTable::Entry*> queue_of_new(
      const Submission& job) const;  // it has no grant yet
  [[nodiscard]] std::uint32_t find_kind(const Submission& job, std::uint16_t queue);
  [[nodiscard]] std::uint32_t kind_of(const Submission& job, const QueueTable::Entry& queue);
  [[nodiscard]] Slot enter(const Submission& job, const QueueTable::Entry& queue,
                           std::uint32_t kind, std::uint32_t reservation);

  QueueParts& p_;
};

// 0 is without end.
[[nodiscard]] std::int64_t requested_duration(std::int64_t duration_s);

}  // namespace copse::queue
