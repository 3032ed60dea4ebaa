// SPDX-License-Identifier: Apache-2.0
//
// ShapeBuilder: builds the shapes of interior pools. Pools with equal contents share one.
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

  // Sets the shape of an interior pool. REQUIRES that the interior pools below it have shapes.
  // Errors: limit (more units below it than 2^63 - 1). O(children × types).
  [[nodiscard]] Result<void> make(std::uint32_t interior);

  // Sets the shapes of all interior pools, from the leaves upward, and finds the largest pools.
  [[nodiscard]] static Result<void> make_all(ResourceGraph& graph);
  // Changes the shape of one interior pool, which is not shared afterwards.
  template <class Change>
  static void edit_own(ResourceGraph& graph, std::uint32_t interior, Change change) {
    const std::uint32_t number = own_shape(graph, interior);
    graph.shapes_.edit([&](std::vector<Shape>& shapes) { change(shapes[number]); });
  }

  // The sum for a type in `totals`, which ascend by type; inserted as 0 if it is missing.
  static std::int64_t& total_of(std::vector<TypeTotal>& totals, TypeId type);
  // Adds children[c] to the runs of the children before it.
  static void add_to_runs(const ResourceGraph& g, std::span<const PoolId> children, std::uint32_t c,
                          std::vector<ChildRun>& runs);
  static void list_child_types(const ResourceGraph& g, PoolId p, Shape& shape);

 private:
  // Sums units by type.
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
