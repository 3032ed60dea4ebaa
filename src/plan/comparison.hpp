// SPDX-License-Identifier: Apache-2.0
//
// One stream under several disciplines, each on a clone of the engine as it stands, and the figures
// beside each other.
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

// In the order of the disciplines, each in place of those that `queues` has. Jobs and rows must outlive what is returned. `ended` is told
// how many jobs have ended so far, of all together. Errors: those of schedule().
[[nodiscard]] Result<std::vector<Compared>> compare(
    const Engine& engine, const Jobs& jobs, const NodeRows& rows, const queue::QueueConfig& queues,
    std::span<const Discipline> disciplines, bool keep_nodes,
    const std::function<void(std::uint64_t)>& ended);

// A table for readers, of at most 88 columns while waits are below 10^8 s.
void append_comparison(std::string& out, std::span<const Compared> all);

}  // namespace copse::plan
