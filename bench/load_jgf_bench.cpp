// SPDX-License-Identifier: Apache-2.0
//
// Rows "load JGF" and "write JGF": from text to a built graph, and back. The text has room behind
// it, as resource-query reads files. Memory is measured by bench_memory.
#include <benchmark/benchmark.h>

#include "formats/graph_jgf.hpp"
#include "formats/grug.hpp"
#include "formats/jgf.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

std::string jgf_text(const Part& machine) {
  const ResourceGraph graph = require(read_grug(grug_text(machine), "machine"));
  std::string text;
  require(write_jgf(graph, text));
  text.reserve(text.size() + kJgfPadding);
  return text;
}

void load_jgf(benchmark::State& state, const Part& machine) {
  const std::string text = jgf_text(machine);
  Best best;
  std::uint32_t pools = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = BusyClock::now();
    const ResourceGraph graph =
        require(read_jgf(text, {.readable_past = text.capacity() - text.size()}));
    const auto time = BusyClock::now() - begin;
    best.add(time, 1);
    pools = graph.pool_count();
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  if (pools != machine.pools()) give_up("the machine has not the pools that it should have");
  state.counters["load_ns"] = best.ns();
  state.counters["pools"] = pools;
  state.counters["text_bytes"] = static_cast<double>(text.size());
}

void write_jgf_of(benchmark::State& state, const Part& machine) {
  const ResourceGraph graph = require(read_grug(grug_text(machine), "machine"));
  Best best;
  std::size_t bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    bytes = 0;
    const auto begin = BusyClock::now();
    require(write_jgf(graph, [&](std::string_view piece) {
      bytes += piece.size();
      return true;
    }));
    const auto time = BusyClock::now() - begin;
    best.add(time, 1);
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  state.counters["write_ns"] = best.ns();
  state.counters["text_bytes"] = static_cast<double>(bytes);
}

const bool registered = [] {
  const std::pair<const char*, Part> machines[] = {{"two_sockets", two_sockets(10'000)},
                                                   {"sierra_like", sierra_like()},
                                                   {"flat32", flat(1'000)}};
  for (const auto& [name, machine] : machines) {
    const std::string end = std::string("/") + name + "/" + std::to_string(machine.pools());
    benchmark::RegisterBenchmark(("load_jgf" + end).c_str(), load_jgf, machine)
        ->UseManualTime()
        ->Iterations(5)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("write_jgf" + end).c_str(), write_jgf_of, machine)
        ->UseManualTime()
        ->Iterations(5)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
