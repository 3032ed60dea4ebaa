// SPDX-License-Identifier: Apache-2.0
//
// Events of a stream of JSON lines (plan/job.hpp). Each has a time, and one of
//   "down", "up", "drain"          nodes, as a hostlist (RFC 29); with "down" "requeue": true
//   "cancel", "hold", "release"    the id of a job, or a list of them
//   "priority"                     an object: ids, each with a whole number of 32 bits
//   "reserve"                      a reservation, as an object (queue/reservation/reservation_reader.hpp)
// The "deadline" of a job is an event as well. Ids are resolved when all jobs are read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/streams/job_after.hpp"
#include "plan/streams/job_reader.hpp"
#include "text/tree/line_values.hpp"
#include "text/tree/tree.hpp"

namespace copse::plan {

class EventLines {
 public:
  // All must outlive it.
  EventLines(Jobs& out, std::string_view file, const ReadOptions& options)
      : out_(out), file_(file), options_(options), there_(out.events.size()) {}

  // Whether a line is an event, by its keys.
  [[nodiscard]] static bool is_event(TreeView line);
  // Errors: invalid and limit; not_found (a node), with the place.
  [[nodiscard]] Result<void> read(TreeView line, std::uint32_t line_number);
  [[nodiscard]] Result<void> add_deadline(std::string_view job, std::int64_t time_s,
                                          std::uint32_t line_number);
  // All jobs are read: resolves ids, and sorts Jobs::events. Errors: not_found (a job), invalid
  // (before the submission of the job), with the place.
  [[nodiscard]] Result<void> finish(const JobNumbers& numbers);

 private:
  struct Named {
    std::string job;
    std::uint32_t line = 0;
  };
  [[nodiscard]] Result<void> add(const Event& event, Named named);
  [[nodiscard]] Result<void> add_nodes(Event event, TreeView hosts, std::uint32_t line_number);
  [[nodiscard]] Result<void> add_reservation(Event event, TreeView object,
                                             std::uint32_t line_number);
  [[nodiscard]] Result<void> add_jobs(const Event& event, std::string_view key, TreeView ids,
                                      std::uint32_t line_number);

  [[nodiscard]] Result<void> add_priorities(Event event, TreeView priorities,
                                            std::uint32_t line_number);

  Jobs& out_;
  std::string_view file_;
  const ReadOptions& options_;
  std::size_t there_;         // number of earlier events
  std::vector<Named> named_;  // by event, after those
};

// Lines of events in addition to a stream. Errors: as EventLines, with file and line. If two jobs
// have one name, the first is meant. In the same second, events of the stream come first.
[[nodiscard]] Result<void> read_events(std::string_view text, std::string_view file,
                                       const ReadOptions& options, Jobs& jobs);

}  // namespace copse::plan
