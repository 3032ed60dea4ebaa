// SPDX-License-Identifier: Apache-2.0
//
// NodeGroups: the nodes of a machine in groups that nothing distinguishes: every job may have all
// nodes of a group or none, they lie in the same layers, and they are reserved at the same times.
//
//   sets      the sets of nodes that jobs of the queue request (constraints, queues)
//   reserved  the times in which nodes are kept for a reservation
//   layers    of resources that jobs request for each node (mode 3), by the leaf over the node
//
// A job that several groups can serve takes nodes first from the group that fewest sets contain, of
// these first from one that is reserved later, and then from the one with the first node: so nodes
// that others need stay free as long as possible.
//
// If all jobs request the same amount of a resource for each node, and nothing else distinguishes
// nodes, its layers are a number of nodes: of each layer at most as many as it has amounts for. As
// layers are a tree, any nodes within these bounds can be completed to the same largest number (a
// laminar matroid), so that number is all that a plan needs.
//
// Groups are made again when a job requests another set, when a reservation changes, and when nodes
// change. They are const in between, and shared by clones.
//
// Invariants: every node is in one group; the groups of a set are in the order above.
// Cost of making them: O(nodes · (sets + resources + log groups)).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "queue/counts/counted_request.hpp"

namespace copse::queue {

// Nodes that are reserved over [from_s, until_s).
struct ReservedTime {
  std::int64_t from_s = 0, until_s = 0;
  std::vector<PoolId> nodes{};  // ascending
  bool operator==(const ReservedTime&) const = default;
};

class NodeGroups {
 public:
  static constexpr std::size_t kGroupsMax = 64;

  struct Interval {
    std::int64_t from_s = 0, until_s = 0;
    auto operator<=>(const Interval&) const = default;
  };
  struct Group {
    std::int64_t usable = 0;              // nodes that are up
    std::vector<std::uint32_t> nodes{};   // those, ascending
    std::vector<Interval> reserved{};     // ascending, disjoint
    std::vector<std::uint32_t> sets{};    // that contain it; empty: it is a set of its own
    std::vector<std::uint32_t> leaves{};  // by resource of mode 3; kNone: it is in no layer
  };
  struct Set {
    NodeSet nodes;
    std::vector<std::uint32_t> groups{};
    // Sets with all its groups, itself first. Empty: it is one group, and no set has more.
    std::vector<std::uint32_t> within{};
  };
  struct Layer {
    std::int64_t total = 0;
    std::uint32_t above = kNone;
    std::uint32_t number = 0;  // in the charges of grants
  };
  struct Resource {
    std::string name;
    bool each_node = false;
    std::uint32_t layer = kNone;   // unless it is charged for each node
    std::uint32_t leaves = kNone;  // its index into Group::leaves, if it is
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // What the jobs of a queue request.
  struct Requested {
    std::vector<NodeSet> sets;           // different ones
    std::vector<std::string> resources;  // different ones
    // Requested by all jobs for each node.
    std::optional<CountedRequest::Amount> by_all{};
  };
  // nullptr: too many groups.
  [[nodiscard]] static std::shared_ptr<const NodeGroups> make(
      const Engine& engine, const CountedNodes& nodes, const Requested& requested,
      std::span<const ReservedTime> reserved);

  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  [[nodiscard]] const std::vector<Set>& sets() const { return sets_; }
  [[nodiscard]] const std::vector<Layer>& layers() const { return layers_; }
  [[nodiscard]] const std::vector<Resource>& resources() const { return resources_; }
  // The amount for which layers are a number of nodes.
  [[nodiscard]] const std::optional<CountedRequest::Amount>& merged() const { return merged_; }
  // Whether one number is all: one group without reserved times, no layers.
  [[nodiscard]] bool is_one() const { return is_one_; }
  // kNone: it is down.
  [[nodiscard]] std::uint32_t group_of(std::uint32_t node) const { return group_of_[node]; }
  [[nodiscard]] std::uint32_t find(const NodeSet& set) const;              // kNone: unknown
  [[nodiscard]] std::uint32_t find_resource(std::string_view name) const;  // kNone: unknown

 private:
  void add_layers(const Engine& engine, const CountedNodes& nodes,
                  std::span<const std::string> names, std::vector<std::vector<std::uint32_t>>& out);
  void add_nodes(const Engine& engine, const CountedNodes& nodes,
                 const std::vector<std::vector<std::uint32_t>>& leaves,
                 const std::vector<std::vector<Interval>>& times);
  // False: other groups are in a set, too.
  [[nodiscard]] bool merge(const CountedRequest::Amount& amount, const Engine& engine,
                           const CountedNodes& nodes);
  void order_sets();
  void order_within();

  std::vector<Group> groups_;
  std::vector<Set> sets_;
  std::vector<Layer> layers_;
  std::vector<Resource> resources_;
  std::vector<std::uint32_t> group_of_;  // by node
  std::optional<CountedRequest::Amount> merged_;
  bool is_one_ = false;
};

}  // namespace copse::queue
