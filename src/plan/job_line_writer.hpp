// SPDX-License-Identifier: Apache-2.0
//
// JobLineWriter: a line of JSON about each job of a stream, when it starts, or leaves without a start.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "graph/node_rows.hpp"
#include "plan/job.hpp"
#include "plan/schedule.hpp"

namespace copse::plan {

// "killed", "cancelled", "failed" or "requeued"; nullptr: a normal end.
[[nodiscard]] const char* word(Ending ending);

class JobLineWriter {
 public:
  struct Start {
    std::uint32_t job;
    std::int64_t submit_s, start_s, end_s;
    Ending ending;
    NodeUse use;
    std::string_view hres;  // its charges to hierarchical resources; "": none
  };

  // `line` receives each line with its newline; empty: there are none. REQUIRES that jobs and rows outlive
  // it.
  JobLineWriter(const Jobs& jobs, const NodeRows& rows, std::function<void(std::string_view)> line)
      : jobs_(jobs), rows_(rows), line_(std::move(line)) {}

  void started(const Start& start, const std::vector<NodeRange>& ranges) const;
  void refused(std::uint32_t job, std::int64_t submit_s, std::string_view why) const;
  // At its deadline, or because it was cancelled.
  void withdrawn(std::uint32_t job, std::int64_t submit_s, std::int64_t time_s,
                 bool deadline) const;

 private:
  const Jobs& jobs_;
  const NodeRows& rows_;
  std::function<void(std::string_view)> line_;
};

}  // namespace copse::plan
