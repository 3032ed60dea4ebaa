// SPDX-License-Identifier: Apache-2.0
//
// The document "queue": why each job waits, and when it starts, at one time.
//
// The first kFullAnswersMax jobs have full answers, with suggestions; the others have the results
// of the common evaluation. Cost: Answers::of for each full answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "queue/answers/answers.hpp"

namespace copse::page {

inline constexpr std::size_t kFullAnswersMax = 300;

// A job that is in no queue yet, with the reason.
struct Awaiting {
  std::string job, queue, text;
};

// REQUIRES that the answers are complete (Answers::work). `queue_name`: the name for jobs whose
// queue has none.
void append_queue_document(std::string& out, std::int64_t at_s, queue::Answers& answers,
                           const JobNames& names, const JobNames& queue_name,
                           const std::vector<Awaiting>& awaiting);

}  // namespace copse::page
