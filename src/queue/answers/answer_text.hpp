// SPDX-License-Identifier: Apache-2.0
//
// An Answer in words and as JSON. Both append; O(length of the text).
#pragma once

#include <string>

#include "queue/answers/answers.hpp"

namespace copse::queue {

// Three or four lines: where the job stands, why it waits, when it starts, what would help.
void append_answer_text(std::string& out, const Answer& answer, const JobNames& names = {});

// One object, without a newline. Keys: job, state, queue, ahead, first, why (cause, text, job,
// reservation, from, until, explanation), promised, expected, earliest, beyond (reservation, from),
// help (kind, with type and count, seconds, or queue); what is unknown or does not apply is left
// out, but for expected, which is null. Jobs are numbers; texts, if there are names. The
// jobs of its explanation are what `holders` says; what is no job has its name there.
void append_answer_json(std::string& out, const Answer& answer, const JobNames& names = {},
                        JobMember holders = JobMember::number);

// Stable words: "held", "waiting", "promised", "running".
[[nodiscard]] const char* word(JobState state);

}  // namespace copse::queue
