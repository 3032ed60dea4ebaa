// SPDX-License-Identifier: Apache-2.0
//
// Predicates bool(PoolId) on the base and extended data of pools (RFC 4, *Matching support*), ready
// for the filters of walker.hpp:
//
//   const auto wanted = where::all(where::type(graph, "node"), where::property(graph, "arch",
//   "arm"),
//                                  where::none(where::tag(graph, "drained")));
//
// Words are looked up when a predicate is made; one that the graph does not know holds for no pool.
// A predicate refers to the graph and keeps its own copies of words. Each call is O(1) but for the
// comparison of texts (properties and tags: O(log of the pool's)); nothing is allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "copse/graph.hpp"

namespace copse {

enum class Comparison : std::uint8_t { equal, unequal, less, at_most, greater, at_least };
[[nodiscard]] bool holds(std::int64_t left, Comparison comparison, std::int64_t right);

[[nodiscard]] bool name_is(const ResourceGraph& graph, PoolId pool, std::string_view name);
// `value` null: any value.
[[nodiscard]] bool attribute_is(const ResourceGraph::Attributes* attributes, const std::string& key,
                                const std::string* value);

namespace where {

[[nodiscard]] inline auto type(const ResourceGraph& graph, std::string_view name) {
  return [&graph, wanted = graph.find_type(name)](PoolId p) { return graph.type(p) == wanted; };
}
[[nodiscard]] inline auto basename(const ResourceGraph& graph, std::string_view name) {
  return [&graph, wanted = NameId{graph.names().basenames.find(name)}](PoolId p) {
    return graph.basename(p) == wanted;
  };
}
[[nodiscard]] inline auto name(const ResourceGraph& graph, std::string wanted) {
  return [&graph, wanted = std::move(wanted)](PoolId p) { return name_is(graph, p, wanted); };
}
[[nodiscard]] inline auto id(const ResourceGraph& graph, Comparison comparison, std::int64_t to) {
  return [&graph, comparison, to](PoolId p) { return holds(graph.id(p), comparison, to); };
}
[[nodiscard]] inline auto size(const ResourceGraph& graph, Comparison comparison, std::int64_t to) {
  return [&graph, comparison, to](PoolId p) { return holds(graph.size(p), comparison, to); };
}
[[nodiscard]] inline auto property(const ResourceGraph& graph, std::string key,
                                   std::optional<std::string> value = {}) {
  return [&graph, key = std::move(key), value = std::move(value)](PoolId p) {
    return attribute_is(graph.properties(p), key, value ? &*value : nullptr);
  };
}
[[nodiscard]] inline auto tag(const ResourceGraph& graph, std::string key,
                              std::optional<std::string> value = {}) {
  return [&graph, key = std::move(key), value = std::move(value)](PoolId p) {
    return attribute_is(graph.tags(p), key, value ? &*value : nullptr);
  };
}
template <class... Predicates>
[[nodiscard]] auto all(Predicates... predicates) {
  return [=](PoolId p) { return (predicates(p) && ...); };
}
template <class... Predicates>
[[nodiscard]] auto any(Predicates... predicates) {
  return [=](PoolId p) { return (predicates(p) || ...); };
}
template <class Predicate>
[[nodiscard]] auto none(Predicate predicate) {
  return [=](PoolId p) { return !predicate(p); };
}

}  // namespace where

}  // namespace copse
