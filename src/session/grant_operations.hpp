// SPDX-License-Identifier: Apache-2.0
//
// GrantOperations: the operations of a session on requests and grants, over parts of the session: alloc,
// reserve, satisfy, explain, free and info.
#pragma once

#include <cstdint>
#include <string>

#include "base/job_id.hpp"
#include "copse/engine.hpp"
#include "explain/explanation.hpp"
#include "session/grant_text.hpp"
#include "session/job_host.hpp"
#include "session/protocol/session_request.hpp"
#include "session/request_cache.hpp"

namespace copse {

// The job number of a grant's id for the engine, which does not accept 0; and back.
[[nodiscard]] constexpr JobId job_of_id(std::int64_t id) {
  return id == 0 ? kClientZeroId : static_cast<JobId>(id);
}
[[nodiscard]] constexpr std::int64_t id_of_job(JobId job) {
  return job == kClientZeroId ? 0 : static_cast<std::int64_t>(job);
}

class GrantOperations {
 public:
  // `jobs`: nullptr: the session has no JobHost.
  GrantOperations(Engine& engine, SessionRequestCache& requests, GrantText& grant_text,
                  JobHost* jobs)
      : engine_(engine), requests_(requests), grant_text_(grant_text), jobs_(jobs) {}

  // Errors: invalid, exists, insufficient, infeasible; those of SessionRequestCache.
  [[nodiscard]] Result<void> grant(const SessionRequest& line, Operation operation,
                                   const JobCaller& caller, SessionAnswer& answer);
  // Errors: invalid, infeasible; those of SessionRequestCache.
  [[nodiscard]] Result<void> satisfy(const SessionRequest& line);
  [[nodiscard]] Result<void> explain(const SessionRequest& line, const JobCaller& caller,
                                     std::string& out);
  // Releases a grant, or some ranks of it. Errors: invalid, not_found.
  [[nodiscard]] Result<void> free(const SessionRequest& line);
  [[nodiscard]] Result<void> free_ranks(const SessionRequest& line);
  // Lists what the caller sees. Errors: invalid, not_found.
  [[nodiscard]] Result<void> info(const SessionRequest& line, const JobCaller& caller,
                                  std::string& out);

 private:
  [[nodiscard]] Result<PreparedRequest*> prepared(const SessionRequest& line, bool needs_duration);
  [[nodiscard]] bool is_hidden(const JobCaller& caller, JobId job) const;
  // The names of holders, as the caller may see them.
  [[nodiscard]] JobNames names_for(const JobCaller& caller) const;
  [[nodiscard]] Result<JobId> id_of_grant(const SessionRequest& line) const;
  void name_layers(PreparedRequest& request, JobId job, const JobCaller& caller, Error& error);
  [[nodiscard]] Error why_not(PreparedRequest& request, JobId job, const JobCaller& caller,
                              const NoMatch& failed);

  Engine& engine_;
  SessionRequestCache& requests_;
  GrantText& grant_text_;
  JobHost* jobs_;
};

}  // namespace copse
