// SPDX-License-Identifier: Apache-2.0
//
// Lists of the jobs and queues of a service, and watches of its jobs.
#pragma once

#include <span>
#include <string>

#include "queue/answers/answers.hpp"
#include "queue/job_queue.hpp"
#include "server/jobs/job_row_table.hpp"
#include "session/protocol/session_request.hpp"
#include "session/session.hpp"

namespace copse::server {

// Writes the members of a job: {"id", …}, without internal ones. `whole`: as its user sees it.
void write_job(JsonWriter& json, const JobRow& row, bool whole);

// A job, with its R if it runs, as the viewer sees it. O(resources of the job).
void show_job(Session& session, const JobRow& row, const Viewer& viewer, std::string& out);

// {"jobs": [...], "next": the next event, "more": true if the limit was reached}. In order of ids,
// filtered by state (default: unfinished; "all"), queue and users, separated by commas (as mapped by
// user_of); after id `after`, at most `limit`; as the viewer sees them. Errors: not_found (a state; a
// queue that neither exists nor is that of a job); invalid (a limit).
[[nodiscard]] Result<void> list_jobs(const JobRowTable& table,
                                     std::span<const queue::QueueSpec> queues,
                                     const SessionRequest& line, const UserOf& user_of,
                                     const Viewer& viewer, std::string& out);
// Begins the caller's watch: {"next", "oldest", "incarnation"}. Errors: invalid (an event that is to come).
[[nodiscard]] Result<void> begin_watch(const JobEventLog& events, std::string_view incarnation,
                                       const SessionRequest& line, SessionAnswer& answer);
// {"queues": [{"name", "discipline", "depth", "stopped", "waiting"}], "waiting", "running"}.
void list_queues(queue::JobQueue& queue, std::string& out);
// {"users": [{"user", "core_seconds", "part", "share", "fair_share"}]}, without users whose jobs the
// viewer does not see. Empty, if the queue's rule of priorities has no fair share.
void list_usage(queue::JobQueue& queue, const Viewer& viewer, std::string& out);

}  // namespace copse::server
