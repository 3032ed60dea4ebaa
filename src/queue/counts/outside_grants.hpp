// SPDX-License-Identifier: Apache-2.0
//
// OutsideGrants: the grants of an engine that belong to no job of the queue, as counts of nodes see them.
// A grant keeps its nodes to its end, as a running job does: what it has of a node, others than jobs of
// whole nodes may have the rest of. A grant that begins later keeps them as a reservation does.
//
// Grants with amounts of layers, or of pools above nodes, cannot be counted (any_uncounted).
//
// Cost: 60 bytes a grant; add() O(pools of the grant · depth).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "queue/counts/counted_nodes.hpp"
#include "queue/counts/node_groups.hpp"

namespace copse::queue {

class OutsideGrants {
 public:
  // By the time until which grants have them; a node is in the last one.
  using NodesByEnd = std::map<std::int64_t, std::vector<std::uint32_t>>;

  [[nodiscard]] bool any() const { return !counted_.empty(); }
  [[nodiscard]] bool any_uncounted() const { return uncounted_ > 0; }
  [[nodiscard]] bool contains(JobId id) const { return counted_.contains(id); }
  // Adds a grant of the engine, or notes that it has other pools.
  void put(const Engine& engine, const CountedNodes& nodes, JobId id);
  void remove(JobId id);
  // Removes those that have ended.
  void remove_ended(const Engine& engine);

  // Those that begin later.
  [[nodiscard]] std::set<JobId> to_come(const Engine& engine) const;
  // When they have their nodes. O(their pools).
  [[nodiscard]] static std::vector<ReservedTime> times_of(const Engine& engine,
                                                          const CountedNodes& nodes,
                                                          const std::set<JobId>& grants);
  // The nodes of all but those. O(pools of all).
  [[nodiscard]] NodesByEnd nodes_but(const Engine& engine, const CountedNodes& nodes,
                                     const std::set<JobId>& grants) const;

 private:
  std::map<JobId, bool> counted_;
  std::size_t uncounted_ = 0;
};

// Whether these pools, with what they charge, are nodes or parts of nodes. O(pools).
[[nodiscard]] bool takes_nodes_only(const ResourceGraph& graph, const Selection& selection,
                                    const GrantCharges& charges);

}  // namespace copse::queue
