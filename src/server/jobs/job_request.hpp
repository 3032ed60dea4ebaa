// SPDX-License-Identifier: Apache-2.0
//
// JobRequest: the request of a service's job for its queue; and the row of a submitted job.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "queue/config/job_defaults.hpp"
#include "queue/config/job_limits.hpp"
#include "queue/events/submission.hpp"
#include "queue/job_queue.hpp"
#include "request/request_defaults.hpp"
#include "server/jobs/job_row.hpp"
#include "session/job_host.hpp"
#include "session/protocol/session_request.hpp"

namespace copse::server {

struct JobRequest {
  std::string kind{};  // equal for jobs with equal requests only
  Request request{};

  // Errors: as for the line that submitted it.
  [[nodiscard]] static Result<JobRequest> of(const JobRow& row, const JobspecLimits& limits = {});
  // Adds the defaults of its queue, once, and writes those that change it into the row: a job keeps them
  // for as long as it lives. Errors: those of add_defaults.
  [[nodiscard]] Result<void> take_defaults(JobRow& row, const RequestDefaults& defaults);
  // Valid as long as this and the row.
  [[nodiscard]] queue::Submission submission(const JobRow& row) const;
  // The same for an unfinished job of an earlier run. `horizon_s`: the end of the engine's clock.
  [[nodiscard]] queue::Resumption resumption(const JobRow& row, std::int64_t horizon_s) const;
};

// Jobs that can't be resumed, with the reasons: this version refuses the stored request, or there is no
// such queue any more.
using RefusedRequests = std::map<JobId, std::string>;

// The unfinished jobs of an earlier run, for their queue.
struct ResumedJobs {
  std::deque<JobRequest> requests{};  // a deque keeps their addresses
  std::vector<queue::Resumption> resumptions{};
  // Of these, only running jobs are resumed, with a request that has no effect on them.
  RefusedRequests refused{};
};
// Valid as long as the rows and the queues.
[[nodiscard]] ResumedJobs resumed_jobs(const std::map<JobId, std::shared_ptr<const JobRow>>& rows,
                                       std::span<const queue::QueueSpec> queues,
                                       std::int64_t horizon_s);
// Jobs that were set aside because their queue was missing, and whose queue exists again.
[[nodiscard]] std::vector<JobId> jobs_with_queue_again(
    const std::map<JobId, std::shared_ptr<const JobRow>>& rows,
    std::span<const queue::QueueSpec> queues);

// The row of a submission. The service adds submitted, arrival, and an id if the line has none.
// Errors: invalid.
[[nodiscard]] Result<JobRow> submitted_row(const SessionRequest& line, const JobCaller& caller);
// Takes the queue that a jobspec names. Errors: invalid (another queue than that of the row).
[[nodiscard]] Result<void> take_queue(JobRow& row, const Request& request);
// Takes the size and duration of a jobspec, and the duration that its queue has for jobs without one.
// Errors: invalid (a limit of its queue).
[[nodiscard]] Result<void> take_size(JobRow& row, const Request& request,
                                     const queue::JobLimits& limits,
                                     const queue::JobDefaults& defaults,
                                     const ResourceGraph& graph);
// Whether an operator changes a job of another user.
[[nodiscard]] bool is_of_another(const JobRow& row, const JobCaller& caller);
// A JSON object without newlines, for the journal.
[[nodiscard]] std::string in_one_line(std::string_view object);
// The state of an unfinished job.
[[nodiscard]] queue::JobState queue_state(const JobRow& row);

}  // namespace copse::server
