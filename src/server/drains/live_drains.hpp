// SPDX-License-Identifier: Apache-2.0
//
// LiveDrains: which nodes of a service's machine get no new jobs, because operators drained them, or
// because they are down.
//
// Both are one status to the engine. A node that is drained and down is up again when neither is so:
// `undrain` leaves nodes down that were down before, and `up` leaves them drained.
//
// Cost of a line: O(pools), to find nodes by their names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "queue/job_queue.hpp"
#include "server/drains/drain_book.hpp"
#include "session/job_host.hpp"

namespace copse::server {

inline constexpr std::size_t kReasonBytesMax = 1024;

class LiveDrains {
 public:
  [[nodiscard]] DrainBook& book() { return book_; }
  [[nodiscard]] const DrainBook& book() const { return book_; }

  // REQUIRES that the queue lives longer.
  void begin(queue::JobQueue& queue) { queue_ = &queue; }
  // Answers drain, undrain and drains. Errors: invalid, limit, not_found.
  [[nodiscard]] Result<void> run(const SessionLine& line, const JobCaller& caller,
                                 std::string& out);
  // Nodes go down or come up by themselves.
  void set_status(std::span<const PoolId> pools, Status status);

 private:
  [[nodiscard]] Result<void> drain(const SessionLine& line, const JobCaller& caller);
  [[nodiscard]] Result<void> undrain(const SessionLine& line, std::string& out);
  void list(std::string& out) const;
  [[nodiscard]] std::string path_of(PoolId node) const;

  DrainBook book_;
  queue::JobQueue* queue_ = nullptr;
};

// The nodes of "nodes" (names as a hostlist, or paths with commas, of nodes or of what has nodes, such
// as racks) or of "ranks"; each once. Errors: invalid (neither, or inside a node), not_found.
[[nodiscard]] Result<std::vector<PoolId>> nodes_named(const ResourceGraph& graph,
                                                      const SessionLine& line);

}  // namespace copse::server
