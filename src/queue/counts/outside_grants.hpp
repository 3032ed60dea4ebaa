// SPDX-License-Identifier: Apache-2.0
//
// OutsideGrants: the grants of an engine that belong to no job of the queue, as counts of nodes see them.
// A grant keeps its nodes to its end, as a running job does: what it has of a node, others than jobs of
// whole nodes may have the rest of. A grant that begins later keeps them as a reservation does.
//
// Grants with amounts of layers, or of pools above nodes, cannot be counted (any_uncounted).
//
// Invariants
//   1. ends_ has the end of each grant, and no other; uncounted_ is the number of those that are not counted.
//   2. of_node_ has a grant for a node exactly if the grant has the node, and no node that none has.
//   3. A grant that is not counted has no nodes here.
//
// Cost: 150 bytes a grant, and 16 for each of its nodes; put() and remove() O(its nodes · grants of such a
// node).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "queue/counts/counted_nodes.hpp"
#include "queue/counts/node_groups.hpp"

namespace copse::queue {

class OutsideGrants {
 public:
  using Nodes = std::vector<std::uint32_t>;
  // By the time until which grants have them; a node is in the last one.
  using NodesByEnd = std::map<std::int64_t, Nodes>;

  [[nodiscard]] bool any() const { return !grants_.empty(); }
  [[nodiscard]] bool any_uncounted() const { return uncounted_ > 0; }
  [[nodiscard]] bool contains(JobId id) const { return grants_.contains(id); }
  // Adds a grant of the engine, or notes that it has other pools. Returns the nodes that it has or had.
  Nodes put(const Engine& engine, const CountedNodes& nodes, JobId id);
  Nodes remove(JobId id);
  // Nodes have other numbers.
  void number_again(const Engine& engine, const CountedNodes& nodes);
  // Removes those that have ended by themselves, and returns their nodes. O(1) if there is none.
  Nodes remove_ended(const Engine& engine);

  // Those that begin later.
  [[nodiscard]] std::set<JobId> to_come(const Engine& engine) const;
  // When they have their nodes. O(their nodes).
  [[nodiscard]] std::vector<ReservedTime> times_of(const CountedNodes& nodes,
                                                   const std::set<JobId>& grants) const;
  // Until when all but those have the node; nullopt: none has it. O(grants of the node).
  [[nodiscard]] std::optional<std::int64_t> until(std::uint32_t node,
                                                  const std::set<JobId>& but) const;
  // The nodes of all. O(nodes · grants of each).
  [[nodiscard]] Nodes nodes() const;
  [[nodiscard]] NodesByEnd nodes_but(std::int64_t now_s, const std::set<JobId>& grants) const;

  void check() const;  // asserts the invariants; O(nodes of all)

 private:
  struct Entry {
    bool counted = false;
    std::int64_t start_s = 0, end_s = 0;
    Nodes nodes{};  // empty if it is not counted
  };
  std::map<JobId, Entry> grants_;
  std::set<std::pair<std::int64_t, JobId>> ends_;
  std::unordered_map<std::uint32_t, std::vector<JobId>> of_node_;  // without nodes that none has
  std::size_t uncounted_ = 0;
};

// Whether these pools, with what they charge, are nodes or parts of nodes. O(pools).
[[nodiscard]] bool takes_nodes_only(const ResourceGraph& graph, const Selection& selection,
                                    const GrantCharges& charges);

}  // namespace copse::queue
