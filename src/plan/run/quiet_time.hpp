// SPDX-License-Identifier: Apache-2.0
//
// QuietTime: since when no event but starts and ends of reservations has happened in a stream.
//
// When only endless reservations are left, the state repeats after a week. A job that has not
// started when all booked occurrences have ended will never start.
#pragma once

#include <cstdint>
#include <optional>

#include "queue/reservation/reservation.hpp"

namespace copse::plan {

class QuietTime {
 public:
  // Other events may happen until then.
  void expect_until(std::int64_t time_s);
  // The same for a reservation, if its occurrences have an end.
  void expect(const queue::ReservationSpec& spec);
  // Another event happens, or is to come.
  void interrupt() { since_s_.reset(); }
  // Whether it has been quiet for so long that waiting jobs will never start.
  [[nodiscard]] bool is_final(std::int64_t now_s);

 private:
  std::optional<std::int64_t> since_s_;
  std::int64_t news_until_s_ = 0;
};

}  // namespace copse::plan
