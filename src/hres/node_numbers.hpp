// SPDX-License-Identifier: Apache-2.0
//
// NodeNumbers: the nodes of a machine, numbered densely, so that layers are sets of small numbers.
//
// Invariants: a number belongs to a node's name and to one of the pools with that name. A removed
// node keeps its number; a node of the same name that is attached later gets it again. Nodes may
// share a name (RFC 20 allows several ranks per host).
//
// Size: 4 bytes per interior pool, and a name, a pool and an index entry per node.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "copse/graph.hpp"

namespace copse {

class NodeNumbers {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  explicit NodeNumbers(const ResourceGraph& graph);
  // Restores numbers. REQUIRES a pool of type node for each name, each once, or kNoPool.
  NodeNumbers(const ResourceGraph& graph, std::vector<std::string> names,
              std::vector<PoolId> pools);

  // After a rebuild of the graph: `to` maps old pools to new ones, kNoPool if removed. Further
  // nodes are new. O(interior pools + nodes).
  void rebind(const ResourceGraph& graph, std::span<const PoolId> to);
  // A subtree was attached, or is about to be removed. O(its pools above and at nodes). REQUIRES
  // the last known graph.
  void attached(const ResourceGraph& graph, PoolId top);
  void removing(const ResourceGraph& graph, PoolId top);

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(names_.size()); }
  // kNone: the pool is not a node. O(1).
  [[nodiscard]] std::uint32_t of(const ResourceGraph& graph, PoolId pool) const {
    if (graph.leaf(pool)) {
      const auto at = leaves_.find(pool.v);
      return at == leaves_.end() ? kNone : at->second;
    }
    const std::uint32_t i = graph.interior(pool);
    return i < interiors_.size() ? interiors_[i] : kNone;
  }
  [[nodiscard]] const std::string& name(std::uint32_t node) const { return names_[node]; }
  // kNoPool: it was removed from the machine.
  [[nodiscard]] PoolId pool(std::uint32_t node) const { return pools_[node]; }
  // Appends the numbers of all nodes of this name; false if there is none.
  bool append_named(std::string_view name, std::vector<std::uint32_t>& out) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  void add(const ResourceGraph& graph, PoolId pool);
  void set(const ResourceGraph& graph, PoolId pool, std::uint32_t number);

  TypeId node_ = kNoType;
  std::vector<std::string> names_;
  std::vector<PoolId> pools_;                                // by number
  std::vector<std::uint32_t> interiors_;                     // by interior number
  std::unordered_map<std::uint32_t, std::uint32_t> leaves_;  // by pool number
  std::unordered_multimap<std::string, std::uint32_t, Hash, std::equal_to<>> by_name_;
};

}  // namespace copse
