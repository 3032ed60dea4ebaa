// SPDX-License-Identifier: Apache-2.0
//
// UsageTable: what users have used (queue/events/kept_usage.hpp), as lines for the journal:
//
//   {"usage": 7200.5, "at": 17, "user": "ada"}     core-seconds up to that time
//   {"usage": 9000, "at": 17}                      of all users together
//   {"grant": 9, "user": "ada", "cores": 4, "size": [1, 4, 0, 1]}    outside the queue
//   {"grant": 9, "ended": true}
//   {"priorities": [[7, 1000000], [8, 250000]]}    of waiting jobs, as they were computed last
//   {"priorities": [], "at": 17}                   all are computed again: lines with them follow
//
// Clients do not see these lines.
//
// Invariant: the lines of put(), applied in order to a table of an earlier state, make this table. A
// state is such lines, too. Memory: a row for each user with a job in its history, and for each grant.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "queue/events/kept_usage.hpp"
#include "server/rights/user_names.hpp"
#include "text/tree/tree.hpp"

namespace copse::server {

class UsageTable {
 public:
  // Puts changes into the table; returns their lines.
  [[nodiscard]] std::string put(const queue::KeptUsage& changes);
  // Without the priorities, which priority_of() has.
  [[nodiscard]] const queue::KeptUsage& rows() const { return rows_; }
  // None: the job does not wait, or has none.
  [[nodiscard]] std::optional<std::int64_t> priority_of(JobId id) const;
  // The job waits no longer. No line says so: the lines about jobs do.
  void forget_priority(JobId id) { priorities_.erase(id); }
  // Forgets the priorities of other jobs.
  void keep_priorities(const std::function<bool(JobId id)>& waits);
  [[nodiscard]] std::string state() const;
  // Names of users become those of `user_of`, unless it is empty. Errors: invalid, with the line.
  [[nodiscard]] Result<void> apply(std::string_view lines, const UserOf& user_of = {});
  // Replaces the times.
  void correct_times(const std::function<std::int64_t(std::int64_t time_s)>& correct);

 private:
  void put_user(queue::KeptUsage::OfUser row);
  void put_grant(queue::KeptUsage::OfGrant row);
  [[nodiscard]] Result<void> apply_priorities(const TreeView& object);
  [[nodiscard]] Result<void> apply_line(std::string_view line, const UserOf& user_of);

  queue::KeptUsage rows_;
  std::map<std::string, std::size_t> users_;  // into rows_.users
  std::map<JobId, std::size_t> grants_;       // into rows_.grants
  std::map<JobId, std::int64_t> priorities_;
};

}  // namespace copse::server
