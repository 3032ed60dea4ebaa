// SPDX-License-Identifier: Apache-2.0
//
// A set of resources as JGF is refused with a place, or holds what its text can hold; each of its
// nodes is a pool of the small machine or is not, with a sentence. Then a match goes on as before.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/jgf/jgf_set.hpp"
#include "go_on.hpp"
#include "target.hpp"

FUZZ_TARGET(jgf_set) {
  using copse::fuzz::require;
  constexpr std::size_t kTextMax = 64u << 10;
  if (size > kTextMax) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto set = copse::read_jgf_set(text, "fuzz");
  if (!set) {
    require(!set.error().text.empty() && set.error().place.line > 0);
    return 0;
  }
  require(set->nodes.size() * 20 <= size && set->edges.size() * 20 <= size);
  for (const copse::JgfEdge& edge : set->edges) {
    for (const auto& [index, id] :
         {std::pair(edge.source, &edge.source_id), std::pair(edge.target, &edge.target_id)}) {
      require(index == copse::JgfEdge::kNone || set->nodes.at(index).outer_id == *id);
    }
  }
  static const auto engine = copse::fuzz::engine_on(copse::fuzz::small_machine(), "low");
  const copse::ResourceGraph& graph = engine->graph();
  std::size_t looked_for = 0;
  for (const copse::JgfNode& node : set->nodes) {
    if (++looked_for > 200) break;
    const auto pool = copse::find_pool(graph, node);
    if (!pool) {
      require(!pool.error().text.empty());
      continue;
    }
    require(graph.type_name(*pool) == node.type && graph.name(*pool) == node.name &&
            graph.rank(*pool) == node.rank && graph.size(*pool) == node.size);
  }
  copse::Request request;
  copse::Resource slot, core;
  core.type = "core";
  slot.type = "slot";
  slot.label = "x";
  slot.with = {std::move(core)};
  request.resources = {std::move(slot)};
  request.duration_s = 60;
  copse::fuzz::match_once(*engine, std::move(request));
  return 0;
}
