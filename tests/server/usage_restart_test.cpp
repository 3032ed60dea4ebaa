// SPDX-License-Identifier: Apache-2.0
//
// What users have used survives a restart: shares of ended jobs, and grants outside the queues.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "job_desk.hpp"
#include "server/jobs/journal_parts.hpp"
#include "server/jobs/usage_table.hpp"
#include "user_grants.hpp"

namespace copse::server {
namespace {

class UsageRestart : public JobDesk {
 protected:
  // Nodes n0 to n3 of 4 cores; fair share, halved every day.
  void begin() {
    desk.rules.rule = *queue::find_priority_rule("fair-share");
    desk.rules.rule.half_life_s = 86'400;
    desk.rules.grants = wide_grant_bounds();
    desk.restart();
    ASSERT_EQ(desk.error, "");
  }
  std::string of_user(int id, std::string_view user) {
    return submit(id, "slot=4/node", 6000, fmt::format(R"(, "user": "{}")", user));
  }
  // Jobs in the order in which they start, one after the other.
  std::vector<int> starts(const std::vector<int>& ids) {
    std::vector<int> out;
    for (std::size_t n = 0; n < ids.size(); ++n) {
      for (const int id : ids) {
        if (state(id) != "running") continue;
        out.push_back(id);
        now_s += 10;
        (void)of("end", id);
        break;
      }
    }
    return out;
  }
  // Games has used the machine, and mail has not.
  void check_order(bool snapshot) {
    begin();
    EXPECT_EQ(of_user(1, "games"), R"({"id": 1})");
    EXPECT_EQ(state(1), "running");
    now_s += 600;
    EXPECT_EQ(of("end", 1), "{}");
    (void)of_user(2, "other");
    for (const int id : {3, 4}) (void)of_user(id, "games");
    for (const int id : {5, 6}) (void)of_user(id, "mail");
    if (snapshot) desk.service->snapshot();
    const std::string before = usage();
    EXPECT_NE(before.find(R"("user": "games"})"), std::string::npos) << before;
    restart();
    ASSERT_EQ(desk.error, "");
    EXPECT_EQ(usage(), before);
    (void)of("end", 2);
    EXPECT_EQ(starts({3, 4, 5, 6}), (std::vector{5, 6, 3, 4}));
  }
  std::string usage() const {
    const std::string saved = desk.service->saver()();
    return std::string(split_parts(saved)->usage);
  }
};

// 16 cores for 600 s, halved after a day.
TEST_F(UsageRestart, UsageIsListed) {
  begin();
  EXPECT_EQ(ask(R"({"op": "usage"})"), R"({"users": []})");
  (void)of_user(1, "ada");
  (void)of_user(2, "bo");
  now_s += 600;
  EXPECT_EQ(of("end", 1), "{}");
  EXPECT_EQ(ask(R"({"op": "usage"})"),
            R"({"users": [{"user": "ada", "core_seconds": 9576, "part": 1.0000, "share": 0.5000, )"
            R"("fair_share": 0.2500}, {"user": "bo", "core_seconds": 0, "part": 0.0000, )"
            R"("share": 0.5000, "fair_share": 1.0000}]})");
}

TEST_F(UsageRestart, UsageOfOthersIsHiddenWhereJobsArePrivate) {
  desk.rules.private_jobs = true;
  begin();
  (void)of_user(1, "ada");
  (void)of_user(2, "bo");
  const auto listed = [&](const Caller& caller) { return ask_as(caller, R"({"op": "usage"})"); };
  EXPECT_TRUE(listed({Role::operate, "op"}).contains(R"("user": "ada")"));
  EXPECT_TRUE(listed({Role::user, "bo"}).contains(R"("user": "bo")"));
  EXPECT_FALSE(listed({Role::user, "bo"}).contains("ada"));
  EXPECT_EQ(listed({Role::guest, "ada"}), R"({"users": []})");
}

TEST_F(UsageRestart, TheOrderOfTheQueueIsTheSame) { check_order(false); }
TEST_F(UsageRestart, TheOrderOfTheQueueIsTheSameAfterASnapshot) { check_order(true); }

TEST_F(UsageRestart, WhatRunsIsCountedOnce) {
  begin();
  EXPECT_EQ(of_user(1, "ada"), R"({"id": 1})");
  EXPECT_EQ(state(1), "running");
  now_s += 300;
  (void)submit(2, "slot=1/core", 600, R"(, "user": "ada")");  // waits: its start is the next event
  restart();
  now_s += 300;
  (void)of("end", 1);
  // 16 cores for 600 s, halved every day, of which 300 s were before the restart.
  const std::string text = usage();
  const auto at = text.find(R"({"usage": )");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_NEAR(std::stod(text.substr(at + 10)), 16 * 600, 40) << text;
}

TEST_F(UsageRestart, GrantsOutsideTheQueuesGoOnCounting) {
  desk.rules.running_limits = {{.user = "*", .most = {std::nullopt, 6}}};
  begin();
  const Caller ada{Role::user, "ada"};
  const std::string four = R"({"op": "alloc", "shape": "slot=4/core", "duration": 5000})";
  const std::string grant = ask_as(ada, four);
  ASSERT_TRUE(grant.starts_with(R"({"id": )")) << grant;
  EXPECT_NE(ask_as(ada, four).find("limit"), std::string::npos);
  for (const bool snapshot : {false, true}) {
    if (snapshot) desk.service->snapshot();
    restart();
    ASSERT_EQ(desk.error, "");
    EXPECT_NE(ask_as(ada, four).find("limit"), std::string::npos);
  }
  const std::string id = grant.substr(7, grant.find_first_of(",}") - 7);
  (void)ask_as(ada, R"({"op": "free", "id": )" + id + "}");
  EXPECT_EQ(usage().find("\"grant\""), std::string::npos) << usage();
  restart();
  EXPECT_TRUE(ask_as(ada, four).starts_with(R"({"id": )"));
}

TEST_F(UsageRestart, AClockThatIsSetBackTakesTheUsageAlong) {
  begin();
  now_s = 100'000;
  (void)of_user(1, "games");
  now_s += 600;
  (void)of("end", 1);
  desk.clock_back_to_s = 50'000;
  restart();
  ASSERT_EQ(desk.error, "");
  EXPECT_EQ(usage().find(R"("at": 100)"), std::string::npos) << usage();
  EXPECT_NE(usage().find(R"("at": 50000, "user": "games")"), std::string::npos) << usage();
}

TEST(UsageTableTest, ReadsWhatItWrote) {
  UsageTable table, again;
  const queue::KeptUsage rows{
      .users = {{"ada", {7200.5, 17}}, {"", {1e300, 3}}},
      .all = queue::Priorities::Used{0.1, 18},
      .grants = {{.id = 9, .user = "ada", .cores = 1.5, .size = {1, 2, 0, 1}},
                 {.id = 10, .user = "bo", .cores = 1, .size = {0, 1, 0, 1}}}};
  std::string lines = table.put(rows);
  lines += table.put({.grants = {{.id = 9, .ended = true}, {.id = 11, .ended = true}}});
  lines += table.put({.priorities = {{8, 5}}});
  queue::KeptUsage all{.priorities = {{7, 1'000'000}}, .prioritized_s = 300};
  for (JobId id = 1'000; id < 3'000; ++id) {
    all.priorities.emplace_back(id, -static_cast<std::int64_t>(id));
  }
  lines += table.put(all);
  ASSERT_TRUE(again.apply(lines));
  EXPECT_EQ(again.state(), table.state());
  UsageTable third;
  ASSERT_TRUE(third.apply(table.state()));
  EXPECT_EQ(third.state(), table.state());
  ASSERT_EQ(third.rows().grants.size(), 1U);
  EXPECT_EQ(third.priority_of(7), 1'000'000);
  EXPECT_EQ(third.priority_of(8), std::nullopt);  // computed before all were
  EXPECT_EQ(third.priority_of(2'500), -2'500);
  EXPECT_EQ(third.rows().prioritized_s, 300);
  third.keep_priorities([](JobId id) { return id == 2'500; });
  EXPECT_EQ(third.priority_of(7), std::nullopt);
  EXPECT_EQ(third.priority_of(2'500), -2'500);
  EXPECT_EQ(third.rows().grants[0].id, 10U);
  EXPECT_EQ(third.rows().users[1].used, (queue::Priorities::Used{1e300, 3}));
  for (const std::string_view wrong :
       {"{}", "[]", "x", R"({"usage": -1, "at": 1})", R"({"usage": "1", "at": 1})",
        R"({"usage": 1e400, "at": 1})", R"({"usage": 1, "at": -1})", R"({"usage": 1})",
        R"({"grant": 1, "user": "a", "cores": 1, "size": [1, 2, 3]})",
        R"({"grant": 1, "user": "a", "cores": 1, "size": [1, 2, 3, -4]})",
        R"({"grant": 1, "user": "a", "size": [1, 2, 3, 4]})", R"({"priorities": [[1]]})",
        R"({"priorities": [[0, 1]]})", R"({"priorities": [1]})",
        R"({"priorities": [], "at": 9007199254740993})"}) {
    const auto refused = again.apply(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_NE(refused.error().message().find("line 1 about usage"), std::string::npos);
  }
}

TEST(UsageTableTest, IsAPartOfRecords) {
  const JournalParts parts{.jobs = "j\n", .engine = "e", .drains = "d\n", .usage = "u\n"};
  const std::string bytes = join_parts(parts);
  const auto read = split_parts(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->usage, "u\n");
  EXPECT_EQ(read->drains, "d\n");
  EXPECT_EQ(read->jobs, "j\n");
  EXPECT_EQ(read->engine, "e");
  EXPECT_FALSE(split_parts(std::string_view("\0\0\0\0\0u", 6)));
}

}  // namespace
}  // namespace copse::server
