// SPDX-License-Identifier: Apache-2.0
#include "plan/run/quiet_time.hpp"

#include <algorithm>

#include "base/saturating.hpp"

namespace copse::plan {

namespace {

constexpr std::int64_t kQuietMax_s =
    (static_cast<std::int64_t>(queue::kBookedMax) + 1) * queue::kWeek_s;

// The end of its last occurrence; 0 if it repeats without end.
std::int64_t last_end_s(const queue::ReservationSpec& spec) {
  const std::int64_t first_end_s = saturating_sum(spec.start_s, spec.duration_s);
  if (spec.every_s == 0) return first_end_s;
  if (spec.count == INT64_MAX && spec.until_s == INT64_MAX) return 0;
  const std::int64_t last_s =
      saturating_sum(first_end_s, saturating_product(spec.count - 1, spec.every_s));
  return std::min(last_s, saturating_sum(spec.until_s, spec.duration_s));
}

}  // namespace

void QuietTime::expect_until(std::int64_t time_s) {
  news_until_s_ = std::max(news_until_s_, time_s);
}

void QuietTime::expect(const queue::ReservationSpec& spec) { expect_until(last_end_s(spec)); }

bool QuietTime::is_final(std::int64_t now_s) {
  if (!since_s_) since_s_ = std::max(now_s, news_until_s_);
  return now_s - *since_s_ > kQuietMax_s;
}

}  // namespace copse::plan
