// SPDX-License-Identifier: Apache-2.0
//
// LayerNeeds: the needs of a request in hierarchical resources, and their values on each node.
//
// A need is a count that is the same on every node, or a variable that depends on properties of
// nodes. The values of such a variable are a table by node, built on first use and rebuilt after
// properties, nodes or resources have changed.
//
// Cost: assign O(needs), and O(nodes) to build a table. Size: 8 bytes per node and table.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "hres/hres_table.hpp"

namespace copse {

class LayerNeeds {
 public:
  LayerNeeds(const ResourceGraph& graph, const HresTable& hres) : graph_(graph), hres_(hres) {}

  void assign(std::span<const HresNeed> needs);

  [[nodiscard]] std::size_t size() const { return needs_.size(); }
  [[nodiscard]] const HresNeed& operator[](std::size_t n) const { return needs_[n]; }
  [[nodiscard]] const HresTable::Resource& resource(std::size_t n) const {
    return hres_.resources()[needs_[n].resource];
  }
  // Whether each node is charged separately, to a tree of layers.
  [[nodiscard]] bool by_node(std::size_t n) const { return resource(n).mode == 3; }
  // Whether the count is the same on every node.
  [[nodiscard]] bool same(std::size_t n) const { return counts_[n] == nullptr; }
  // The value of the need on a node.
  [[nodiscard]] std::int64_t count_on(std::size_t n, std::uint32_t node) const {
    return same(n) ? needs_[n].count : (*counts_[n])[node];
  }
  // The layers over a node; in mode 3 from the leaf to the root.
  [[nodiscard]] std::span<const std::uint32_t> layers(std::size_t n, std::uint32_t node) const {
    const NodeClasses& classes = resource(n).classes;
    return classes.layers(classes.of(node));
  }
  // How many needs are of mode 3.
  [[nodiscard]] std::uint32_t trees() const;
  // Whether some nodes need more than others.
  [[nodiscard]] bool uneven() const;

 private:
  struct Table {
    std::uint32_t resource, kinds;
    std::uint64_t properties_version = 0, structure = 0;
    std::vector<std::int64_t> counts{};  // by node
  };
  const std::vector<std::int64_t>& table(const HresNeed& need);

  const ResourceGraph& graph_;
  const HresTable& hres_;
  std::vector<HresNeed> needs_;
  std::vector<const std::vector<std::int64_t>*> counts_;  // by need; nullptr: the same everywhere
  std::deque<Table> tables_;                              // elements do not move
};

}  // namespace copse
