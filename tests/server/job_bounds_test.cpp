// SPDX-License-Identifier: Apache-2.0
//
// What clients may not do to each other by way of jobs: take ids, places, memory and turns.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "job_desk.hpp"
#include "user_grants.hpp"

namespace copse::server {
namespace {

class JobBounds : public JobDesk {};

TEST_F(JobBounds, HaveIdsThatLeaveRoomForOthers) {
  const std::string large = R"("id": 9007199254740992, "shape": "slot=1/core", "duration": 9})";
  for (const std::string_view op : {"submit", "alloc", "reserve"}) {
    EXPECT_EQ(ask(fmt::format(R"({{"op": "{}", {})", op, large)),
              "{\"error\": \"invalid\", \"message\": \"\\\"id\\\" 9007199254740992 is too "
              "large: it must be below 9007199254740992 (2^53)\"}");
  }
  EXPECT_NE(
      ask(R"({"op": "submit", "id": 9223372036854775807, "shape": "slot=1/core"})").find("error"),
      std::string::npos);
  EXPECT_EQ(ask(R"({"op": "submit", "shape": "slot=1/core"})"), R"({"id": 1})");
  EXPECT_EQ(ask(R"({"op": "submit", "id": 9007199254740991, "shape": "slot=1/core"})"),
            R"({"id": 9007199254740991})");
  EXPECT_EQ(ask(R"({"op": "submit", "shape": "slot=1/core"})"), R"({"id": 2})");
  restart();
  EXPECT_EQ(ask(R"({"op": "submit", "shape": "slot=1/core"})"), R"({"id": 3})");
}

// Other clients wait while a request is read, compiled and searched for.
TEST_F(JobBounds, HaveRequestsOfABoundedSize) {
  const auto slots = [](int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += fmt::format("{}core", i == 0 ? "slot=1/[" : ";");
    return out + "]";
  };
  const auto constrained = [](std::string_view constraint) {
    return fmt::format(R"("shape": "slot=1/node", "duration": 9, "constraints": {})", constraint);
  };
  const std::vector<std::string> large = {
      fmt::format(R"("shape": "{}", "duration": 9)", slots(256)),
      constrained(R"({"hostlist": ["n[0-10000]"]})"),
      constrained(R"({"properties": [")" + std::string(std::size_t{1} << 20, 'x') + R"("]})")};
  const std::vector<std::string> allowed = {
      fmt::format(R"("shape": "{}", "duration": 9)", slots(255)),
      constrained(R"({"hostlist": ["n[0-9999]"]})")};
  for (const std::string_view op : {"submit", "explain", "satisfy", "alloc"}) {
    const auto refused_for_size = [&](const std::string& request) {
      const std::string answer = ask(fmt::format(R"({{"op": "{}", {}}})", op, request));
      return answer.find("more than") != std::string::npos ||
             answer.find("the limit is") != std::string::npos;  // of all texts of a job
    };
    for (const std::string& one : large) EXPECT_TRUE(refused_for_size(one)) << op;
    for (const std::string& one : allowed) EXPECT_FALSE(refused_for_size(one)) << op;
  }
}

// Two stories under one id would be in the audit log: an automatic id is a new one.
TEST_F(JobBounds, AndGrantsNeverGetAnAutomaticIdThatWasUsed) {
  desk.limits.ended = 1;
  restart();
  const std::string core = R"("shape": "slot=1/core", "duration": 9})";
  EXPECT_EQ(submit(3, "slot=1/core", 10), R"({"id": 3})");
  EXPECT_TRUE(ask(R"({"op": "alloc", )" + core).starts_with(R"({"id": 1, )"));
  EXPECT_TRUE(ask(R"({"op": "reserve", "id": 4, )" + core).starts_with(R"({"id": 4, )"));
  for (const int id : {1, 4}) EXPECT_EQ(of("free", id), "{}");
  EXPECT_EQ(of("end", 3), "{}");
  EXPECT_EQ(ask(R"({"op": "submit", )" + core), R"({"id": 2})");
  EXPECT_EQ(of("end", 2), "{}");  // 3 is forgotten
  EXPECT_EQ(of("job", 3), R"({"error": "invalid", "message": "there is no job 3"})");
  for (const bool saved : {false, true}) {
    if (saved) desk.service->snapshot();
    restart();
    ASSERT_EQ(desk.error, "");
    EXPECT_EQ(ask(R"({"op": "submit", )" + core), saved ? R"({"id": 6})" : R"({"id": 5})");
  }
}

TEST_F(JobBounds, ThatEndedHaveTheirIdsWhileTheyAreRemembered) {
  desk.limits.ended = 1;
  restart();
  submit(7, "slot=1/core", 10);
  ask(R"({"op": "end", "id": 7})");
  const std::string refused =
      R"({"error": "invalid", "message": "\"id\" 7 belongs to a recently ended job: choose another"})";
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t before = desk.service->session().engine().fingerprint();
    EXPECT_EQ(submit(7, "slot=1/core", 10), refused);
    EXPECT_EQ(ask(R"({"op": "alloc", "id": 7, "shape": "slot=1/core", "duration": 9})"), refused);
    EXPECT_EQ(desk.service->session().engine().fingerprint(), before);
    EXPECT_EQ(state(7), "ended");
    if (i == 1) desk.service->snapshot();
    restart();
  }
  submit(8, "slot=1/core", 10);
  ask(R"({"op": "end", "id": 8})");  // 7 is forgotten
  EXPECT_EQ(submit(7, "slot=1/core", 20, R"(, "name": "again")"), R"({"id": 7})");
  const std::string again = of("job", 7);
  restart();
  ASSERT_EQ(desk.error, "");
  EXPECT_EQ(of("job", 7), again);
}

// A later service may remember more of those that ended than the one that wrote the events.
TEST_F(JobBounds, WhoseIdsWereUsedAgainAreReadByAServiceThatRemembersMore) {
  desk.limits.ended = 0;
  restart();
  submit(7, "slot=1/core", 10, R"(, "name": "first")");
  ask(R"({"op": "end", "id": 7, "status": 3})");
  submit(7, "slot=1/core", 20);
  const std::string second = of("job", 7);
  desk.limits.ended = 10;
  restart();
  ASSERT_EQ(desk.error, "");
  EXPECT_EQ(of("job", 7), second);
  EXPECT_EQ(desk.service->jobs().table().active(), 1U);
}

TEST_F(JobBounds, OfAUserAreBoundedAndLeavePlacesForOperators) {
  desk.limits.active = {.jobs = 6, .jobs_per_user = 3, .jobs_for_operators = 2};
  restart();
  const Caller ada{Role::user, "ada"}, bob{Role::user, "bob"}, eve{Role::user, "eve"};
  const std::string line = R"({"op": "submit", "shape": "slot=4/node", "duration": 10})";
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ask_as(ada, line).starts_with("{\"id\": "));
  EXPECT_EQ(ask_as(ada, line),
            R"({"error": "insufficient", "message": "the limit of 3 unfinished jobs per user is )"
            R"(reached: submit again after some have ended"})");
  EXPECT_TRUE(ask_as(bob, line).starts_with("{\"id\": "));
  const std::string full =
      R"({"error": "insufficient", "message": "the limit of 4 unfinished jobs is reached for )"
      R"(users other than operators: submit again after some have ended"})";
  EXPECT_EQ(ask_as(eve, line), full);
  restart();
  EXPECT_EQ(ask_as(eve, line), full);
  EXPECT_TRUE(ask_as({Role::operate, "op"}, line).starts_with("{\"id\": "));
  EXPECT_TRUE(ask(line).starts_with("{\"id\": "));
  EXPECT_NE(ask(line).find("the limit of 6 unfinished jobs is reached: "), std::string::npos);
  EXPECT_EQ(ask(R"({"op": "cancel", "id": 2})"), "{}");
  EXPECT_EQ(ask(R"({"op": "cancel", "id": 3})"), "{}");
  EXPECT_EQ(ask_as(eve, line), full);  // two of the six are kept
  EXPECT_EQ(ask(R"({"op": "cancel", "id": 4})"), "{}");
  EXPECT_TRUE(ask_as(eve, line).starts_with("{\"id\": "));
}

TEST_F(JobBounds, GrantsThatBeginLaterAreBoundedForEachUser) {
  desk.planned_grants_per_user = 2;
  desk.rules.grants = wide_grant_bounds();
  restart();
  const Caller ada{Role::user, "ada"}, bob{Role::user, "bob"};
  const auto reserve = [](int id) {
    return fmt::format(R"({{"op": "reserve", "id": {}, "shape": "slot=4/node", "duration": 10}})",
                       id);
  };
  // The first begins at once.
  for (int id = 1; id <= 3; ++id) {
    EXPECT_TRUE(ask_as(ada, reserve(id)).starts_with("{\"id\": ")) << id;
  }
  const std::string refused =
      R"({"error": "insufficient", "message": "the limit of 2 grants with a later start per user )"
      R"(is reached: reserve again after some have started"})";
  EXPECT_EQ(ask_as(ada, reserve(4)), refused);
  restart();
  EXPECT_EQ(ask_as(ada, reserve(4)), refused);
  EXPECT_TRUE(ask_as(bob, reserve(5)).starts_with("{\"id\": "));
  EXPECT_TRUE(ask_as({Role::operate, "op"}, reserve(6)).starts_with("{\"id\": "));
  EXPECT_EQ(ask_as(ada, R"({"op": "free", "id": 3})"), "{}");
  EXPECT_TRUE(ask_as(ada, reserve(4)).starts_with("{\"id\": "));
  EXPECT_EQ(ask_as(ada, reserve(7)), refused);
  now_s += 10;  // the second begins
  EXPECT_TRUE(ask_as(ada, reserve(7)).starts_with("{\"id\": "));
}

TEST_F(JobBounds, HaveTextsWithinBounds) {
  desk.limits.active = {
      .bytes = 1'000, .bytes_per_user = 500, .bytes_for_operators = 300, .bytes_per_job = 400};
  desk.limits.ended_bytes = 700;
  restart();
  const auto line = [](std::size_t bytes) {
    return fmt::format(R"({{"op": "submit", "shape": "slot=4/node", "name": "{}"}})",
                       std::string(bytes, 'x'));
  };
  const Caller ada{Role::user, "ada"}, bob{Role::user, "bob"};
  EXPECT_EQ(
      ask_as(ada, line(400)),
      R"({"error": "invalid", "message": "the texts of the job have 414 bytes; the limit is 400"})");
  EXPECT_EQ(ask_as(ada, line(300)), R"({"id": 1})");
  EXPECT_NE(ask_as(ada, line(300)).find("the texts of your unfinished jobs would exceed 500 bytes"),
            std::string::npos);
  EXPECT_EQ(ask_as(bob, line(300)), R"({"id": 2})");
  EXPECT_NE(ask_as({Role::user, "eve"}, line(100)).find("would exceed 700 bytes"),
            std::string::npos);
  EXPECT_EQ(ask(line(300)), R"({"id": 3})");  // of what is kept
  EXPECT_NE(ask(line(300)).find("would exceed 1000 bytes"), std::string::npos);
  for (int id = 1; id <= 3; ++id) {
    ask(fmt::format(R"({{"op": "cancel", "id": {}}})", id));
    ask(fmt::format(R"({{"op": "end", "id": {}}})", id));
  }
  EXPECT_EQ(state(3), "ended");
  EXPECT_EQ(state(2), "ended");
  EXPECT_NE(of("job", 1).find("there is no job 1"), std::string::npos);  // for want of bytes
  EXPECT_EQ(desk.service->jobs().table().active(), 0U);
}

TEST_F(JobBounds, OnlyOperatorsRaiseAPriority) {
  const Caller ada{Role::user, "ada"}, bob{Role::user, "bob"};
  EXPECT_EQ(
      ask_as(ada, R"({"op": "submit", "shape": "slot=1/core", "priority": 1})"),
      R"({"error": "forbidden", "message": "\"priority\" 1 is above 0, which requires the role operator"})");
  EXPECT_EQ(ask_as(ada, R"({"op": "submit", "shape": "slot=4/node", "duration": 9})"),
            R"({"id": 1})");
  EXPECT_EQ(ask_as(ada, R"({"op": "submit", "shape": "slot=4/node", "priority": -1})"),
            R"({"id": 2})");
  const auto set = [&](const Caller& caller, int priority) {
    return ask_as(caller,
                  fmt::format(R"({{"op": "priority", "id": 2, "priority": {}}})", priority));
  };
  EXPECT_EQ(set(ada, -5), "{}");
  EXPECT_EQ(
      set(ada, -4),
      R"({"error": "forbidden", "message": "job 2 has the priority -5: raising it requires the role operator"})");
  EXPECT_NE(set(bob, -6).find("belongs to another client"), std::string::npos);
  EXPECT_NE(set({Role::guest, "ada"}, -6).find("forbidden"), std::string::npos);
  EXPECT_EQ(set({Role::operate, "op"}, 7), "{}");
  EXPECT_EQ(set(ada, 7), "{}");
  EXPECT_NE(of("job", 2).find(R"("priority": 7)"), std::string::npos);
}

}  // namespace
}  // namespace copse::server
