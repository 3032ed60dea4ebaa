// SPDX-License-Identifier: Apache-2.0
#include "base/job_id.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace copse {
namespace {

TEST(JobId, ReadsTheSpellingsOfRfc19) {
  constexpr std::uint64_t kMost = UINT64_MAX;
  const std::pair<const char*, std::uint64_t> spellings[]{
      {"0", 0},
      {"633528662", 633528662},
      {"18446744073709551615", kMost},
      {"0x0", 0},
      {"0x25c2e156", 0x25c2e156},
      {"0xFFFFFFFFFFFFFFFF", kMost},
      {"ƒ1", 0},
      {"f2", 1},
      {"ƒz", 57},
      {"ƒ21", 58},
      {"ƒxyzzy", 633528662},
      {"fjpXCZedGfVQ", kMost},
      {"0000.0000.25c2.e156", 0x25c2e156},
      {"job.0001.0000.0000.0002", 0x0001'0000'0000'0002},
  };
  for (const auto& [text, id] : spellings) EXPECT_EQ(parse_job_id(text), id) << text;
}

TEST(JobId, RefusesWhatIsNone) {
  for (const char* text : {"",
                           "-1",
                           "+1",
                           " 1",
                           "1 ",
                           "x",
                           "ƒ",
                           "f",
                           "f0",
                           "fO",
                           "fl",
                           "fjpXCZedGfVR",
                           "ff1111111111111",
                           "0x",
                           "0x-1",
                           "0xg",
                           "0x10000000000000000",
                           "18446744073709551616",
                           "1.2",
                           "job.",
                           "job.1",
                           "0000.0000.25c2",
                           "0000.0000.25c2.e15",
                           "0000-0000.25c2.e156",
                           "0000.0000.25c2.-156",
                           "0000.0000.25c2.e156.0000",
                           "academy-bermuda"}) {
    EXPECT_EQ(parse_job_id(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace copse
