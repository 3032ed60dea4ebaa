// SPDX-License-Identifier: Apache-2.0
//
// Lines of journals that earlier versions wrote, with the names that their members had then.
#include <gtest/gtest.h>

#include <string>

#include "server/drains/drain_table.hpp"
#include "server/jobs/job_row_table.hpp"
#include "server/reservations/reservation_row_table.hpp"
#include "server/rights/client_line.hpp"

namespace copse::server {
namespace {

TEST(OldJournal, Drains) {
  DrainTable table;
  ASSERT_TRUE(table.apply(R"({"drain": "/c/n0", "node": "n0", "by": "ada", "at": 7})"));
  ASSERT_NE(table.find("/c/n0"), nullptr);
  ASSERT_TRUE(table.apply(R"({"drain": "/c/n0", "over": true})"));
  EXPECT_EQ(table.find("/c/n0"), nullptr);
  EXPECT_EQ(table.state(), "");
}

TEST(OldJournal, Reservations) {
  ReservationRowTable table;
  ASSERT_TRUE(
      table.apply(R"({"reservation": "a", "number": 1, "by": "ada", "at": 17, )"
                  R"("asked": "{\"name\": \"a\"}", "booked": [{"start": 20, "nodes": "n0"}]})"));
  const ReservationRow* row = table.find("a");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->request, R"({"name": "a"})");
  ASSERT_EQ(row->booked.size(), 1U);
  EXPECT_NE(table.state().find(R"("request": )"), std::string::npos) << table.state();
  ASSERT_TRUE(table.apply(R"({"reservation": "a", "over": true})"));
  EXPECT_EQ(table.find("a"), nullptr);
}

TEST(OldJournal, Clients) {
  const auto grant = read_client_line(R"({"grant": 7, "owner": "ada", "asked": "9f86"})");
  ASSERT_TRUE(grant.has_value()) << grant.error().message();
  EXPECT_EQ(grant->request_digest, "9f86");
  const auto answer = read_client_line(
      R"({"once": "KEY", "owner": "ada", "asked": "9f86", "at": 17, "answer": "{}"})");
  ASSERT_TRUE(answer.has_value()) << answer.error().message();
  EXPECT_EQ(answer->idempotency_key, "KEY");
  EXPECT_EQ(answer->request_digest, "9f86");
  EXPECT_EQ(answer->answer, "{}");
}

TEST(OldJournal, Jobs) {
  JobRowTable table({});
  ASSERT_TRUE(
      table.load(R"({"seq": 4, "t": 0, "event": "state", "job": 8})"
                 "\n"
                 R"({"job": 7, "state": "ended", "ran": {"nodes": [["n0", 256]]}, "started": 5, )"
                 R"("ended": 9, "result": "done"})"
                 "\n"));
  const JobRow* row = table.find(7);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->placement, R"({"nodes": [["n0", 256]]})");
  EXPECT_NE(table.saver()().find(R"("placement": {"nodes")"), std::string::npos);
}

}  // namespace
}  // namespace copse::server
