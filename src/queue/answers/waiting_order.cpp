// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/waiting_order.hpp"

namespace copse::queue {

bool WaitingOrder::read(WorkBudget& budget) {
  for (; queue_number_ < queues_.size(); ++queue_number_, last_.reset()) {
    const auto& order = queues_[queue_number_].order();
    auto at = last_ ? order.upper_bound(*last_) : order.begin();
    while (at != order.end()) {
      all_.push_back({at->position, at->slot, static_cast<std::uint16_t>(queue_number_)});
      last_ = *at++;
      if (budget.spend()) return false;
    }
  }
  return true;
}

}  // namespace copse::queue
