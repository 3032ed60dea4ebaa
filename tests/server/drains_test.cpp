// SPDX-License-Identifier: Apache-2.0
//
// Drained nodes of a service: by name, rack and rank; why, who and when; that to be drained and to be
// down are two things; and that all of it is the same after a crash.
#include "server/drains/drain_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string_view>

#include "job_desk.hpp"
#include "server/jobs/journal_parts.hpp"

namespace copse::server {
namespace {

class Drained : public JobDesk {
 protected:
  std::string drain(std::string_view members) {
    return ask_as({Role::operate, "op"}, fmt::format(R"({{"op": "drain", {}}})", members));
  }
  std::string undrain(std::string_view members) {
    return ask(fmt::format(R"({{"op": "undrain", {}}})", members));
  }
  std::string set(std::string_view op, int rank) {
    return ask(fmt::format(R"({{"op": "{}", "ranks": "{}"}})", op, rank));
  }
  std::string list() { return ask(R"({"op": "drains"})"); }
};

TEST_F(Drained, NodesThatAreDownAreListedBesideThem) {
  EXPECT_EQ(drain(R"("nodes": "n[0-1]")"), "{}");
  EXPECT_EQ(set("down", 1), "{}");
  EXPECT_EQ(set("down", 3), "{}");
  EXPECT_NE(list().find(R"("nodes": "n[0-1]", )"), std::string::npos) << list();
  EXPECT_TRUE(list().ends_with(R"(], "down": "n[1,3]"})")) << list();
  EXPECT_EQ(set("up", 1), "{}");
  EXPECT_TRUE(list().ends_with(R"(], "down": "n3"})")) << list();
}

// Why, who and when; and all of it after a restart and from a snapshot.
TEST_F(Drained, DownNodesHaveAReason) {
  const auto down = [&](std::string_view members) {
    return ask_as({Role::operate, "op"}, fmt::format(R"({{"op": "down", {}}})", members));
  };
  EXPECT_EQ(down(R"("nodes": "n[0-1]", "reason": "psu")"), "{}");
  now_s = 1'010;
  EXPECT_EQ(down(R"("nodes": "n1", "reason": "fan")"), "{}");
  EXPECT_EQ(down(R"("ranks": "0")"), "{}");  // it has a reason already
  const std::string both =
      R"({"drains": [], "downs": [{"nodes": "n0", "reason": "psu", "by": "op", "at": 1000}, )"
      R"({"nodes": "n1", "reason": "fan", "by": "op", "at": 1010}], "down": "n[0-1]"})";
  EXPECT_EQ(list(), both);
  restart();
  EXPECT_EQ(list(), both);
  desk.service->snapshot();
  restart();
  EXPECT_EQ(list(), both);
  const std::string status = ask(R"({"op": "status"})");
  EXPECT_NE(status.find(R"({"reason": "psu", "nodelist": "n0"})"), std::string::npos) << status;
  submit(1, "slot=3/node{x}", 50);
  EXPECT_NE(state(1), "running");
  EXPECT_EQ(ask(R"({"op": "up", "nodes": "n[0-1]"})"), "{}");
  EXPECT_EQ(list(), R"({"drains": []})");
  EXPECT_EQ(state(1), "running");
  EXPECT_NE(down(R"("nodes": "n9")").find("the machine has no node"), std::string::npos);
  EXPECT_NE(down(R"("reason": "x")").find("no member"), std::string::npos);
  EXPECT_NE(ask_as({Role::user, "ada"}, R"({"op": "down", "nodes": "n0"})").find("forbidden"),
            std::string::npos);
}

TEST_F(Drained, IsListedWithItsReason) {
  EXPECT_EQ(drain(R"("nodes": "n[0-1]", "reason": "new fans")"), "{}");
  now_s = 1'010;
  EXPECT_EQ(drain(R"("ranks": "3")"), "{}");
  const std::string both =
      R"({"drains": [{"nodes": "n[0-1]", "reason": "new fans", "by": "op", "at": 1000}, )"
      R"({"nodes": "n3", "reason": "", "by": "op", "at": 1010}]})";
  EXPECT_EQ(list(), both);
  EXPECT_EQ(drain(R"("nodes": "n0")"), "{}");  // it has a reason already
  EXPECT_EQ(list(), both);
  restart();
  EXPECT_EQ(list(), both);
  desk.service->snapshot();
  restart();
  EXPECT_EQ(list(), both);
  EXPECT_EQ(undrain(R"("ranks": "all")"), R"({"nodes": "n[0-1,3]"})");
  EXPECT_EQ(list(), R"({"drains": []})");
  restart();
  EXPECT_EQ(list(), R"({"drains": []})");
}

TEST_F(Drained, GetsNoJobs) {
  (void)drain(R"("nodes": "n[0-2]")");
  submit(1, "slot=2/node{x}", 50);
  EXPECT_NE(state(1), "running");
  (void)undrain(R"("nodes": "n2")");
  EXPECT_EQ(state(1), "running");
}

TEST_F(Drained, IsNotDown) {
  (void)set("down", 0);
  (void)drain(R"("ranks": "all")");
  (void)set("down", 1);
  restart();
  EXPECT_EQ(undrain(R"("ranks": "all")"), R"({"nodes": "n[0-3]", "down": "n[0-1]"})");
  submit(1, "slot=2/node{x}", 500);
  submit(2, "slot=1/node{x}", 500);
  EXPECT_EQ(state(1), "running");
  EXPECT_NE(state(2), "running");
  EXPECT_EQ(undrain(R"("nodes": "n0")"), R"({"nodes": "", "down": "n0"})");
  EXPECT_NE(state(2), "running");
  (void)drain(R"("nodes": "n0")");
  (void)set("up", 0);
  EXPECT_NE(state(2), "running");  // it is drained
  EXPECT_EQ(undrain(R"("nodes": "n0")"), R"({"nodes": "n0"})");
  EXPECT_EQ(state(2), "running");
}

TEST_F(Drained, RefusesWhatIsNoNode) {
  for (const auto& [members, why] :
       std::map<std::string_view, std::string_view>{{R"("nodes": "n9")", "the machine has no node"},
                                                    {R"("nodes": "core0")", "contains no nodes"},
                                                    {R"("reason": "x")", "neither"},
                                                    {R"("nodes": "n0", "ranks": "0")", "either"},
                                                    {R"("nodes": "")", "names no node"}}) {
    const std::string refused = drain(members);
    EXPECT_NE(refused.find("error"), std::string::npos) << refused;
    EXPECT_NE(refused.find(why), std::string::npos) << refused;
  }
  EXPECT_NE(drain(fmt::format(R"("nodes": "n0", "reason": "{}")", std::string(1025, 'x')))
                .find("the limit is 1024"),
            std::string::npos);
  EXPECT_EQ(list(), R"({"drains": []})");
}

TEST_F(Drained, UsersDoNot) {
  EXPECT_NE(ask_as({Role::user, "ada"}, R"({"op": "drain", "nodes": "n0"})").find("forbidden"),
            std::string::npos);
  EXPECT_EQ(ask_as({Role::guest, "eve"}, R"({"op": "drains"})"), R"({"drains": []})");
}

TEST(DrainTableTest, ReadsWhatItWrote) {
  DrainTable table, again;
  table.put(
      {.path = "/c/n0", .node = "n0", .reason = "a \"b\"", .by = "ada", .at = 7, .down = true});
  table.put({.path = "/c/n1", .node = "n1", .by = "ada", .at = 8});
  table.remove("/c/n1");
  table.put({.path = "/c/n1", .node = "n1", .reason = "psu", .by = "ada", .at = 9},
            DrainTable::Kind::set_down);
  table.put({.path = "/c/n2", .node = "n2", .by = "ada", .at = 9}, DrainTable::Kind::set_down);
  table.remove("/c/n2", DrainTable::Kind::set_down);
  ASSERT_TRUE(again.apply(table.take_lines()));
  EXPECT_EQ(again.rows(), table.rows());
  EXPECT_EQ(again.rows(DrainTable::Kind::set_down), table.rows(DrainTable::Kind::set_down));
  ASSERT_TRUE(DrainTable().apply(table.state()));
  for (const std::string_view wrong :
       {"{}", "[]", "x", R"({"drain": "/c/n0"})", R"({"drain": "/c/n0", "at": "x"})"}) {
    const auto refused = again.apply(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_NE(refused.error().message().find("line 1 about drained nodes"), std::string::npos);
  }
}

TEST(DrainTableTest, IsAPartOfRecords) {
  const JournalParts parts{.jobs = "j\n", .engine = "e", .reservations = "r\n", .drains = "d\n"};
  const std::string bytes = join_parts(parts);
  const auto read = split_parts(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->drains, "d\n");
  EXPECT_EQ(read->reservations, "r\n");
  EXPECT_EQ(read->jobs, "j\n");
  EXPECT_EQ(read->engine, "e");
  EXPECT_FALSE(split_parts(std::string_view("\0\0\0\0d", 5)));
}

}  // namespace
}  // namespace copse::server
