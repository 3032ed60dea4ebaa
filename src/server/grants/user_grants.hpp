// SPDX-License-Identifier: Apache-2.0
//
// UserGrants: grants outside the queues to users that are not operators, within the bounds of the
// queues' file (GrantBounds). They get nodes of the queues that the bounds list, and the limits and
// defaults of that queue apply as to its jobs.
//
// The queues are tried in the order of their names; the first that admits the request and has the
// resources serves it. Cost: an Engine::prepare and a match for each queue that is tried.
#pragma once

#include <span>
#include <string_view>

#include "queue/config/grant_bounds.hpp"
#include "queue/config/job_limits.hpp"
#include "queue/config/queue_defaults.hpp"
#include "queue/job_queue.hpp"
#include "queue/limits/queue_access.hpp"
#include "session/job_host.hpp"
#include "session/protocol/session_request.hpp"

namespace copse::server {

class UserGrants {
 public:
  struct Rules {
    std::span<const queue::QueueSpec> queues;
    const queue::JobLimits& limits;
    const queue::GrantBounds& bounds;
    const queue::QueueAccess& access;
    const queue::GroupsOf& groups_of;
    const queue::QueueDefaults& defaults;
  };

  explicit UserGrants(const Rules& rules) : rules_(rules) {}

  // As JobQueue::grant_outside_queue. Operators have no bounds. Errors: those; invalid (a bound, or a limit
  // or the access of the queues).
  [[nodiscard]] MatchResult grant(queue::JobQueue& queue, Operation operation,
                                  PreparedRequest& request, JobId id,
                                  const JobCaller& caller) const;

 private:
  [[nodiscard]] MatchResult grant_to_user(queue::JobQueue& queue, Operation operation,
                                          const Request& request, JobId id,
                                          std::string_view user) const;
  [[nodiscard]] Result<Request> admitted(const queue::QueueSpec& spec, const Request& request,
                                         std::string_view user, const Engine& engine) const;

  Rules rules_;
};

}  // namespace copse::server
