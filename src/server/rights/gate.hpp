// SPDX-License-Identifier: Apache-2.0
//
// Gate: whether who asks may ask for that, whose each grant is, and what is to be written down of it.
//
// A job belongs to its user, a grant to the name that took it; both are on disk. Whoever may give back
// only their own is refused for a grant whose owner is not known, and submits no job of another user. Only
// operators raise a priority, or give one above 0.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/jobs/job_row.hpp"
#include "server/rights/audit_trail.hpp"
#include "server/rights/client_book.hpp"
#include "server/rights/rights.hpp"
#include "session/line.hpp"

namespace copse::server {

class Gate {
 public:
  // nullptr: there is no such job.
  using JobOf = std::function<const JobRow*(std::int64_t id)>;
  // The names of the nodes of these ranks, as a hostlist; "": the machine has not all of them.
  using NodesOf = std::function<std::string(std::string_view ranks)>;

  using Granted = std::function<bool(std::int64_t id)>;

  // REQUIRES that the book lives longer. `user_of`: how users are called here.
  Gate(JobOf job_of, Granted granted, NodesOf nodes_of, const ClientBook& clients,
       UserOf user_of = {})
      : job_of_(std::move(job_of)),
        granted_(std::move(granted)),
        nodes_of_(std::move(nodes_of)),
        clients_(clients),
        user_of_(std::move(user_of)) {}

  // Why not; "": it may.
  [[nodiscard]] std::string forbids(const Who& who, const SessionLine& line);
  // After forbids(): the id of the grant that the line asks for, if it asks for one.
  [[nodiscard]] std::optional<std::int64_t> grant_asked_for() const;
  // After forbids(), and the answer; `changed`: it changed something. What to write down, if
  // anything: good as long as `who`.
  [[nodiscard]] std::optional<Audit> answered(const Who& who, bool changed,
                                              std::string_view answer);
  // Of a job, or a grant; "": nobody knows.
  [[nodiscard]] std::string_view owner(std::int64_t id) const;

 private:
  struct Asked {
    SessionLine::Op op;
    std::optional<std::int64_t> id;
    std::string on{};
  };
  [[nodiscard]] std::string named(const SessionLine& line) const;

  JobOf job_of_;
  Granted granted_;
  NodesOf nodes_of_;
  std::optional<Asked> asked_{};
  const ClientBook& clients_;
  UserOf user_of_;
};

}  // namespace copse::server
