// SPDX-License-Identifier: Apache-2.0
//
// CountedNodes: the nodes of a machine by number, with their cores, if jobs of whole nodes can be
// planned by counts; and sets of them.
//
// Size: 12 bytes per node; a bit per node of each set. Cost: the constructor O(pools).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"

namespace copse::queue {

// By the number of the node.
using NodeSet = std::vector<bool>;

class CountedNodes {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  explicit CountedNodes(const ResourceGraph& graph);

  // Whether no node is below another, each is in the tree once, and pools above nodes hold nothing
  // back.
  [[nodiscard]] bool countable() const { return countable_; }
  [[nodiscard]] std::size_t size() const { return pools_.size(); }
  [[nodiscard]] PoolId pool(std::uint32_t number) const { return pools_[number]; }
  // The number of a node; kNone: it is none. O(log nodes).
  [[nodiscard]] std::uint32_t number(PoolId node) const;
  // Those with pools in a selection, in the order of its pools. O(pools of the selection · depth).
  [[nodiscard]] std::vector<std::uint32_t> of(const ResourceGraph& graph,
                                              const Selection& selection) const;
  // Those for which the constraint holds. O(nodes).
  [[nodiscard]] NodeSet meeting(const ResourceGraph& graph, const Constraint& constraint) const;
  // Those of a hostlist; nullopt: it is none. O(nodes + hosts).
  [[nodiscard]] std::optional<NodeSet> named(const ResourceGraph& graph,
                                             std::string_view hostlist) const;
  // Those that are up, with all pools above them. O(nodes · depth).
  [[nodiscard]] NodeSet usable(const Engine& engine) const;
  [[nodiscard]] bool usable(const Engine& engine, std::uint32_t number) const;
  // Its cores; 0: none, or they are pools of several. O(1).
  [[nodiscard]] std::int64_t cores(std::uint32_t number) const {
    return cores_.empty() ? 0 : cores_[number];
  }

 private:
  TypeId node_ = kNoType;
  std::vector<PoolId> pools_;        // ascending
  std::vector<std::int64_t> cores_;  // by number
  bool countable_ = false;
};

}  // namespace copse::queue
