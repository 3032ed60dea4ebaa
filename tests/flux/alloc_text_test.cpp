// SPDX-License-Identifier: Apache-2.0
#include "flux/alloc_text.hpp"

#include <gtest/gtest.h>

namespace copse::flux {
namespace {

TEST(AllocText, ReadsWhatTheJobManagerSends) {
  for (int i = 0; i < 2; ++i) {
    const std::string text =
        R"({"id": 1234567890123456789, "priority": 16, "userid": 1000, "t_submit": 1795405914.25,)"
        R"( "jobspec": {"version": 1, "resources": [], "a": "}\""}, "more": [1, {"id": 3}]})";
    const auto read = read_alloc(text);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->id, 1234567890123456789U);
    EXPECT_EQ(read->priority, 16);
    EXPECT_EQ(read->userid, 1000U);
    EXPECT_EQ(read->submit_s, 1795405914.25);
    EXPECT_EQ(read->jobspec, R"({"version": 1, "resources": [], "a": "}\""})");
  }
}

TEST(AllocText, BoundsPriorities) {
  const auto read = read_alloc(
      R"({"jobspec": {}, "id": 1, "priority": -5, "userid": 4294967295, "t_submit": 7})");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->priority, 0);
  EXPECT_EQ(read->submit_s, 7);
  const auto high =
      read_alloc(R"({"jobspec": {}, "id": 1, "priority": 9e9, "userid": 0, "t_submit": 7})");
  EXPECT_FALSE(high);
  const auto highest = read_alloc(
      R"({"jobspec": {}, "id": 1, "priority": 99999999999, "userid": 0, "t_submit": 7})");
  ASSERT_TRUE(highest) << highest.error().message();
  EXPECT_EQ(highest->priority, kPriorityMax);
}

TEST(AllocText, RefusesWhatIsNoRequest) {
  for (const char* text :
       {"", "[]", "{}", R"({"id": 1})",
        R"({"id": -1, "priority": 1, "userid": 1, "t_submit": 1, "jobspec": {}})",
        R"({"id": 1, "priority": 1, "userid": "x", "t_submit": 1, "jobspec": {}})",
        R"({"id": 1, "priority": 1, "userid": 1, "t_submit": 1, "jobspec": {})"}) {
    EXPECT_FALSE(read_alloc(text)) << text;
  }
  EXPECT_TRUE(read_alloc(R"({"id": 1, "priority": 1, "userid": 1, "t_submit": 1, "jobspec": {}})"));
}

}  // namespace
}  // namespace copse::flux
