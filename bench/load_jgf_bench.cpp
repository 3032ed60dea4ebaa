// SPDX-License-Identifier: Apache-2.0
//
// Rows "load JGF" and "write JGF": from text to a built graph, and back. The text has room behind
// it, as resource-query reads files. Memory is measured by bench_memory.
#include <benchmark/benchmark.h>

#include "formats/grug/grug.hpp"
#include "formats/jgf/graph_jgf.hpp"
#include "formats/jgf/jgf.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

std::string jgf_text(const Part& machine) {
  const ResourceGraph graph = require(read_grug(grug_text(machine), "machine"));
  std::string text;
  require(write_jgf(graph, text));
  text.reserve(text.size() + kJsonPadding);
  return text;
}

void load_jgf(benchmark::State& state, const Part& machine) {
  const std::string text = jgf_text(machine);
  Rounds rounds(state);
  std::uint32_t pools = 0;
  for ([[maybe_unused]] auto _ : state) {
    rounds.begin();
    const ResourceGraph graph =
        require(read_jgf(text, {.readable_past = text.capacity() - text.size()}));
    rounds.end();
    pools = graph.pool_count();
  }
  if (pools != machine.pools()) give_up("the machine has not the pools that it should have");
  state.counters["load_ns"] = rounds.best_ns();
  state.counters["pools"] = pools;
  state.counters["text_bytes"] = static_cast<double>(text.size());
}

void write_jgf_of(benchmark::State& state, const Part& machine) {
  const ResourceGraph graph = require(read_grug(grug_text(machine), "machine"));
  Rounds rounds(state);
  std::size_t bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    bytes = 0;
    rounds.begin();
    require(write_jgf(graph, [&](std::string_view piece) {
      bytes += piece.size();
      return true;
    }));
    rounds.end();
  }
  state.counters["write_ns"] = rounds.best_ns();
  state.counters["text_bytes"] = static_cast<double>(bytes);
}

const bool registered = [] {
  register_on_machines("load_jgf", load_jgf, 5);
  register_on_machines("write_jgf", write_jgf_of, 5);
  return true;
}();

}  // namespace
}  // namespace copse::bench
