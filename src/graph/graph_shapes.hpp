// SPDX-License-Identifier: Apache-2.0
//
// ShapeBuilder: what is below an interior pool, one shape for all that look alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "copse/graph.hpp"

namespace copse {

inline constexpr std::uint32_t kGraphDepthMax = 1000;  // levels; walks recurse by level

class ShapeBuilder {
 public:
  explicit ShapeBuilder(ResourceGraph& graph)
      : graph_(graph), totals_(graph.names().types.size()) {}

  // Gives an interior pool its shape. REQUIRES that those below it have theirs.
  // Errors: limit (more units below it than 2^63 - 1). O(children × types).
  [[nodiscard]] Result<void> make(std::uint32_t interior);

  // Gives all of them their shapes, from the leaves upward, and finds the largest pools.
  [[nodiscard]] static Result<void> make_all(ResourceGraph& graph);
  // Changes the shape of one interior pool, which no other has then.
  template <class Change>
  static void edit_own(ResourceGraph& graph, std::uint32_t interior, Change change) {
    const std::uint32_t number = own_shape(graph, interior);
    graph.shapes_.edit([&](std::vector<Shape>& shapes) { change(shapes[number]); });
  }

  // The units of a type among sums that ascend by type; a new sum of none.
  static std::int64_t& total_of(std::vector<TypeTotal>& totals, TypeId type);
  // Adds children[c] to the runs of the children before it.
  static void add_to_runs(const ResourceGraph& g, std::span<const PoolId> children, std::uint32_t c,
                          std::vector<ChildRun>& runs);
  static void list_child_types(const ResourceGraph& g, PoolId p, Shape& shape);

 private:
  // Sums units by type, and says which types there were.
  class Totals {
   public:
    explicit Totals(std::size_t types) : units_(types, 0), is_seen_(types, false) {}
    bool add(TypeId type, std::int64_t units);  // false if the sum is above 2^63 - 1
    void take(std::vector<TypeTotal>& out);     // moves the sums out, types ascending

   private:
    std::vector<std::int64_t> units_;
    std::vector<bool> is_seen_;
    std::vector<TypeId> seen_;
  };

  static std::uint32_t own_shape(ResourceGraph& g, std::uint32_t interior);

  ResourceGraph& graph_;
  Totals totals_;
  Shape shape_;
};

}  // namespace copse
