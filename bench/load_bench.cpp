// SPDX-License-Identifier: Apache-2.0
//
// Rows "load GRUG": from text to a built graph, and from a graph to an engine. Memory is measured
// by bench_memory.
#include <benchmark/benchmark.h>

#include "copse/engine.hpp"
#include "formats/grug.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

void load(benchmark::State& state, const Part& machine) {
  const std::string text = grug_text(machine);
  Best best;
  std::uint32_t pools = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = BusyClock::now();
    const ResourceGraph graph = require(read_grug(text, "machine"));
    const auto time = BusyClock::now() - begin;
    best.add(time, 1);
    pools = graph.pool_count();
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  if (pools != machine.pools()) give_up("the machine has not the pools that it should have");
  state.counters["load_ns"] = best.ns();
  state.counters["pools"] = pools;
}

void create(benchmark::State& state, const Part& machine) {
  const std::string text = grug_text(machine);
  const Policy low = require(find_policy("low"));
  Best best;
  for ([[maybe_unused]] auto _ : state) {
    ResourceGraph graph = require(read_grug(text, "machine"));
    const auto begin = BusyClock::now();
    const auto engine = require(Engine::create(std::move(graph), {.policy = low}));
    const auto time = BusyClock::now() - begin;
    best.add(time, 1);
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  state.counters["create_ns"] = best.ns();
}

const bool registered = [] {
  const std::pair<const char*, Part> machines[] = {{"two_sockets", two_sockets(10'000)},
                                                   {"sierra_like", sierra_like()},
                                                   {"flat32", flat(1'000)}};
  for (const auto& [name, machine] : machines) {
    const std::string end = std::string("/") + name + "/" + std::to_string(machine.pools());
    benchmark::RegisterBenchmark(("load" + end).c_str(), load, machine)
        ->UseManualTime()
        ->Iterations(10)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("create" + end).c_str(), create, machine)
        ->UseManualTime()
        ->Iterations(10)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
