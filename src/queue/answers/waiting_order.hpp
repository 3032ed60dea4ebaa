// SPDX-License-Identifier: Apache-2.0
//
// WaitingOrder: who waits, in the order of the lines and of each line, read in budgets.
//
// The queue may go on between budgets: who has left its place by the end of the reading is left out,
// and who came before a place that was read already is missing.
//
// Cost: 24 bytes and O(1) a waiting job; O(log waiting) a budget.
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

  // REQUIRES that the lines live until it is read.
  explicit WaitingOrder(const QueueTable& queues) : queues_(queues) {}
  // Goes on; true if all are read. REQUIRES that it returned false so far.
  bool read(WorkBudget& budget);
  // As they stood when each was read.
  [[nodiscard]] const std::vector<Read>& all() const { return all_; }

 private:
  const QueueTable& queues_;
  std::size_t queue_number_ = 0;
  std::optional<Waiter> last_{};  // that was read of this waiting_queue
  std::vector<Read> all_;
};

}  // namespace copse::queue
