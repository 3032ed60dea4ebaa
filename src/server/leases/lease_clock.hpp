// SPDX-License-Identifier: Apache-2.0
//
// LeaseClock: when leases expire. Its time advances by at most two intervals a call: while the host could
// not listen, no client could renew. A lease that is over expires at a later call, when each client that
// waited for its turn has had one: its lines may have a renewal that came in time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "server/fairness/fair_queue.hpp"
#include "server/service.hpp"

namespace copse::server {

class LeaseClock {
 public:
  // `interval_ms`: between calls of tick(), if the host is not late.
  explicit LeaseClock(std::int64_t interval_ms) : interval_ms_(interval_ms) {}

  // `now_ms`: a clock that never steps back. `now_s`: as of Service::advance.
  void tick(std::int64_t now_ms, std::int64_t now_s, Service& service, const FairQueue& turns) {
    const std::int64_t passed_ms = now_ms - last_ms_.value_or(now_ms);
    last_ms_ = now_ms;
    time_ms_ += std::clamp<std::int64_t>(passed_ms, 0, 2 * interval_ms_);
    if (!service.set_lease_time(time_ms_)) {
      over_since_.reset();
    } else if (!over_since_) {
      over_since_ = turns.next_ticket();
    } else if (turns.served(*over_since_)) {
      over_since_.reset();
      service.expire_leases(now_s);
    }
  }
  [[nodiscard]] std::int64_t time_ms() const { return time_ms_; }
  // Leases are over, and expire soon.
  [[nodiscard]] bool over() const { return over_since_.has_value(); }

 private:
  std::int64_t interval_ms_, time_ms_ = 0;
  std::optional<std::int64_t> last_ms_{};
  std::optional<FairQueue::Ticket> over_since_{};  // when leases were first seen to be over
};

}  // namespace copse::server
