// SPDX-License-Identifier: Apache-2.0
//
// What a service says of its jobs and queues when it is asked for lists.
#pragma once

#include <string>

#include "queue/job_queue.hpp"
#include "server/jobs/job_book.hpp"
#include "session/line.hpp"

namespace copse::server {

// The members of a job: {"id", …}; without what nobody asks for.
void write_job(JsonWriter& json, const JobRow& row);

// {"jobs": [...], "next": the next event, "more": true if the limit was met}. By id, those of a
// state (default: not ended; "all"), a queue, a user (as user_of calls it); from `after` on, at most `limit`.
// Errors: not_found (a state); invalid (a limit).
[[nodiscard]] Result<void> list_jobs(const JobBook& book, const SessionLine& line,
                                     const UserOf& user_of, std::string& out);
// {"queues": [{"name", "discipline", "depth", "stopped", "waiting"}], "waiting", "running"}.
void list_queues(queue::JobQueue& queue, std::string& out);

}  // namespace copse::server
