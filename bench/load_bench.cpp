// SPDX-License-Identifier: Apache-2.0
//
// Rows "load GRUG": from text to a built graph, and from a graph to an engine. Memory is measured
// by bench_memory.
#include <benchmark/benchmark.h>

#include "copse/engine.hpp"
#include "formats/grug/grug.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

void load(benchmark::State& state, const Part& machine) {
  const std::string text = grug_text(machine);
  Rounds rounds(state);
  std::uint32_t pools = 0;
  for ([[maybe_unused]] auto _ : state) {
    rounds.begin();
    const ResourceGraph graph = require(read_grug(text, "machine"));
    rounds.end();
    pools = graph.pool_count();
  }
  if (pools != machine.pools()) give_up("the machine has not the pools that it should have");
  state.counters["load_ns"] = rounds.best_ns();
  state.counters["pools"] = pools;
}

void create(benchmark::State& state, const Part& machine) {
  const std::string text = grug_text(machine);
  const Policy low = require(find_policy("low"));
  Rounds rounds(state);
  for ([[maybe_unused]] auto _ : state) {
    ResourceGraph graph = require(read_grug(text, "machine"));
    rounds.begin();
    const auto engine = require(Engine::create(std::move(graph), {.policy = low}));
    rounds.end();
  }
  state.counters["create_ns"] = rounds.best_ns();
}

const bool registered = [] {
  register_on_machines("load", load, 10);
  register_on_machines("create", create, 10);
  return true;
}();

}  // namespace
}  // namespace copse::bench
