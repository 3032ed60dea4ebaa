// SPDX-License-Identifier: Apache-2.0
//
// A recipe is refused with a place, or generates what its plan counted, within the builder's
// limits, and its graph can be built and drawn.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "formats/grug/grug.hpp"
#include "formats/grug/grug_dot.hpp"
#include "formats/grug/grug_plan.hpp"
#include "go_on.hpp"
#include "target.hpp"

FUZZ_TARGET(grug) {
  constexpr std::size_t kTextMax = 64u << 10;
  constexpr copse::GraphBuilder::Limits kLimits{.pools_max = 2'000, .edges_max = 4'000};
  if (size > kTextMax) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto recipe = copse::grug::parse_recipe(text, "fuzz");
  if (!recipe) {
    if (recipe.error().text.empty()) std::abort();
    return 0;
  }
  if (copse::grug::to_dot(*recipe, copse::grug::DotDetail::more).size() < 14) std::abort();
  copse::GraphBuilder builder(kLimits);
  if (const auto made = copse::grug::generate(*recipe, builder); !made) {
    if (made.error().text.empty() || made.error().place.line == 0) std::abort();
    return 0;
  }
  const auto plan = copse::grug::make_plan(*recipe);
  if (!plan || plan->steps.size() != recipe->edges.size()) std::abort();
  const std::uint32_t pools = builder.pool_count();
  if (pools > kLimits.pools_max) std::abort();
  if (!plan->associates && pools != plan->pools) std::abort();
  auto graph = builder.build();
  if (!graph) return 0;
  if (graph->pool_count() != pools) std::abort();
  copse::Request request = copse::fuzz::any_of(*graph);
  const auto policies = copse::bundled_policies();
  const auto engine =
      copse::fuzz::engine_on(std::move(*graph), policies[size % policies.size()].name.c_str());
  copse::fuzz::match_once(*engine, std::move(request));
  return 0;
}
