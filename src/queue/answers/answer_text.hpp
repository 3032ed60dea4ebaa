// SPDX-License-Identifier: Apache-2.0
//
// An Answer as text and as JSON. Both functions append; O(length of the text).
#pragma once

#include <string>

#include "queue/answers/answers.hpp"
#include "queue/answers/short_cause.hpp"

namespace copse::queue {

struct AnswerStyle {
  bool whole = false;  // the whole sentence with its numbers, else the short cause
  ClockWords clock{};  // of the start in a short cause; none: readable_time()
};

// Two to four lines: the position of the job, why it waits, when it starts, and what would let it
// start now.
void append_answer_text(std::string& out, const Answer& answer, const JobNames& names = {},
                        const AnswerStyle& style = {});
// Why, as the line of that text has it.
[[nodiscard]] std::string cause_text(const Answer& answer, const AnswerStyle& style = {});

// Appends one object, without a newline. Keys: job, state, queue, ahead, first, why (cause, short, text,
// job, reservation, from, until, explanation), promised, expected, earliest, unbooked (reservation,
// from), help (kind, with type and count, seconds, or queue). A key whose value is unknown or does
// not apply is left out, except expected, which is then null. Jobs are numbers, or texts if `names`
// is set. `holders` says how the explanation names its jobs; a holder that is not a job is named by
// a text.
void append_answer_json(std::string& out, const Answer& answer, const JobNames& names = {},
                        JobMember holders = JobMember::number);

// Words that do not change: "held", "waiting", "promised", "running".
[[nodiscard]] const char* word(JobState state);

}  // namespace copse::queue
