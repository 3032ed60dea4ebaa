// SPDX-License-Identifier: Apache-2.0
//
// JobHost: runs jobs on the machine of a session. It answers requests about jobs; grants and status
// changes of other requests go through it, because its promises must hold.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "request/request_defaults.hpp"
#include "session/answer_work.hpp"
#include "session/protocol/session_answer.hpp"
#include "session/protocol/session_request.hpp"
#include "session/viewer.hpp"

namespace copse {

// The client of a request.
struct JobCaller {
  std::string name{};        // the client's name
  std::string user{};        // owner of the jobs that it submits; "": the user that it names
  bool is_operator = false;  // may use the quota that is reserved for operators
  Viewer viewer{};           // what it sees of jobs and grants
  bool in_steps = false;     // a dear request may be answered after some work
  std::shared_ptr<AnswerWork> work{};  // that work, when it is done
};

class JobHost {
 public:
  virtual ~JobHost() = default;

  // Answers a request about jobs. Errors: as those of the session.
  [[nodiscard]] virtual Result<void> run(const SessionRequest& line, const JobCaller& caller,
                                         SessionAnswer& answer) = 0;
  // As Engine::match, cancel and cancel_part (which also takes planned grants).
  [[nodiscard]] virtual MatchResult grant(Operation operation, PreparedRequest& request, JobId id,
                                          const JobCaller& caller) = 0;
  // What requests outside the queue get that do not say it.
  [[nodiscard]] virtual RequestDefaults defaults_of_grants() const = 0;
  // The id of a grant whose client chooses none. Errors: limit.
  [[nodiscard]] virtual Result<JobId> new_id() const = 0;
  [[nodiscard]] virtual Result<void> free(JobId id) = 0;
  [[nodiscard]] virtual Result<void> free(JobId id, std::span<const PoolId> pools) = 0;
  // Sets the nodes or ranks of a line down or up; a reason is kept. Errors: invalid, limit, not_found.
  [[nodiscard]] virtual Result<void> set_nodes(const SessionRequest& line, const JobCaller& caller,
                                               Status status) = 0;
  virtual void layers_changed() = 0;
  // As Engine::attach and remove. Jobs that have nothing left end.
  [[nodiscard]] virtual Result<void> attach(std::span<const NewSubtree> subtrees) = 0;
  [[nodiscard]] virtual Result<std::vector<JobId>> remove(std::span<const PoolId> tops) = 0;
  // Whether a node that gets no new jobs is drained, and not down.
  [[nodiscard]] virtual bool is_drained(PoolId node) const = 0;
  // The reason that was given for a node that is down; "": none.
  [[nodiscard]] virtual std::string_view down_reason(PoolId node) const = 0;
  // Counts changes of these.
  [[nodiscard]] virtual std::uint64_t drain_changes() const = 0;
  // What a client sees of a job or grant.
  [[nodiscard]] virtual Visibility visibility(const Viewer& viewer, JobId id) const = 0;
  // The label of a grant that belongs to a reservation: 'reservation "maintenance"'; "": it belongs
  // to a job.
  [[nodiscard]] virtual std::string reservation_label(JobId grant) const = 0;
};

}  // namespace copse
