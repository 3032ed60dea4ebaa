// SPDX-License-Identifier: Apache-2.0
//
// LevelTree: the pools of a machine that have nodes below them, and the nodes. The former are called
// racks here, whatever their types are: the machine itself, blocks, switches, racks, chassis.
//
// Invariants, after follow()
//   1. Racks are numbered in preorder, the machine first: the racks below r are (r, end of r).
//   2. Nodes are numbered in preorder, so those below a rack are consecutive. A node in another node
//      is none of its own.
//   3. The height of a rack is 1 if no rack is below it, else one more than the largest below it.
//
// Size: 56 bytes per rack, 24 per node, 8 per interior pool. follow: O(racks + nodes log nodes) after the machine changed,
// else O(1).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "copse/ids.hpp"

namespace copse {

class LevelTree {
 public:
  struct Rack {
    PoolId pool;
    TypeId type;
    std::uint32_t parent = 0;  // of the machine: itself
    std::uint32_t end = 0;
    std::uint32_t height = 1;
    std::uint32_t first_node = 0, end_node = 0;  // the nodes below it
    std::uint32_t first_own = 0, end_own = 0;    // its children among them, in own()
  };
  struct Node {
    PoolId pool;
    std::uint32_t above = 0;  // the rack that it is a child of
  };
  // At most kRun racks of a height that are children of one rack, consecutive among those of the
  // height.
  static constexpr std::uint32_t kRun = 64;
  struct Run {
    std::uint32_t parent = 0;
    std::uint32_t first = 0, end = 0;  // in of_height()
  };

  // Reads the machine again if it has changed; returns whether it did.
  bool follow(const ResourceGraph& graph, TypeId node);

  [[nodiscard]] std::span<const Rack> racks() const { return racks_; }
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
  // Whether there are levels between the machine and its nodes.
  [[nodiscard]] bool has_levels() const { return racks_.size() > 1; }
  // Nodes that are children of a rack, by their ids.
  [[nodiscard]] std::span<const std::uint32_t> own(const Rack& rack) const {
    return std::span(own_).subspan(rack.first_own, rack.end_own - rack.first_own);
  }
  // The racks of a height, in preorder. REQUIRES 1 <= height <= that of the machine.
  [[nodiscard]] std::span<const std::uint32_t> of_height(std::uint32_t height) const {
    return by_height_[height - 1];
  }
  // At most kRun nodes that are consecutive, and children of one rack.
  struct NodeRun {
    std::uint32_t above = 0;
    std::uint32_t first = 0, end = 0;
  };
  [[nodiscard]] std::span<const NodeRun> node_runs() const { return node_runs_; }
  [[nodiscard]] std::uint32_t node_run_of(std::uint32_t node) const { return node_run_of_[node]; }
  // The runs of a height; of all heights, they are numbered from first_run() on.
  [[nodiscard]] std::span<const Run> runs(std::uint32_t height) const {
    return runs_by_height_[height - 1];
  }
  [[nodiscard]] std::uint32_t first_run(std::uint32_t height) const {
    return first_runs_[height - 1];
  }
  [[nodiscard]] std::uint32_t run_count() const { return run_count_; }
  [[nodiscard]] std::uint32_t run_of(std::uint32_t rack) const { return run_of_[rack]; }
  // The nodes whose state an interior pool shows: itself, or its children if they have no parts.
  struct Range {
    std::uint32_t first = 0, end = 0;
  };
  [[nodiscard]] Range nodes_of(std::uint32_t interior) const {
    return interior < nodes_of_.size() ? nodes_of_[interior] : Range{};
  }
  // The heights below the machine that several racks have, the highest first, with the type
  // of the first one; if several heights have it, numbered from below: "switch2", "switch1".
  struct LevelName {
    std::uint32_t height;
    std::string name;
  };
  [[nodiscard]] std::vector<LevelName> level_names(const ResourceGraph& graph) const;
  // Units of a type in all nodes.
  [[nodiscard]] std::int64_t inside(TypeId type) const {
    return type.v < inside_.size() ? inside_[type.v] : 0;
  }
  [[nodiscard]] bool is_rack_type(TypeId type) const {
    return type.v < rack_types_.size() && rack_types_[type.v];
  }

 private:
  void add_rack(const ResourceGraph& graph, PoolId p);
  void add_node(const ResourceGraph& graph, PoolId p);
  void finish(const ResourceGraph& graph);
  void make_runs();

  const ResourceGraph* graph_ = nullptr;  // that was read, after `changes_` of its changes
  std::size_t changes_ = 0;
  std::vector<Rack> racks_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> own_;
  std::vector<std::vector<std::uint32_t>> by_height_;
  std::vector<std::vector<Run>> runs_by_height_;
  std::vector<std::uint32_t> first_runs_, run_of_;
  std::uint32_t run_count_ = 0;
  std::vector<NodeRun> node_runs_;
  std::vector<std::uint32_t> node_run_of_;
  std::vector<Range> nodes_of_;       // by interior number
  std::vector<std::int64_t> inside_;  // by type
  std::vector<bool> rack_types_;
  std::vector<std::uint32_t> path_;  // scratch: the racks above the last pool
};

// Whether a machine has several racks, switches or similar below one another or the machine itself.
// O(racks + nodes log nodes).
[[nodiscard]] bool has_levels(const ResourceGraph& graph);

}  // namespace copse
