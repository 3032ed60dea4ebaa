// SPDX-License-Identifier: Apache-2.0
//
// The document "queue": why each job waits, and when it starts, as of one time.
//
// The first kFullAnswersMax jobs have full answers, with what would help; the others have what was
// found for all at once. Cost: as Answers::of, for so many.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "queue/answers/answers.hpp"

namespace copse::page {

inline constexpr std::size_t kFullAnswersMax = 300;

// A job that stands in no queue yet, and why.
struct Awaiting {
  std::string job, queue, text;
};

// REQUIRES that the answers are made (Answers::work). `queue_name`: of a job whose queue has no name.
void append_queue_document(std::string& out, std::int64_t at_s, queue::Answers& answers,
                           const JobNames& names, const JobNames& queue_name,
                           const std::vector<Awaiting>& awaiting);

}  // namespace copse::page
