// SPDX-License-Identifier: Apache-2.0
//
// JobRequest: what a job of a service asks of its queue; and the row of a line that submits one.
#pragma once

#include <string>
#include <string_view>

#include "queue/events/submission.hpp"
#include "queue/job_queue.hpp"
#include "server/jobs/job_row.hpp"
#include "session/job_host.hpp"
#include "session/line.hpp"

namespace copse::server {

struct JobRequest {
  std::string kind{};  // the same for jobs that ask for the same, and for no others
  Request request{};

  // Errors: as of the line that submitted it.
  [[nodiscard]] static Result<JobRequest> of(const JobRow& row);
  // Good as long as this and the row.
  [[nodiscard]] queue::Submission submission(const JobRow& row) const;
};

// What a line submits, but for what the service says of it: submitted, arrival, and an id where the
// line has none. Errors: invalid.
[[nodiscard]] Result<JobRow> submitted_row(const SessionLine& line, const JobCaller& caller);
// An object of JSON without line ends, for the journal.
[[nodiscard]] std::string in_one_line(std::string_view object);
// Of one that has not ended.
[[nodiscard]] queue::JobState queue_state(const JobRow& row);

}  // namespace copse::server
