// SPDX-License-Identifier: Apache-2.0
//
// JobHost: who keeps jobs on the machine of a session. Lines about jobs are for it to answer; and what
// other lines change goes through it, since it has promises to keep.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "copse/engine.hpp"
#include "session/line.hpp"

namespace copse {

// The client whose line is answered.
struct JobCaller {
  std::string name{};     // of the client
  std::string user{};     // whose jobs it submits; "": who it says
  bool operates = false;  // it may take the places that are kept for operators
  // It wants to be told of events: from this one on, and of this job only, unless that is 0.
  struct Watch {
    std::uint64_t next = 0;
    JobId job = 0;
  };
  std::optional<Watch> watch{};        // set by the answer
  std::optional<ErrorCode> refused{};  // likewise, if it is an error
};

class JobHost {
 public:
  virtual ~JobHost() = default;

  // Answers a line about jobs; appends the answer, without a newline. Errors: as the session's.
  [[nodiscard]] virtual Result<void> run(const SessionLine& line, JobCaller& caller,
                                         std::string& out) = 0;
  // As Engine::match, cancel, cancel_part (of what is planned, too) and set_status.
  [[nodiscard]] virtual MatchResult grant(Operation operation, PreparedRequest& request,
                                          JobId id) = 0;
  [[nodiscard]] virtual Result<void> free(JobId id) = 0;
  [[nodiscard]] virtual Result<void> free(JobId id, std::span<const PoolId> pools) = 0;
  virtual void set_status(std::span<const PoolId> pools, Status status) = 0;
  virtual void layers_changed() = 0;
  // What a grant is called that is no job's: 'reservation "maintenance"'. "": it is a job's.
  [[nodiscard]] virtual std::string name_beside(JobId grant) const = 0;
};

}  // namespace copse
