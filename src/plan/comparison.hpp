// SPDX-License-Identifier: Apache-2.0
//
// Runs one stream under several disciplines, each on a clone of the engine, and compares the
// figures.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plan/record.hpp"

namespace copse::plan {

struct Compared {
  std::string discipline;
  std::unique_ptr<Record> record;
  Summary summary{};
};

// In the order of the disciplines, each in place of those of `queues`. Jobs and rows must outlive
// the result. `ended` is called with the number of jobs that have ended so far, in all schedules.
// Errors: those of schedule().
[[nodiscard]] Result<std::vector<Compared>> compare(
    const Engine& engine, const Jobs& jobs, const NodeRows& rows, const queue::QueueConfig& queues,
    std::span<const Discipline> disciplines, bool keep_nodes,
    const std::function<void(std::uint64_t)>& ended);

// A table of at most 88 columns while waits are below 10^8 s.
void append_comparison(std::string& out, std::span<const Compared> all);

}  // namespace copse::plan
