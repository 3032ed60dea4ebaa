// SPDX-License-Identifier: Apache-2.0
//
// The attributes that GRUG knows, as a table: name, member, and what values it may have.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "formats/grug/grug_recipe.hpp"

namespace copse::grug {

// One attribute of a recipe vertex or edge. Exactly one of `number` and `text` is set.
template <class Element>
struct Field {
  std::string_view name;
  Number Element::* number = nullptr;
  Text Element::* text = nullptr;
  std::int64_t min = std::numeric_limits<std::int64_t>::min();  // of a number
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  bool one_word = false;  // of a text
};

[[nodiscard]] std::span<const Field<Vertex>> vertex_fields();
[[nodiscard]] std::span<const Field<Edge>> edge_fields();

// `; did you mean "type"?`, or nothing.
[[nodiscard]] std::string or_nearest_field(std::string_view name);

// The attribute of this name; nullptr if GRUG does not know it.
[[nodiscard]] const Field<Vertex>* find_vertex_field(std::string_view name);
[[nodiscard]] const Field<Edge>* find_edge_field(std::string_view name);

// Converts `value` and stores it. Returns a sentence if it does not convert or is not allowed, ""
// if all is well; the element is unchanged in the first case.
[[nodiscard]] std::string set(Vertex& vertex, const Field<Vertex>& field, const std::string& value,
                              Spot at);
[[nodiscard]] std::string set(Edge& edge, const Field<Edge>& field, const std::string& value,
                              Spot at);

}  // namespace copse::grug
