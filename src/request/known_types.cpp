// SPDX-License-Identifier: Apache-2.0
#include "request/known_types.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/nearest_word.hpp"

namespace copse {

namespace {

// The recursion is bounded by the depth of a request's text.
const Resource* first_unknown(const ResourceGraph& graph, const std::vector<Resource>& resources) {
  for (const Resource& r : resources) {
    if (graph.find_type(r.type) == kNoType) return &r;
    if (const Resource* below = first_unknown(graph, r.with)) return below;
  }
  return nullptr;
}

std::vector<std::string_view> types_of(const ResourceGraph& graph) {
  std::vector<std::string_view> out;
  for (std::uint32_t t = 0; t < graph.names().types.size(); ++t) {
    const std::string_view name = graph.names().types.text(t);
    const TypeId type = graph.find_type(name);
    const PoolId root = graph.root();
    if (graph.type(root) == type || graph.shape(root).total(type) > 0) out.push_back(name);
  }
  return out;
}

// The unit of the pools of a type, or "". O(pools of the type).
std::string_view unit_of(const ResourceGraph& graph, const std::string& type) {
  const TypeId of = graph.find_type(type);
  if (of == kNoType) return {};
  const auto pools = graph.of_type(of);
  return pools.empty() ? std::string_view() : graph.unit_text(pools.front());
}

const Resource* first_of_other_unit(const ResourceGraph& graph,
                                    const std::vector<Resource>& resources) {
  for (const Resource& r : resources) {
    if (!r.unit.empty()) {
      const std::string_view unit = unit_of(graph, r.type);
      if (!unit.empty() && unit != r.unit) return &r;
    }
    if (const Resource* below = first_of_other_unit(graph, r.with)) return below;
  }
  return nullptr;
}

}  // namespace

std::optional<Error> unknown_type(const ResourceGraph& graph, const Request& request) {
  const Resource* unknown = first_unknown(graph, request.resources);
  if (unknown == nullptr) return std::nullopt;
  const std::vector<std::string_view> known = types_of(graph);
  const bool near = !nearest_word(unknown->type, known).empty();
  return Error{near ? ErrorCode::invalid : ErrorCode::not_found,
               unknown_word("resource type", unknown->type, known), unknown->place};
}

std::optional<Error> wrong_unit(const ResourceGraph& graph, const Request& request) {
  const Resource* other = first_of_other_unit(graph, request.resources);
  if (other == nullptr) return std::nullopt;
  return Error{ErrorCode::invalid,
               fmt::format("{} is counted in {} on this machine, not in {}", other->type,
                           unit_of(graph, other->type), shown_word(other->unit)),
               other->place};
}

}  // namespace copse
