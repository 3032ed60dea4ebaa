// SPDX-License-Identifier: Apache-2.0
#include "session/protocol/session_answer.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "session/machines.hpp"
#include "session/session.hpp"

namespace copse {
namespace {

TEST(SessionAnswer, IsALine) {
  SessionAnswer answer{.body = R"({"id": 7})"};
  EXPECT_EQ(take_line(answer), "{\"id\": 7}\n");
  answer.refuse({ErrorCode::insufficient, "2 of 3 nodes", {}});
  EXPECT_EQ(take_line(answer), "{\"error\": \"insufficient\", \"message\": \"2 of 3 nodes\"}\n");
  answer.forbid("ask an operator");
  EXPECT_EQ(take_line(answer), "{\"error\": \"forbidden\", \"message\": \"ask an operator\"}\n");
}

// The protocol has fewer codes than errors; hosts read those of the error.
TEST(SessionAnswer, HasACodeOfTheProtocol) {
  SessionAnswer answer;
  for (const auto& [code, word_of_it] : {std::pair{ErrorCode::insufficient, "insufficient"},
                                         {ErrorCode::infeasible, "infeasible"},
                                         {ErrorCode::not_found, "invalid"},
                                         {ErrorCode::exists, "invalid"}}) {
    answer.refuse({code, "why", {}});
    EXPECT_EQ(word(answer.refusal->code), word_of_it);
    EXPECT_EQ(answer.refusal->error.code, code);
  }
}

TEST(SessionAnswer, LocatesAnErrorByItsColumn) {
  SessionAnswer answer;
  answer.refuse({ErrorCode::invalid, "no number", {"", 1, 12}});
  EXPECT_EQ(answer.refusal->sentence(), "no number (column 12)");
  answer.refuse({ErrorCode::invalid, "no number", {"jobspec", 3, 12}});
  EXPECT_EQ(answer.refusal->sentence(), "jobspec:3:12: no number");
}

TEST(SessionAnswer, ARefusalLeavesNothingOfTheAnswer) {
  SessionAnswer answer{.body = R"({"id": )", .id = 7, .name = "maintenance"};
  answer.refuse({ErrorCode::invalid, "why", {}});
  EXPECT_TRUE(answer.body.empty() && answer.name.empty() && !answer.id);
}

TEST(SessionAnswer, SaysWhatWasMade) {
  Session session = *session_of_r(kPlainMachine);
  SessionAnswer answer;
  const auto ask = [&](std::string_view line) {
    const auto request = session.read(line);
    ASSERT_TRUE(request) << request.error().message();
    session.answer(*request, {}, answer);
  };
  ask(R"({"op": "alloc", "id": 5, "shape": "slot=1/node{x}", "duration": 10})");
  EXPECT_EQ(answer.id, 5);
  ask(R"({"op": "alloc", "id": 5, "shape": "slot=1/core", "duration": 10})");
  ASSERT_TRUE(answer.refusal);
  EXPECT_EQ(answer.refusal->error.code, ErrorCode::exists);
  EXPECT_FALSE(answer.id);
  ask(R"({"op": "quit"})");
  EXPECT_TRUE(answer.last);
}

}  // namespace
}  // namespace copse
