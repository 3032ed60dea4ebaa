// SPDX-License-Identifier: Apache-2.0
//
// PoolShapes: which types of interior pools have which shapes. There are few such pairs, even if
// there are many pools.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/graph.hpp"
#include "match/compile/compiled.hpp"

namespace copse {

class PoolShapes {
 public:
  explicit PoolShapes(const ResourceGraph& graph);
  PoolShapes(const ResourceGraph& graph, const PoolShapes& other)  // for a copy of the graph
      : graph_(graph), all_(other.all_) {}

  // Whether, for each level of the request, some pool of the machine is large enough, by the totals
  // of its shape. O(pairs).
  [[nodiscard]] bool some_has(const CompiledRequest& request) const;
  // After a subtree was attached. O(pools attached + depth).
  void attached(const GraphChange& change);

  struct TypedShape {
    TypeId type;
    std::uint32_t shape;
    auto operator<=>(const TypedShape&) const = default;
  };
  [[nodiscard]] const std::vector<TypedShape>& all() const { return all_; }  // ascending

 private:
  [[nodiscard]] bool has(const TypedShape& pool, const CompiledRequest& request,
                         const Level& level) const;
  void note(PoolId p);

  const ResourceGraph& graph_;
  std::vector<TypedShape> all_;
};

}  // namespace copse
