// SPDX-License-Identifier: Apache-2.0
//
// The answers of a queue, as readers get them.
#pragma once

#include <string>

#include "queue/answers/answer_text.hpp"
#include "queue/answers/answers.hpp"
#include "queue/events.hpp"

namespace copse::queue {

// The answers of a queue, complete.
struct AnsweredQueue {
  explicit AnsweredQueue(Desk& desk) : answers(desk.queue) {
    WorkBudget all;
    EXPECT_TRUE(answers.work(all));
  }
  std::string text(JobId job) {
    const auto answer = answers.of(job);
    std::string out;
    if (answer) append_answer_text(out, *answer, {}, {.whole = true});
    return answer ? out : answer.error().text;
  }
  std::string json(JobId job) {
    std::string out;
    append_answer_json(out, *answers.of(job));
    return out;
  }
  Answers answers;
};

}  // namespace copse::queue
