// SPDX-License-Identifier: Apache-2.0
//
// Jobs of a service, line by line: what becomes of them, what those who watch are told, and what is
// there after a restart.
#include <gtest/gtest.h>

#include <algorithm>

#include <fmt/format.h>

#include "job_desk.hpp"
#include "server/line_client.hpp"

namespace copse::server {
namespace {

constexpr std::string_view kRanksOfAll =
    R"("R_lite": [{"rank": "0-3", "children": {"core": "0-3"}}])";

class Jobs : public JobDesk {};

TEST_F(Jobs, AreSubmittedStartAndEnd) {
  EXPECT_EQ(submit(7, "slot=4/node", 100, R"(, "name": "a", "user": "ada")"), R"({"id": 7})");
  EXPECT_EQ(state(7), "running");
  EXPECT_EQ(submit(8, "slot=1/node", 100), R"({"id": 8})");
  EXPECT_EQ(state(8), "planned");
  EXPECT_NE(of("job", 8).find(R"("planned": 1100)"), std::string::npos);
  EXPECT_NE(of("job", 7).find(kRanksOfAll), std::string::npos);
  now_s = 1'050;
  EXPECT_EQ(ask(R"({"op": "end", "id": 7, "status": 3})"), "{}");
  EXPECT_EQ(state(7), "ended");
  EXPECT_NE(of("job", 7).find(R"("started": 1000, "ended": 1050, "status": 3)"), std::string::npos);
  EXPECT_EQ(state(8), "running");
  EXPECT_NE(of("end", 7).find("error"), std::string::npos);
}

TEST_F(Jobs, HaveIdsOfTheirOwn) {
  EXPECT_EQ(ask(R"({"op": "alloc", "id": 1, "shape": "slot=1/core", "duration": 9})").substr(0, 8),
            R"({"id": 1)");
  EXPECT_EQ(ask(R"({"op": "submit", "shape": "slot=1/core"})"), R"({"id": 2})");
  EXPECT_EQ(ask(R"({"op": "submit", "shape": "slot=1/core"})"), R"({"id": 3})");
  EXPECT_NE(submit(3, "slot=1/core", 1).find("there is a job 3 already"), std::string::npos);
  EXPECT_NE(submit(1, "slot=1/core", 1).find("there is a grant 1 already"), std::string::npos);
  EXPECT_NE(of("free", 2).find("2 is a job of the queue"), std::string::npos);
}

// What is on disk is lines.
TEST_F(Jobs, OfSeveralLinesAreThereAfterARestart) {
  EXPECT_EQ(ask("{\"op\": \"submit\", \"jobspec\": {\"version\": 1,\r\n \"resources\": [{\"type\": "
                "\"slot\", \"count\": 1, \"label\": \"t\",\n \"with\": [{\"type\": \"core\", "
                "\"count\": 1}]}], \"attributes\": {\"system\": {\"duration\": 60}}, \"tasks\": "
                "[{\"command\": [\"a\"], \"slot\": \"t\", \"count\": {\"per_slot\": 1}}]}}"),
            R"({"id": 1})");
  EXPECT_EQ(ask("{\"op\": \"submit\", \"shape\": \"slot=1/core\", \"constraints\": "
                "{\"hostlist\":\n[\"n2\"]}}"),
            R"({"id": 2})");
  const std::string told = events(0), job = of("job", 1);
  EXPECT_EQ(std::ranges::count(told, '\n'), 4) << told;  // two came, two started
  EXPECT_EQ(job.find('\n'), std::string::npos) << job;
  restart();
  ASSERT_EQ(desk.error, "");
  EXPECT_EQ(of("job", 1), job);
  EXPECT_EQ(state(2), "running");
}

TEST_F(Jobs, ThatCanNeverRunAreRefused) {
  EXPECT_NE(submit(1, "slot=9/node", 1).find(R"("error": "infeasible")"), std::string::npos);
  EXPECT_NE(of("job", 1).find("there is no job 1"), std::string::npos);
  EXPECT_NE(ask(R"({"op": "submit"})").find(R"(either \"shape\" or \"jobspec\")"),
            std::string::npos);
  EXPECT_NE(ask(R"({"op": "submit", "shape": "slot=1/core", "queue": "x"})").find("queue"),
            std::string::npos);
}

TEST_F(Jobs, AreHeldReleasedAndCancelled) {
  submit(1, "slot=4/node", 100, R"(, "held": true)");
  EXPECT_EQ(state(1), "pending");
  EXPECT_EQ(of("release", 1), "{}");
  EXPECT_EQ(state(1), "running");
  EXPECT_NE(of("hold", 1).find("job 1 runs already"), std::string::npos);
  submit(2, "slot=4/node", 100);
  EXPECT_EQ(state(2), "planned");
  EXPECT_EQ(of("hold", 2), "{}");
  EXPECT_EQ(state(2), "pending");
  EXPECT_EQ(of("cancel", 2), "{}");
  EXPECT_EQ(state(2), "ended");
  EXPECT_EQ(of("cancel", 1), "{}");  // its executor is to stop it
  EXPECT_EQ(state(1), "running");
  EXPECT_NE(events(0).find(R"("event": "stop", "job": 1, "stopping": true)"), std::string::npos);
  EXPECT_EQ(of("end", 1), "{}");
  EXPECT_NE(of("job", 1).find(R"("result": "cancelled")"), std::string::npos);
}

TEST_F(Jobs, OfHigherPriorityComeFirst) {
  submit(1, "slot=4/node", 100);
  submit(2, "slot=4/node", 100);
  submit(3, "slot=4/node", 100);
  EXPECT_EQ(state(2), "planned");
  EXPECT_EQ(ask(R"({"op": "priority", "id": 3, "priority": 5})"), "{}");
  EXPECT_EQ(state(2), "pending");
  EXPECT_EQ(state(3), "planned");
}

TEST_F(Jobs, EndPartByPart) {
  submit(1, "slot=4/node", 100);
  submit(2, "slot=2/node", 100);
  EXPECT_EQ(ask(R"({"op": "end", "id": 1, "ranks": "0-1"})"), "{}");
  EXPECT_EQ(state(1), "running");
  EXPECT_EQ(state(2), "running");
  EXPECT_NE(ask(R"({"op": "end", "id": 1, "ranks": "0"})").find("1 has nothing on rank 0"),
            std::string::npos);
  EXPECT_EQ(ask(R"({"op": "end", "id": 1, "ranks": "2-3"})"), "{}");
  EXPECT_EQ(state(1), "ended");
}

TEST_F(Jobs, WithALeaseAreGivenBackWhenNobodyRenewsIt) {
  submit(1, "slot=4/node", 0, R"(, "lease": 30)");
  submit(2, "slot=4/node", 10);
  now_s += 29;
  EXPECT_EQ(of("renew", 1), "{}");
  now_s += 29;
  EXPECT_EQ(state(1), "running");
  now_s += 1;
  EXPECT_EQ(state(1), "ended");
  EXPECT_NE(of("job", 1).find(R"("result": "lost")"), std::string::npos);
  EXPECT_EQ(state(2), "running");
}

// The clock of the computer may be set; that of leases never steps.
TEST_F(Jobs, HaveLeasesThatNoSettingOfTheClockEnds) {
  lease_s = 50;
  restart();
  submit(1, "slot=1/node", 0, R"(, "lease": 30)");
  submit(2, "slot=1/node", 0, R"(, "lease": 30)");
  now_s += 1'000'000;
  EXPECT_EQ(state(1), "running");
  *lease_s += 29;
  EXPECT_EQ(of("renew", 1), "{}");
  now_s -= 2'000'000;
  *lease_s += 1;
  EXPECT_EQ(state(1), "running");
  EXPECT_EQ(state(2), "ended");
  lease_s = 7;  // the computer was started again
  restart();
  EXPECT_EQ(state(1), "running");
  *lease_s += 29;
  EXPECT_EQ(state(1), "running");
  *lease_s += 1;
  EXPECT_EQ(state(1), "ended");
}

TEST_F(Jobs, WhoWatchesIsToldInOrder) {
  LineClient client(*desk.service, {});
  client.receive("{\"op\": \"watch\"}\n", now_s);
  std::string out;
  client.send(desk.service->next(), out);
  EXPECT_EQ(out, "{\"next\": 0, \"oldest\": 0, \"incarnation\": \"\"}\n");
  out.clear();
  submit(1, "slot=1/node", 100);
  client.send(0, out);
  EXPECT_EQ(out, "");  // nothing is on disk
  client.send(desk.service->next(), out);
  EXPECT_TRUE(out.starts_with(R"({"seq": 0, "t": 1000, "event": "submit", "job": 1, )")) << out;
  EXPECT_NE(out.find(R"({"seq": 1, "t": 1000, "event": "start", "job": 1, "state": "running", )"
                     R"("started": 1000, "R": {"version": 1)"),
            std::string::npos)
      << out;
  EXPECT_TRUE(client.is_watching());
}

TEST_F(Jobs, WhoWatchesTooLateIsToldSo) {
  desk.limits.events.events = 3;
  desk.restart();
  LineClient client(*desk.service, {});
  for (int id = 1; id < 4; ++id) submit(id, "slot=1/node", 100);
  client.receive("{\"op\": \"watch\", \"since\": 1}\n", now_s);
  std::string out;
  client.send(desk.service->next(), out);
  EXPECT_TRUE(out.ends_with("{\"event\": \"gone\", \"wanted\": 1, \"oldest\": 3, \"next\": 6}\n"))
      << out;
  EXPECT_FALSE(client.is_watching());
}

TEST_F(Jobs, AreThereAfterARestart) {
  submit(1, "slot=3/node", 100, R"(, "user": "ada", "name": "\"quoted\"")");
  submit(2, "slot=4/node", 50, R"(, "constraints": {"hostlist": ["n[0-3]"]})");
  submit(3, "slot=1/core", 100);
  submit(4, "slot=1/core", 10, R"(, "held": true)");
  submit(5, "slot=1/core", 10);
  ask(R"({"op": "end", "id": 5})");
  const std::string all = R"({"op": "jobs", "state": "all"})";
  for (int i = 0; i < 3; ++i) {
    const std::string jobs = ask(all), told = events(0);
    EXPECT_EQ(state(1), "running");
    EXPECT_EQ(state(2), "planned");
    restart();
    EXPECT_EQ(ask(all), jobs);
    EXPECT_EQ(events(0), told);  // also from before the state
    if (i == 1) desk.service->snapshot();
  }
  now_s += 100;
  ask(R"({"op": "end", "id": 1})");
  ask(R"({"op": "end", "id": 3})");
  EXPECT_EQ(state(2), "running");
}

TEST_F(Jobs, AreInTheAuditByTheirOperation) {
  std::string told;
  desk.service->set_audit_sink([&](const Audit& audit) { told += std::string(audit.op) + ' '; });
  submit(1, "slot=1/core", 10);
  of("cancel", 1);
  of("end", 1);
  EXPECT_EQ(told, "submit cancel end ");
}

TEST_F(Jobs, AreListedByPages) {
  for (int id = 1; id <= 5; ++id) submit(id, "slot=4/node", 10);
  const std::string two = ask(R"({"op": "jobs", "limit": 2, "after": 1})");
  EXPECT_NE(two.find(R"("id": 2)"), std::string::npos);
  EXPECT_NE(two.find(R"("id": 3)"), std::string::npos);
  EXPECT_EQ(two.find(R"("id": 4)"), std::string::npos);
  EXPECT_TRUE(two.ends_with(R"("more": true})"));
  EXPECT_NE(ask(R"({"op": "jobs", "state": "runing"})").find("did you mean \\\"running\\\""),
            std::string::npos)
      << ask(R"({"op": "jobs", "state": "runing"})");
  EXPECT_NE(ask(R"({"op": "queue"})").find(R"("discipline": "easy")"), std::string::npos);
}

TEST_F(Jobs, SayWhyTheyWaitAndUntilWhen) {
  submit(1, "slot=4/node", 100);
  submit(2, "slot=4/node", 50);
  submit(3, "slot=4/node", 50);
  EXPECT_EQ(of("when", 2), R"({"id": 2, "start": 1100, "promised": true})");
  EXPECT_EQ(of("when", 3), R"({"id": 3, "start": 1150, "promised": false})");
  EXPECT_NE(of("why", 3).find(R"("cause": ")"), std::string::npos);
  EXPECT_NE(of("why", 1).find("error"), std::string::npos);
}

// The first question in a state begins the answers, and the service goes on with them.
TEST_F(Jobs, QuestionsInOneStateShareABudget) {
  std::size_t budgets = 0;
  bool spent = false;
  desk.rules.start_budget = [&] {
    ++budgets;
    return [&] { return spent; };
  };
  restart();
  submit(1, "slot=4/node", 100);
  for (int id = 2; id < 30; ++id) submit(id, "slot=4/node", 50);
  const auto asked = [&](int count) {
    budgets = 0;
    for (int n = 0; n < count; ++n) {
      (void)desk.service->answer(R"({"op": "why", "id": 20})", now_s).text();
    }
    return budgets;
  };
  spent = true;
  EXPECT_EQ(asked(100), 1U);
  spent = false;
  while (!desk.service->work(now_s)) {
  }
  EXPECT_EQ(of("when", 20), R"({"id": 20, "start": 2000, "promised": false})");
}

}  // namespace
}  // namespace copse::server
