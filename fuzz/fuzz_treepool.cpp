// SPDX-License-Identifier: Apache-2.0
//
// An R with TreePool's scheduling key: what is read is loaded, matched on once in several ways,
// written, and read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "copse/engine.hpp"
#include "formats/formats.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "request/shape.hpp"
#include "target.hpp"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

const copse::RLimits kLimits{
    .ranks_max = 1'000, .property_uses_max = 10'000, .layouts = copse::TreepoolLimits{}};

void match(copse::Engine& engine, const copse::RScheduling& scheduling, std::string_view shape,
           copse::JobId job) {
  auto request = copse::parse_shape(shape);
  check(request.has_value());
  auto prepared = engine.prepare(std::move(*request));
  if (!prepared) return;
  const auto found = engine.match(copse::Operation::allocate_with_satisfiability, *prepared, job);
  if (!found) return;
  check((*found)->nslots > 0);
  std::vector<copse::ExpandedPool> pools;
  copse::expand(engine.graph(), (*found)->selection, pools);
  std::string text;
  copse::Writer(copse::Format::rv1)
      .write({.graph = engine.graph(),
              .pools = pools,
              .nslots = (*found)->nslots,
              .scheduling = &scheduling},
             text);
  check(copse::read_r(text, {}, kLimits).has_value());
}

}  // namespace

FUZZ_TARGET(treepool) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto r = copse::read_r(text, {}, kLimits);
  if (!r || !r->scheduling.treepool) return 0;
  auto graph = copse::graph_of_r(*r, "containment", {.pools_max = 20'000});
  if (!graph) return 0;
  copse::EngineOptions options;
  options.traverser = copse::Traverser::treepool;
  auto engine = copse::Engine::create(std::move(*graph), std::move(options), r->layouts);
  if (!engine) return 0;
  const std::uint64_t before = (*engine)->fingerprint();
  copse::JobId job = 0;
  for (const std::string_view shape :
       {"slot=1/[core=1;gpu=1]", "slot=3/core=2", "node=2/slot=2/core=1", "slot=1/numa{x}",
        "slot=1/socket/[core=1;gpu=1]", "node=1+/slot=1+/core=1-4", "slot=1/node"}) {
    match(**engine, r->scheduling, shape, ++job);
  }
  for (copse::JobId id : (*engine)->jobs()) check((*engine)->cancel(id).has_value());
  check((*engine)->fingerprint() == before);
  return 0;
}
