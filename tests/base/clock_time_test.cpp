// SPDX-License-Identifier: Apache-2.0
#include "base/clock_time.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

namespace copse {
namespace {

// Local clocks are an hour ahead of UTC.
std::int64_t an_hour_ahead(std::int64_t as_utc_s) { return as_utc_s - 3600; }

TEST(ClockTime, IsReadAsPeopleWriteIt) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 17> kVectors{{
      {"0", 0},
      {"1795348800", 1'795'348'800},
      {"10m", 600},
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-01T01:00", 0},  // local
      {"1970-01-02", 82'800},
      {"2026-11-22T12:00:00Z", 1'795'348'800},
      {"2026-11-22T12:00Z", 1'795'348'800},
      {"2026-11-22t12:00z", 1'795'348'800},
      {"2026-11-22 12:00:00Z", 1'795'348'800},
      {"2026-11-22T12:00:30.999Z", 1'795'348'830},
      {"2026-11-22T13:00", 1'795'348'800},
      {"2026-11-22T13:00+01:00", 1'795'348'800},
      {"2026-11-22T13:00+0100", 1'795'348'800},
      {"2026-11-22T13:00+01", 1'795'348'800},
      {"2026-11-22T06:30-05:30", 1'795'348'800},
      {"2024-02-29T00:00Z", 1'709'164'800},
  }};
  for (const auto& [text, seconds] : kVectors) {
    const auto read = parse_time(text, an_hour_ahead);
    ASSERT_TRUE(read) << text << ": " << read.error().message();
    EXPECT_EQ(*read, seconds) << text;
  }
}

TEST(ClockTime, IsRefused) {
  for (const std::string_view text : {"",
                                      "noon",
                                      "inf",
                                      "-5",
                                      "2026-11-22T",
                                      "2026-11-22T12",
                                      "2026-11-22T12:",
                                      "2026-11-22T24:00",
                                      "2026-11-22T12:60",
                                      "2026-11-22T12:00:60",
                                      "2026-11-22T12:00:30.",
                                      "2026-13-22",
                                      "2026-11-31",
                                      "2023-02-29",
                                      "2026-11-22T12:00X",
                                      "2026-11-22T12:00+",
                                      "2026-11-22T12:00+1",
                                      "2026-11-22T12:00+24:00",
                                      "2026-11-22T12:00+01:00Z",
                                      "2026-11-22  12:00",
                                      "20x6-11-22",
                                      "2026-11-22Z",
                                      "1969-12-31T23:59Z",
                                      "1970-01-01T00:30"}) {
    const auto read = parse_time(text, an_hour_ahead);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::invalid) << text;
  }
}

TEST(ClockTime, IsWrittenSoThatItReadsBack) {
  EXPECT_EQ(time_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(time_text(1'795'348'830), "2026-11-22T12:00:30Z");
  EXPECT_EQ(time_text(253'402'300'800), "253402300800");
  for (std::int64_t s = 0; s < 9'223'372'036'854'775 / 3; s = 3 * s + 1) {
    const auto read = parse_time(time_text(s), an_hour_ahead);
    ASSERT_TRUE(read) << s;
    EXPECT_EQ(*read, s);
  }
}

// An hour ahead of UTC, and two from 1,000,000 s until 2,000,000 s.
std::int64_t with_a_summer(std::int64_t as_utc_s) {
  const bool summer = as_utc_s >= 1'000'000 + 2 * 3600 && as_utc_s < 2'000'000 + 2 * 3600;
  return as_utc_s - (summer ? 2 : 1) * 3600;
}

TEST(ClockTime, DaysKeepTheTimeOfDay) {
  constexpr std::int64_t kDay_s = 86'400;
  EXPECT_EQ(days_later(900'000, 1, with_a_summer), 900'000 + kDay_s);
  EXPECT_EQ(days_later(980'000, 1, with_a_summer), 980'000 + kDay_s - 3600);
  EXPECT_EQ(days_later(980'000, 20, with_a_summer), 980'000 + 20 * kDay_s);
  EXPECT_EQ(days_later(1'500'000, 7, with_a_summer), 1'500'000 + 7 * kDay_s + 3600);
  EXPECT_EQ(days_later(1'500'000, 0, with_a_summer), 1'500'000);
}

}  // namespace
}  // namespace copse
