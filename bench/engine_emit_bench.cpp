// SPDX-License-Identifier: Apache-2.0
//
// Row "emit one R": from a committed selection to text, one node of 32 cores, and one core of it.
// Expanding the selection to what is written counts.
#include <benchmark/benchmark.h>

#include "formats/formats.hpp"
#include "jobs.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

void emit(benchmark::State& state, Format format, const std::string& jobspec) {
  Rig rig(flat(1'000), "low");
  PreparedRequest request = rig.prepare(jobspec);
  rig.match_or_give_up(request);
  const Grant* grant = rig.engine().grant(rig.running()[0]);
  const ResourceGraph& graph = rig.engine().graph();
  Writer writer(format);
  std::vector<ExpandedPool> pools;
  std::string out;
  Best best;
  constexpr std::uint64_t kTexts = 1'000;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = BusyClock::now();
    for (std::uint64_t i = 0; i < kTexts; ++i) {
      out.clear();
      expand(graph, grant->selection, pools);
      writer.write({.graph = graph, .pools = pools, .start = grant->start, .end = grant->end}, out);
      benchmark::DoNotOptimize(out.data());
    }
    const auto time = BusyClock::now() - begin;
    best.add(time, kTexts);
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  if (out.empty()) give_up("nothing was written");
  state.counters["text_ns"] = best.ns();
  state.counters["text_bytes"] = static_cast<double>(out.size());
}

const bool registered = [] {
  for (const Format format : {Format::rv1_nosched, Format::simple, Format::jgf, Format::rv1}) {
    for (const auto& [what, jobspec] :
         {std::pair{"whole_node", whole_nodes(1, 32)}, std::pair{"one_core", cores_in_node(1)}}) {
      const std::string name = std::string("emit/") + word(format) + "/" + what;
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=](benchmark::State& state) { emit(state, format, jobspec); })
          ->UseManualTime()
          ->Iterations(20)
          ->Unit(benchmark::kMicrosecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
