// SPDX-License-Identifier: Apache-2.0
//
// Named reservations of a service: added, listed and ended by lines; what they do to jobs; and that
// they are the same after a crash. jobs_restart_test.cpp has them among random requests.
#include <gtest/gtest.h>

#include "job_desk.hpp"
#include "server/jobs/journal_parts.hpp"
#include "server/reservations/trial_work.hpp"

namespace copse::server {
namespace {

class Reserved : public JobDesk {
 protected:
  std::string add(std::string_view members) {
    return ask(fmt::format(R"({{"op": "add-reservation", "reservation": {{{}}}}})", members));
  }
  std::string list() { return ask(R"({"op": "reservations"})"); }
  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }
};

constexpr std::string_view kSoon =
    R"("name": "soon", "nodes": "n[0-1]", "start": 1100, "duration": 50)";

TEST_F(Reserved, JobsAvoidItsNodes) {
  EXPECT_TRUE(has(add(kSoon), R"("times": [{"from": 1100, "until": 1150, "nodes": "n[0-1]"}])"));
  EXPECT_TRUE(submit(1, "slot=4/node{x}", 200).starts_with("{\"id\""));
  EXPECT_EQ(state(1), "planned");
  EXPECT_TRUE(has(of("when", 1), "\"start\": 1150")) << of("when", 1);
  EXPECT_TRUE(has(of("why", 1), R"(reservation \"soon\")")) << of("why", 1);
  submit(2, "slot=2/node{x}", 50);
  EXPECT_EQ(state(2), "running");
}

TEST_F(Reserved, ThoseWhoNameItStartInIt) {
  (void)add(kSoon);
  submit(1, "slot=1/node{x}", 40, R"(, "reservation": "soon")");
  EXPECT_EQ(state(1), "pending");
  EXPECT_TRUE(has(of("why", 1), R"(it waits for reservation \"soon\")")) << of("why", 1);
  EXPECT_TRUE(has(list(), "\"waiting\": 1")) << list();
  restart();
  now_s = 1'100;
  EXPECT_TRUE(has(of("job", 1), R"("reservation": "soon")"));
  EXPECT_EQ(state(1), "running");
  EXPECT_TRUE(
      has(submit(2, "slot=1/core", 5, R"(, "reservation": "son")"), R"(did you mean \"soon\"?)"));
}

TEST_F(Reserved, NobodyStartsWhereUsersAreNone) {
  (void)add(fmt::format(R"({}, "users": [])", kSoon));
  EXPECT_TRUE(has(submit(1, "slot=1/core", 5, R"(, "reservation": "soon")"), "no job may start"));
}

TEST_F(Reserved, RunningJobsAreListedWithWhatTheyKeep) {
  submit(1, "slot=4/node{x}", 120);
  const std::string added = add(kSoon);
  EXPECT_TRUE(
      has(added, R"("losses": [{"job": 1, "nodes": "n[0-1]", "from": 1100, "until": 1120}])"))
      << added;
  EXPECT_EQ(state(1), "running");
}

// Also without a word that it has ended, as after a restart.
TEST_F(Reserved, GrantsThatAreOverAreNotListed) {
  (void)ask(R"({"op": "alloc", "id": 6, "shape": "slot=4/node{x}", "duration": 120})");
  (void)add(kSoon);
  EXPECT_TRUE(has(list(), R"("jobs": [6])")) << list();
  now_s = 1'130;
  const std::string after = list();
  EXPECT_FALSE(has(after, "\"jobs\"")) << after;
  restart();
  EXPECT_EQ(list(), after);
}

// Other clients are answered between its steps, and see nothing of it.
TEST_F(Reserved, IsTriedInSteps) {
  for (int id = 1; id <= 2; ++id) submit(id, "slot=4/node{x}", 60);
  for (const std::string_view op : {"try-reservation", "add-reservation"}) {
    const std::string line = fmt::format(R"({{"op": "{}", "reservation": {{{}}}}})", op, kSoon);
    Service::Answer answer = desk.service->begin(line, now_s);
    ASSERT_NE(answer.work, nullptr);
    EXPECT_EQ(answer.value.body, "");
    const auto work = answer.work;
    int steps = 1;
    for (; !work->step(now_s, answer); ++steps) {
      if (steps < 3) {
        EXPECT_EQ(list(), R"({"reservations": []})");
      }
    }
    EXPECT_GT(steps, 4);
    EXPECT_TRUE(has(answer.text(), "\"moved_count\": 1")) << answer.text();
    EXPECT_TRUE(answer.text().ends_with("}\n"));
    EXPECT_EQ(has(list(), "soon"), op == "add-reservation");
  }
  EXPECT_TRUE(desk.service->begin(R"({"op": "reservations"})", now_s).work == nullptr);
}

// What was done meanwhile counts.
TEST_F(Reserved, IsRefusedIfItsNameWasTakenMeanwhile) {
  const std::string line =
      fmt::format(R"({{"op": "add-reservation", "reservation": {{{}}}}})", kSoon);
  Service::Answer answer = desk.service->begin(line, now_s);
  ASSERT_NE(answer.work, nullptr);
  const auto work = answer.work;
  EXPECT_TRUE(has(add(kSoon), "\"times\""));
  while (!work->step(now_s, answer)) {
  }
  EXPECT_TRUE(has(answer.text(), "already")) << answer.text();
  EXPECT_TRUE(answer.value.refusal.has_value());
}

// Each has a copy of the queue: more than some wait for their turn, and a client that goes lets
// another begin.
TEST_F(Reserved, FewAreTriedAtOnce) {
  submit(1, "slot=4/node{x}", 60);
  submit(2, "slot=4/node{x}", 60);
  const std::string line =
      fmt::format(R"({{"op": "try-reservation", "reservation": {{{}}}}})", kSoon);
  Service::Answer answer;
  std::vector<std::shared_ptr<Service::Work>> begun;
  for (std::size_t i = 0; i < kTrialsMax; ++i) {
    begun.push_back(desk.service->begin(line, now_s).work);
    EXPECT_FALSE(begun.back()->step(now_s, answer));
  }
  const auto last = desk.service->begin(line, now_s).work;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(last->step(now_s, answer));
  begun.pop_back();
  while (!last->step(now_s, answer)) {
  }
  EXPECT_TRUE(has(answer.text(), "dry_run")) << answer.text();
}

// The promise moves, and the answer says where to: there the queue promises it then.
TEST_F(Reserved, PromisesThatMoveAreListed) {
  submit(1, "slot=4/node{x}", 60);
  submit(2, "slot=4/node{x}", 60);
  EXPECT_TRUE(has(of("when", 2), "\"start\": 1060"));
  const std::string before = list(), expected =
                                         R"("moved": [{"job": 2, "from": 1060, "to": 1150}], )"
                                         R"("moved_count": 1)";
  const std::string tried =
      ask(fmt::format(R"({{"op": "try-reservation", "reservation": {{{}}}}})", kSoon));
  EXPECT_TRUE(has(tried, expected)) << tried;
  EXPECT_TRUE(has(tried, R"("losses": [], )")) << tried;
  EXPECT_TRUE(tried.ends_with(R"("dry_run": true})")) << tried;
  EXPECT_EQ(list(), before);
  EXPECT_TRUE(has(of("when", 2), "\"start\": 1060"));
  const std::string added = add(kSoon);
  EXPECT_TRUE(has(added, expected)) << added;
  EXPECT_FALSE(has(added, "dry_run")) << added;
  EXPECT_TRUE(has(of("when", 2), "\"start\": 1150")) << of("when", 2);
}

TEST_F(Reserved, AreListedByTheirNextTimes) {
  (void)add(R"("name": "a", "nodes": "n0", "start": 3000, "duration": 5)");
  (void)add(R"("name": "b", "nodes": "n0", "start": 2000, "duration": 5)");
  const std::string both = list();
  EXPECT_LT(both.find("\"b\""), both.find("\"a\"")) << both;
}

TEST(ReservedForMany, OnlySomePromisesThatMoveAreListed) {
  ServiceInMemory desk({{.discipline = *find_discipline("conservative")}});
  const auto ask = [&](const std::string& line) {
    std::string out = desk.service->answer(line, 1'000).text();
    while (!desk.service->work(1'000)) {
    }
    return out;
  };
  for (int id = 1; id <= 150; ++id) {
    (void)ask(R"({"op": "submit", "shape": "slot=4/node{x}", "duration": 20})");
  }
  const std::string added =
      ask(fmt::format(R"({{"op": "add-reservation", "reservation": {{{}}}}})", kSoon));
  std::size_t shown = 0;
  for (std::size_t at = 0; (at = added.find("\"to\": ", at)) != std::string::npos; ++at) ++shown;
  EXPECT_EQ(shown, 100) << added;
  EXPECT_NE(added.find("\"moved_count\": 145"), std::string::npos) << added;
}

// A socket says a number, people say a name.
TEST_F(Reserved, UsersAreOneByNameAndByNumber) {
  const Caller other{Role::user, "uid:1"}, daemon{Role::user, "daemon"};
  (void)ask_as(other, R"({"op": "submit", "id": 9, "shape": "slot=1/core", "duration": 500})");
  desk.user_of = [](std::string_view user) {
    return user == "uid:1" ? std::string("daemon") : std::string(user);
  };
  restart();  // what is on disk has the number
  EXPECT_TRUE(has(of("job", 9), R"("user": "daemon")")) << of("job", 9);
  EXPECT_EQ(ask_as(daemon, R"({"op": "cancel", "id": 9})"), "{}");
  for (const std::string_view user : {"daemon", "uid:1"}) {
    EXPECT_TRUE(has(ask(fmt::format(R"({{"op": "jobs", "user": "{}"}})", user)), "\"id\": 9"));
    (void)add(fmt::format(R"({}, "users": "{}")", kSoon, user));
    EXPECT_TRUE(has(ask_as(daemon, R"({"op": "submit", "shape": "slot=1/core", "duration": 5, )"
                                   R"("reservation": "soon"})"),
                    R"({"id": )"));
    EXPECT_TRUE(has(
        ask_as({Role::user, "ada"}, R"({"op": "submit", "shape": "slot=1/core", "duration": 5, )"
                                    R"("reservation": "soon"})"),
        "error"));
    for (const std::string_view id : {"10", "11"}) {
      (void)ask(fmt::format(R"({{"op": "cancel", "id": {}}})", id));
    }
    EXPECT_EQ(ask(R"({"op": "end-reservation", "name": "soon"})"), "{}");
  }
}

TEST(UserNamesTest, NumbersGetTheirNames) {
  int asked = 0;
  UserNames names([&asked](std::uint32_t uid) {
    ++asked;
    return uid == 1 ? std::optional<std::string>("daemon") : std::nullopt;
  });
  EXPECT_EQ(names.of("uid:1"), "daemon");
  EXPECT_EQ(names.of("uid:1"), "daemon");
  EXPECT_EQ(asked, 1);
  for (const std::string_view user :
       {"uid:2", "uid:", "uid:1x", "uid:-1", "ada", "", "uid:5000000000"}) {
    EXPECT_EQ(names.of(user), user);
  }
  EXPECT_EQ(name_of_user(0), "root");
}

TEST_F(Reserved, IsTheSameAfterACrash) {
  submit(1, "slot=1/node{x}", 130);
  (void)add(R"("name": "any", "nodes": 2, "start": 1100, "duration": 50, "repeat": "daily")");
  (void)add(R"("name": "all", "constraint": {"ranks": ["3"]}, "start": 1200, "duration": 9)");
  const std::string before = list();
  restart();
  ASSERT_EQ(desk.error, "");
  EXPECT_EQ(list(), before);
  desk.service->snapshot();
  restart();
  ASSERT_EQ(desk.error, "");
  EXPECT_EQ(list(), before);
  EXPECT_TRUE(has(ask(R"({"op": "end-reservation", "name": "any"})"), "{}"));
  restart();
  EXPECT_FALSE(has(list(), "\"any\"")) << list();
  EXPECT_TRUE(has(list(), "\"all\"")) << list();
}

TEST_F(Reserved, ThatIsOverIsForgotten) {
  (void)add(kSoon);
  now_s = 1'149;
  EXPECT_TRUE(has(list(), "soon"));
  now_s = 1'150;
  EXPECT_EQ(list(), R"({"reservations": []})");
  restart();
  EXPECT_EQ(list(), R"({"reservations": []})");
}

TEST_F(Reserved, RepeatsAreBookedAhead) {
  (void)add(
      R"("name": "nightly", "nodes": "n0", "start": 2000, "duration": 60, "repeat": "daily")");
  now_s = 2'000 + 20 * 86'400;
  const std::string days = list();
  EXPECT_TRUE(has(days, fmt::format("\"from\": {}", now_s))) << days;
  restart();
  EXPECT_EQ(list(), days);
}

TEST_F(Reserved, ItsGrantsAreNobodys) {
  (void)add(kSoon);
  EXPECT_EQ(ask(R"({"op": "info"})"), R"({"grants": []})");
}

TEST_F(Reserved, WhatIsWrongChangesNothing) {
  for (const auto& [members, message] : std::vector<std::pair<std::string, std::string>>{
           {R"("name": "a", "start": 5, "duration": 5)", "give nodes, a constraint or a shape"},
           {R"("name": "a", "nodes": "m7", "start": 5, "duration": 5)", "no node"},
           {R"("name": "a", "nodes": "n0", "start": 5, "duration": 5)", "has already ended"},
           {R"("name": "a", "nodes": "n0", "users": "ada,bo", "start": 5, "duration": 5)",
            "several are a list"},
           {R"("name": "a", "nodes": 9, "start": 2000, "duration": 5)",
            "it asks for 9 nodes, and the machine has 4"},
           {R"("name": "a", "node": "n0", "start": 5, "duration": 5)", "did you mean"},
           {R"("name": "soon", "nodes": "n3", "start": 3000, "duration": 5)", "already"},
           {R"("name": "b", "nodes": "n1", "start": 1120, "duration": 5)", "has n1"}}) {
    if (members.find("soon") != std::string::npos) (void)add(kSoon);
    const std::string before = list(), answer = add(members);
    EXPECT_TRUE(has(answer, "\"error\"")) << answer;
    EXPECT_TRUE(has(answer, message)) << answer;
    EXPECT_EQ(list(), before);
  }
  EXPECT_TRUE(has(ask(R"({"op": "add-reservation", "reservation": "a"})"), "is an object"));
  EXPECT_TRUE(has(ask(R"({"op": "end-reservation"})"), "no member"));
  EXPECT_TRUE(has(ask(R"({"op": "end-reservation", "name": "son"})"), "did you mean"));
}

TEST_F(Reserved, OnlyOperatorsChangeThem) {
  const Caller ada{.role = Role::user, .name = "ada"}, op{.role = Role::operate, .name = "op"};
  const std::string line =
      fmt::format(R"({{"op": "add-reservation", "reservation": {{{}}}}})", kSoon);
  EXPECT_TRUE(has(ask_as(ada, line), "forbidden"));
  const std::string tried =
      fmt::format(R"({{"op": "try-reservation", "reservation": {{{}}}}})", kSoon);
  EXPECT_TRUE(has(ask_as(ada, tried), R"("dry_run": true)"));
  EXPECT_TRUE(has(ask_as({.role = Role::guest}, tried), "forbidden"));
  EXPECT_TRUE(has(ask_as(op, line), R"("by": "op")"));
  EXPECT_TRUE(has(ask_as(ada, R"({"op": "reservations"})"), "soon"));
  EXPECT_TRUE(has(ask_as(ada, R"({"op": "end-reservation", "name": "soon"})"), "forbidden"));
}

TEST(ReservationLines, ComeBackAndSayWhatIsWrong) {
  const ReservationRow row{
      .name = "a \"b\"",
      .by = "ada",
      .at = 17,
      .request = R"({"name": "a \"b\""})",
      .booked = {{20, {"n0", "n1"}, {{"licence", "n[0-3]", 2}}}, {90, {}, {}}}};
  std::string text;
  append_line(text, {.row = row});
  text.pop_back();
  const auto read = read_reservation_line(text);
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->row.name, row.name);
  EXPECT_EQ(read->row.by, row.by);
  EXPECT_EQ(read->row.number, row.number);
  EXPECT_EQ(read->row.at, row.at);
  EXPECT_EQ(read->row.request, row.request);
  EXPECT_EQ(read->row.booked, row.booked);
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    EXPECT_FALSE(read_reservation_line(std::string_view(text).substr(0, cut)).has_value());
  }
  for (const char* wrong :
       {"{}", "[]", R"({"reservation": "a"})",
        R"({"reservation": "a", "number": 1, "at": 1, "request": "{}", "booked": [7]})",
        R"({"reservation": "a", "number": 1, "at": "x", "request": "{}", "booked": []})"}) {
    EXPECT_FALSE(read_reservation_line(wrong).has_value()) << wrong;
  }
  const std::string parts = join_parts({.jobs = "l\n", .engine = "e", .reservations = "r\n"});
  const auto split = split_parts(parts);
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->reservations, "r\n");
  EXPECT_EQ(split->jobs, "l\n");
  EXPECT_EQ(split->engine, "e");
  EXPECT_FALSE(split_parts(std::string_view("\0\0\0{}", 5)).has_value());
}

}  // namespace
}  // namespace copse::server
