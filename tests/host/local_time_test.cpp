// SPDX-License-Identifier: Apache-2.0
#include "host/clock/local_time.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <string>

namespace copse {
namespace {

constexpr std::int64_t kNoon_s = 1'763'812'800;  // 2025-11-22T12:00:00Z

class Zone {
 public:
  explicit Zone(const char* zone) {
    if (const char* old = std::getenv("TZ")) old_ = old;
    set(zone);
  }
  ~Zone() { set(old_.c_str()); }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

 private:
  static void set(const char* zone) {
    setenv("TZ", zone, 1);
    tzset();
  }
  std::string old_ = "UTC0";
};

TEST(LocalTime, TimesAreInTheZoneOfTheReader) {
  {
    const Zone zone("UTC0");
    EXPECT_EQ(local_time_text(kNoon_s), "2025-11-22T12:00:00Z");
  }
  const Zone zone("XXX-5:30");
  EXPECT_EQ(local_time_text(kNoon_s), "2025-11-22T17:30:00+05:30");
  EXPECT_EQ(local_clock(kNoon_s, kNoon_s - 3600), "17:30");
  EXPECT_EQ(local_clock(kNoon_s, kNoon_s - 86'400), "2025-11-22 17:30");
  EXPECT_EQ(in_local_zone("job 1 until 2025-11-22T12:00:00Z (promised)"),
            "job 1 until 2025-11-22T17:30:00+05:30 (promised)");
}

TEST(LocalTime, OtherClocksAndOtherTextsStay) {
  const Zone zone("XXX+3");
  EXPECT_EQ(local_time_text(3600), "3,600 s");
  EXPECT_EQ(local_clock(3600, 0), "3,600 s");
  EXPECT_EQ(local_time_text(kNoon_s), "2025-11-22T09:00:00-03:00");
  EXPECT_EQ(in_local_zone("2025-11-22T12:00:00+01:00 2025-99-22T12:00:00Z"),
            "2025-11-22T12:00:00+01:00 2025-99-22T12:00:00Z");
}

}  // namespace
}  // namespace copse
