// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/waiting_order.hpp"

namespace copse::queue {

bool WaitingOrder::read(WorkBudget& budget) {
  for (; line_ < lines_.size(); ++line_, last_.reset()) {
    const auto& order = lines_[line_].order();
    auto at = last_ ? order.upper_bound(*last_) : order.begin();
    while (at != order.end()) {
      all_.push_back({at->position, at->slot, static_cast<std::uint16_t>(line_)});
      last_ = *at++;
      if (budget.spend()) return false;
    }
  }
  return true;
}

}  // namespace copse::queue
