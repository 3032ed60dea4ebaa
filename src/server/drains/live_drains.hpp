// SPDX-License-Identifier: Apache-2.0
//
// LiveDrains: the nodes of a service that get no new jobs, because they are drained or down.
//
// The engine has one status for both. A node comes up when it is neither: `undrain` leaves nodes
// down that were down before, and `up` leaves them drained.
//
// Cost of a request: O(pools), to find nodes by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "queue/job_queue.hpp"
#include "server/drains/drain_table.hpp"
#include "session/job_host.hpp"

namespace copse::server {

inline constexpr std::size_t kReasonBytesMax = 1024;

class LiveDrains {
 public:
  [[nodiscard]] DrainTable& table() { return table_; }
  [[nodiscard]] const DrainTable& table() const { return table_; }

  // REQUIRES that the queue outlives this.
  void begin(queue::JobQueue& queue) { queue_ = &queue; }
  // Answers drain, undrain and drains. Errors: invalid, limit, not_found.
  [[nodiscard]] Result<void> run(const SessionRequest& line, const JobCaller& caller,
                                 std::string& out);
  // Whether a node is drained, and not down.
  [[nodiscard]] bool only_drained(PoolId node) const;
  // Nodes that are down, and not only drained, in machine order. O(nodes).
  [[nodiscard]] std::vector<PoolId> nodes_down() const;
  // Sets the nodes of a line down or up, independently of drains, and keeps its reason. Errors:
  // invalid, limit, not_found.
  [[nodiscard]] Result<void> set_nodes(const SessionRequest& line, const JobCaller& caller,
                                       Status status);
  // Why a node is down or drained, when and by which user; nullptr: no request set it down.
  [[nodiscard]] const DrainRow* row_of(PoolId node) const;

 private:
  [[nodiscard]] Result<void> drain(const SessionRequest& line, const JobCaller& caller);
  [[nodiscard]] Result<void> undrain(const SessionRequest& line, std::string& out);
  void list(std::string& out) const;
  void set_status(std::span<const PoolId> pools, Status status);
  [[nodiscard]] std::string path_of(PoolId node) const;

  DrainTable table_;
  queue::JobQueue* queue_ = nullptr;
};

// The nodes of "nodes" (a hostlist of names, or paths separated by commas; pools that contain
// nodes, such as racks, stand for them) or of "ranks", without duplicates. Errors: invalid
// (neither; a pool inside a node), not_found.
[[nodiscard]] Result<std::vector<PoolId>> nodes_named(const ResourceGraph& graph,
                                                      const SessionRequest& line);

}  // namespace copse::server
