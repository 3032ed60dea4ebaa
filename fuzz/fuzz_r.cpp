// SPDX-License-Identifier: Apache-2.0
//
// An R is refused with a place, or says how many pools it comes to and makes a machine of as many;
// every R that is written of that machine can be read again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/rv1/rv1_read.hpp"
#include "go_on.hpp"
#include "target.hpp"

namespace {

using copse::fuzz::require;

void read_back(copse::Engine& engine, copse::PreparedRequest& request) {
  auto match = engine.match(copse::Operation::allocate, request, 1);
  if (!match) return;
  std::vector<copse::ExpandedPool> expanded;
  expand(engine.graph(), (*match)->selection, expanded);
  std::string out;
  copse::Writer(copse::Format::rv1)
      .write({.graph = engine.graph(), .pools = expanded, .start = 0, .end = (*match)->end}, out);
  if (!out.empty()) {
    const auto again = copse::read_r(out);
    require(again.has_value() && !again->hosts.empty());
  }
  require(engine.cancel(1).has_value());
}

}  // namespace

FUZZ_TARGET(r) {
  constexpr std::size_t kTextMax = 64u << 10;
  constexpr copse::GraphBuilder::Limits kLimits{.pools_max = 2'000, .edges_max = 4'000};
  if (size > kTextMax) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto r = copse::read_r(text, "fuzz", {.ranks_max = 4'096});
  if (!r) {
    require(!r.error().text.empty() && r.error().place.line > 0 && r.error().place.column > 0);
    return 0;
  }
  require(r->hosts.empty() || std::cmp_equal(r->hosts.size(), r->ranks().count()));
  auto graph = graph_of_r(*r, "containment", kLimits);
  if (!graph) {
    require(!graph.error().text.empty());
    return 0;
  }
  require(graph->pool_count() >= 1 + r->hosts.size());
  copse::Request request = copse::fuzz::any_of(*graph);
  const auto policies = copse::bundled_policies();
  const auto engine =
      copse::fuzz::engine_on(std::move(*graph), policies[size % policies.size()].name.c_str());
  auto prepared = engine->prepare(std::move(request));
  if (!prepared) return 0;
  copse::fuzz::match_once(*engine, *prepared);
  read_back(*engine, *prepared);
  return 0;
}
