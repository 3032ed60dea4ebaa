// SPDX-License-Identifier: Apache-2.0
//
// QuietTime: since when nothing happens in a stream but reservations that begin and end.
//
// When only reservations without end are left, all is again as it was after a week. Who has not
// started when all times that were booked are over waits for ever.
#pragma once

#include <cstdint>
#include <optional>

#include "queue/reservation/reservation.hpp"

namespace copse::plan {

class QuietTime {
 public:
  // Until then there may be other news.
  void expect_until(std::int64_t time_s);
  // The same of a reservation, if its times have an end.
  void expect(const queue::ReservationSpec& spec);
  // Something else happens, or is to come.
  void interrupt() { since_s_.reset(); }
  // Whether it is quiet for so long that whoever waits does so for ever.
  [[nodiscard]] bool is_final(std::int64_t now_s);

 private:
  std::optional<std::int64_t> since_s_;
  std::int64_t news_until_s_ = 0;
};

}  // namespace copse::plan
