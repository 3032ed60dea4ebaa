// SPDX-License-Identifier: Apache-2.0
#include "base/duration.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

namespace copse {
namespace {

TEST(Duration, IsReadAsPeopleWriteIt) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 32> kVectors{{
      {"0", 0},
      {"90", 90},
      {"007", 7},
      {"1.5", 2},  // a part of a second counts as one second
      {"500ms", 1},
      {"0ms", 0},
      {"1000ms", 1},
      {"90s", 90},
      {"10m", 600},
      {"1.5h", 5400},
      {"0.1h", 360},
      {"0.3h", 1080},
      {"1.0000000000h", 3600},
      {"1.0000000001h", 3601},
      {"2d", 172'800},
      {"0.5d", 43'200},
      {"1h30m", 5400},
      {"1d12h", 129'600},
      {"1d1ms", 86'401},
      {"10:00", 600},
      {"90:00", 5400},
      {"0:05", 5},
      {"01:00:00", 3600},
      {"100:00:01", 360'001},
      {"1-12", 129'600},
      {"1-12:30", 131'400},
      {"1-12:00:00", 129'600},
      {"0-00:00:01", 1},
      {"inf", kEndless_s},
      {"Infinity", kEndless_s},
      {"UNLIMITED", kEndless_s},
      {"9223372036854775", 9'223'372'036'854'775},
  }};
  for (const auto& [text, seconds] : kVectors) {
    const auto read = parse_duration(text);
    ASSERT_TRUE(read) << text << ": " << read.error().message();
    EXPECT_EQ(*read, seconds) << text;
  }
}

TEST(Duration, IsRefused) {
  for (const std::string_view text :
       {"",        " ",      " 5",   "5 ",    "-5",     "+5",        "5x",           "5M",
        "h",       ".5h",    "5.",   "5.h",   "1.5.5",  "30m1h",     "1h1h",         "1h30",
        "1.5h30m", "1h1.5m", ":",    "1:",    ":1",     "1:60",      "1:60:00",      "1:00:60",
        "1:2:3:4", "1-",     "-1",   "1-24",  "1-2:60", "1-2:3:4:5", "1-2-3",        "1:2-3",
        "1.5:00",  "1e3",    "0x10", "1h:00", "five",   "10 m",      "infinite time"}) {
    const auto read = parse_duration(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::invalid);
    EXPECT_TRUE(read.error().text.starts_with('"' + std::string(text) + "\" is not a duration"))
        << read.error().text;
  }
  EXPECT_FALSE(parse_duration(std::string(65, '1')));
  for (const std::string_view text :
       {"9223372036854776", "99999999999999999999", "106751991168d", "106751991168-00"}) {
    const auto read = parse_duration(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::limit) << text;
  }
}

TEST(Duration, IsWrittenSoThatItReadsBack) {
  EXPECT_EQ(duration_text(0), "00:00:00");
  EXPECT_EQ(duration_text(3599), "00:59:59");
  EXPECT_EQ(duration_text(129'600), "1-12:00:00");
  EXPECT_EQ(duration_text(kEndless_s), "infinity");
  for (std::int64_t s = 0; s < 9'223'372'036'854'775 / 3; s = 3 * s + 1) {
    const auto read = parse_duration(duration_text(s));
    ASSERT_TRUE(read) << s;
    EXPECT_EQ(*read, s);
  }
}

}  // namespace
}  // namespace copse
