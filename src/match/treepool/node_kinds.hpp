// SPDX-License-Identifier: Apache-2.0
//
// NodeKinds: the kinds of a machine's nodes, numbered, and the numbers of their domains' names.
//
// Nodes with the same leaves and the same layout share a kind. So do nodes with the same leaves
// whose layouts have the same groups, level by level, even if the names of domains differ: the
// names of the first such layout are used for all, as recorded answers pin (flux-core compares
// levels).
//
// Invariant: no two kinds have the same leaves and the same levels, unless one has no layout.
// Thread safety: none while kinds are added.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "copse/shared.hpp"
#include "match/treepool/node_kind.hpp"

namespace copse {

class NodeKinds {
 public:
  // The graph must outlive it and not change. `stocks`: memory and storage are pools.
  NodeKinds(const ResourceGraph& graph, bool stocks);
  // The same kinds, for a copy of the graph; none may be added.
  NodeKinds(const ResourceGraph& graph, const NodeKinds& other)
      : graph_(graph), types_(other.types_), kinds_(other.kinds_), names_(other.names_) {}

  // The kind of a node, made if there is none yet. `layout` may be nullptr; it must outlive this.
  // Errors: limit (masks). O(pools of the node), and what make_kind costs for a new one.
  [[nodiscard]] Result<std::uint32_t> add(PoolId node, const Layout* layout);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(kinds_.size()); }
  [[nodiscard]] const NodeKind& operator[](std::uint32_t kind) const { return kinds_[kind]; }
  [[nodiscard]] auto begin() const { return kinds_.begin(); }
  [[nodiscard]] auto end() const { return kinds_.end(); }
  // The number of a domain's name; nullopt if no kind has such a domain.
  [[nodiscard]] std::optional<std::uint32_t> name(const std::string& text) const;

 private:
  [[nodiscard]] bool alike(std::uint32_t kind, PoolId node, const Layout* layout) const;
  [[nodiscard]] std::size_t hash(PoolId node, const Layout* layout) const;

  const ResourceGraph& graph_;
  LeafTypes types_;
  SharedColumn<NodeKind> kinds_;
  std::vector<PoolId> first_nodes_;  // by kind
  std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;
  std::set<std::pair<const Layout*, std::uint32_t>> also_of_;  // further layouts of kinds
  std::unordered_map<std::string, std::uint32_t> names_;
  std::size_t words_left_ = NodeKind::kWordsMax;
  std::uint32_t last_ = 0;  // the kind that was added last
};

}  // namespace copse
