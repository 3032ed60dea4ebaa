// SPDX-License-Identifier: Apache-2.0
//
// A machine as JGF is refused with a sentence, or read within its limits; then it is matched on,
// written whole, and what was written is read again as the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/jgf/graph_jgf.hpp"
#include "formats/jgf/jgf.hpp"
#include "go_on.hpp"
#include "target.hpp"

FUZZ_TARGET(jgf) {
  using copse::fuzz::require;
  constexpr std::size_t kTextMax = 64u << 10;
  constexpr copse::JgfLimits kLimits{.nodes_max = 2'000, .edges_max = 4'000};
  if (size > kTextMax) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto graph = copse::read_jgf(text, {.file = "fuzz", .limits = kLimits});
  if (!graph) {
    require(!graph.error().text.empty() && graph.error().place.file == "fuzz");
    return 0;
  }
  require(graph->pool_count() > 0 && graph->pool_count() <= kLimits.nodes_max);

  std::string whole, again;
  require(copse::write_jgf(*graph, whole).has_value());
  const auto same = copse::read_jgf(whole, {.file = "again"});
  require(same.has_value() && same->pool_count() == graph->pool_count());
  require(copse::write_jgf(*same, again).has_value());
  // Of several parents outside the dominant tree another one may be the last: paths stay.
  for (std::uint32_t v = 0; v < graph->tree_count(); ++v) {
    const copse::PoolId p{v};
    require(graph->path(p, graph->dominant()) == same->path(p, same->dominant()));
    require(graph->name(p) == same->name(p) && graph->uniq_id(p) == same->uniq_id(p));
  }

  const copse::PoolId last{graph->tree_count() - 1};
  copse::Resource wanted;
  wanted.type = graph->type_name(last);
  copse::Request request;
  if (last.v > 0) {
    copse::Resource slot;
    slot.type = "slot";
    slot.label = "x";
    slot.with = {std::move(wanted)};
    wanted = std::move(slot);
  } else {
    wanted.exclusive = copse::Exclusivity::yes;
  }
  request.resources = {std::move(wanted)};
  request.duration_s = 60;
  const auto policies = copse::bundled_policies();
  const auto engine =
      copse::fuzz::engine_on(std::move(*graph), policies[size % policies.size()].name.c_str());
  copse::fuzz::match_once(*engine, std::move(request));
  return 0;
}
