// SPDX-License-Identifier: Apache-2.0
//
// The answers why and when, as their readers may see them: where jobs are private, neither names
// nor counts of single jobs of others are in them.
#pragma once

#include <string>

#include "explain/explanation.hpp"
#include "queue/answers/answers.hpp"
#include "session/viewer.hpp"

namespace copse::server {

// The names of jobs: "of another user" for hidden ones.
[[nodiscard]] JobNames visible_names(const IsHidden& hidden);
// Removes the hidden jobs from the holders, and from the members of the answer.
void hide_jobs(Explanation& explanation, const IsHidden& hidden);
void hide_jobs(queue::Answer& answer, const IsHidden& hidden);
// Why a job waits, for a viewer and the jobs that are hidden from it. `hidden` must outlive `answers`.
// Errors: as Answers::of.
[[nodiscard]] Result<queue::Answer> visible_answer(queue::Answers& answers, JobId id,
                                                   const Viewer& viewer, const IsHidden& hidden);
// Appends {"id", "start", "promised", "searching"?}. `searching`: the search is not complete.
void append_when(std::string& out, const queue::Answer& answer, bool searching);

}  // namespace copse::server
