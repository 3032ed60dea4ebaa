// SPDX-License-Identifier: Apache-2.0
//
// What a session pays for a jobspec's text: the same text again, and texts that all differ.
#include <benchmark/benchmark.h>

#include "jobs.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

void prepare_repeated(benchmark::State& state) {
  Rig rig(flat(1'000), "low");
  const std::string text = cores_in_node(1);
  for ([[maybe_unused]] auto _ : state) {
    auto request = rig.engine().prepare(text);
    benchmark::DoNotOptimize(request);
  }
}
BENCHMARK(prepare_repeated);

// As many texts as make(i) has, i from 0 to 9,999: the cache keeps a tenth of them.
template <class Make>
void prepare_all(benchmark::State& state, Make make) {
  Rig rig(flat(1'000), "low");
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < 10'000; ++i) texts.push_back(make(i));
  std::size_t next = 0;
  for ([[maybe_unused]] auto _ : state) {
    auto request = rig.engine().prepare(texts[next++ % texts.size()]);
    benchmark::DoNotOptimize(request);
  }
}

void prepare_different(benchmark::State& state) {
  prepare_all(state, [](std::int64_t i) { return cores_in_node(1, 300 + i); });
}
BENCHMARK(prepare_different);

void prepare_different_json(benchmark::State& state) {
  prepare_all(state, [](std::int64_t i) { return cores_in_node_json(1, 300 + i); });
}
BENCHMARK(prepare_different_json);

}  // namespace
}  // namespace copse::bench
