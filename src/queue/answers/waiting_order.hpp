// SPDX-License-Identifier: Apache-2.0
//
// WaitingOrder: the waiting jobs, in the order of the queues and of the jobs in each, read
// piecewise.
//
// The queue may change between calls. A job that has left its position by the end of the reading is
// left out. A job that arrived before a position that was already read is missing.
//
// Cost: 24 bytes and O(1) per waiting job; O(log waiting) per call.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "queue/queue_table.hpp"

namespace copse::queue {

class WaitingOrder {
 public:
  struct Read {
    QueuePosition position;
    Slot slot = kNoSlot;
    std::uint16_t waiting_queue = 0;
  };

  // REQUIRES that the queues exist until the reading is done.
  explicit WaitingOrder(const QueueTable& queues) : queues_(queues) {}
  // Continues; returns true if all are read. REQUIRES that it returned false so far.
  bool read(WorkBudget& budget);
  // Each as it was when it was read.
  [[nodiscard]] const std::vector<Read>& all() const { return all_; }

 private:
  const QueueTable& queues_;
  std::size_t queue_number_ = 0;
  std::optional<Waiter> last_{};  // the last one read of this queue
  std::vector<Read> all_;
};

}  // namespace copse::queue
