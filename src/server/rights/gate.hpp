// SPDX-License-Identifier: Apache-2.0
//
// Gate: whether who asks may ask for that, whose each grant is, and what is to be written down of it.
//
// A job belongs to its user, which is on disk. A grant belongs to the name that took it. Whoever may
// give back only their own is refused for a grant whose owner is not known: after a restart only
// operators give back what was taken before. Only operators raise a priority, or give one above 0.
//
// Memory: some 80 bytes a grant that was taken since the start.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "copse/engine.hpp"
#include "server/jobs/job_row.hpp"
#include "server/rights/audit_trail.hpp"
#include "server/rights/rights.hpp"
#include "session/line.hpp"

namespace copse::server {

class Gate {
 public:
  // nullptr: there is no such job.
  using JobOf = std::function<const JobRow*(std::int64_t id)>;

  explicit Gate(JobOf job_of) : job_of_(std::move(job_of)) {}

  // Why not; "": it may.
  [[nodiscard]] std::string forbids(const Who& who, const SessionLine& line);
  // After forbids(), and the answer; `changed`: it changed something. What to write down, if
  // anything: good as long as `who`.
  [[nodiscard]] std::optional<Audit> answered(const Who& who, bool changed, std::string_view answer,
                                              const Engine& engine);
  // Of a job, or a grant; "": nobody knows.
  [[nodiscard]] std::string_view owner(std::int64_t id) const;

 private:
  void forget_ended(const Engine& engine);

  struct Asked {
    SessionLine::Op op;
    std::optional<std::int64_t> id;
  };
  JobOf job_of_;
  std::optional<Asked> asked_{};
  std::unordered_map<std::int64_t, std::string> owners_{};
};

}  // namespace copse::server
