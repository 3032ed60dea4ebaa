// SPDX-License-Identifier: Apache-2.0
//
// Outages: when nodes got no jobs, by the events of a stream.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/node_rows.hpp"
#include "plan/job.hpp"

namespace copse::plan {

struct Outage {
  std::int64_t start_s = 0, end_s = INT64_MAX;  // INT64_MAX: it does not end
  bool drained = false;                         // running jobs continued; else the nodes were down
  std::vector<NodeRange> nodes{};               // ascending
};

// `down_at_first`: rows that are down when the stream begins, ascending. By start; rows with the
// same times are one outage. O((events + their nodes) · log).
[[nodiscard]] std::vector<Outage> outages(const Jobs& jobs, const NodeRows& rows,
                                          const std::vector<std::uint32_t>& down_at_first);

}  // namespace copse::plan
