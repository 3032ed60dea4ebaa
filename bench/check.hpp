// SPDX-License-Identifier: Apache-2.0
//
// An independent checker of a queue of whole-node jobs: from what was granted alone, by plain lists
// of intervals. It shares nothing with the engine but the words of a grant.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "copse/engine.hpp"

namespace copse::bench {

struct WholeNodeJob {
  std::int64_t nodes_wanted = 0, start = 0, end = 0;
  std::vector<std::uint32_t> nodes{};  // ids
};

[[nodiscard]] WholeNodeJob whole_node_job(const Engine& engine, const Match& match,
                                          std::int64_t nodes_wanted);

// Whether each job has as many nodes as it wanted, none of them with another job at the same time,
// and could not have started earlier, given the jobs before it and all `nodes` of the machine free
// at the beginning: "ok", or what is wrong. O(jobs × gaps between them).
[[nodiscard]] std::string check_queue(const std::vector<WholeNodeJob>& jobs, std::int64_t nodes);

}  // namespace copse::bench
