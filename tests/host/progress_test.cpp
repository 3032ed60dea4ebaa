// SPDX-License-Identifier: Apache-2.0
//
// The line with the progress of a long step.
#include <gtest/gtest.h>

#include <cstdlib>

#include "host/progress.hpp"

namespace copse {
namespace {

using std::chrono::milliseconds;

// The output for a step that is at 1 of 2 at these times, in milliseconds.
std::string written(bool terminal, std::initializer_list<int> times, std::uint64_t all = 2) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* stream = ::open_memstream(&text, &size);
  const Progress::Clock::time_point begin{};
  {
    Progress progress("loading m", stream, terminal, begin);
    for (const int ms : times) progress.at(1, all, begin + milliseconds(ms));
  }
  std::fclose(stream);
  std::string out(text, size);
  std::free(text);
  return out;
}

TEST(Progress, IsSilentWhereNobodyWatchesOrItIsQuick) {
  EXPECT_EQ(written(false, {0, 600, 9'000}), "");
  EXPECT_EQ(written(true, {}), "");
  EXPECT_EQ(written(true, {0, 100, 499}), "");
}

TEST(Progress, ShowsALineAtMostTenTimesASecondAndTakesItAway) {
  EXPECT_EQ(written(true, {500, 599, 600}), "\rloading m … 50 %\rloading m … 50 %\r\033[2K");
  EXPECT_EQ(written(true, {700}, 0), "\rloading m …\r\033[2K");
}

TEST(Progress, SaysHowLongItTakesFromTwoSecondsOn) {
  EXPECT_EQ(written(true, {1'999}), "\rloading m … 50 %\r\033[2K");
  EXPECT_EQ(written(true, {3'000}), "\rloading m … 50 %, about 3 s left  \r\033[2K");
  EXPECT_EQ(written(true, {3'000}, 1), "\rloading m … 100 %\r\033[2K");
}

}  // namespace
}  // namespace copse
