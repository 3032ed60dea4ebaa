// SPDX-License-Identifier: Apache-2.0
//
// Authorizer: checks the permissions of a request, knows the owner of each grant, and makes the
// audit entry of each change and each denied request.
//
// A job belongs to its user, a grant to the caller that allocated it; both are stored. A caller
// that may release only its own resources is refused for a grant of unknown owner, and cannot
// submit jobs of another user. Only operators raise a priority, or submit with one above 0, and only
// they end what an operator has held.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/jobs/job_row.hpp"
#include "server/rights/audit_trail.hpp"
#include "server/rights/client_table.hpp"
#include "server/rights/rights.hpp"
#include "session/protocol/session_answer.hpp"
#include "session/protocol/session_request.hpp"

namespace copse::server {

class Authorizer {
 public:
  // nullptr: no such job.
  using JobOf = std::function<const JobRow*(std::int64_t id)>;
  // The names of the nodes of these ranks, as a hostlist; "": the machine lacks one of them.
  using NodesOf = std::function<std::string(std::string_view ranks)>;

  using HasGrant = std::function<bool(std::int64_t id)>;
  // Whether a job or grant is hidden from the caller: it is then as if it did not exist.
  using IsHiddenFrom = std::function<bool(const Caller& caller, std::int64_t id)>;
  // Whether a role may do this, as configured.
  using Permits = std::function<bool(Role role, Permission permission)>;

  // REQUIRES that the table outlives it. `user_of`: maps callers to user names.
  Authorizer(JobOf job_of, HasGrant has_grant, NodesOf nodes_of, const ClientTable& clients,
             Permits permits, IsHiddenFrom is_hidden, UserOf user_of = {})
      : job_of_(std::move(job_of)),
        has_grant_(std::move(has_grant)),
        nodes_of_(std::move(nodes_of)),
        clients_(clients),
        permits_(std::move(permits)),
        is_hidden_(std::move(is_hidden)),
        user_of_(std::move(user_of)) {}

  // Why the caller may not send the request; "": it may.
  [[nodiscard]] std::string denial_reason(const Caller& caller, const SessionRequest& line) const;
  // The audit entry of an answered request, if there is one, valid as long as `caller`. `changed`: the
  // request changed something.
  [[nodiscard]] std::optional<Audit> audit_entry(const Caller& caller, const SessionRequest& line,
                                                 bool changed, const SessionAnswer& answer) const;
  // The owner of a job or grant; "": unknown.
  [[nodiscard]] std::string_view owner(std::int64_t id) const;

 private:
  [[nodiscard]] std::string audit_target(const SessionRequest& line) const;

  JobOf job_of_;
  HasGrant has_grant_;
  NodesOf nodes_of_;
  const ClientTable& clients_;
  Permits permits_;
  IsHiddenFrom is_hidden_;
  UserOf user_of_;
};

}  // namespace copse::server
