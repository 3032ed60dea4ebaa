// SPDX-License-Identifier: Apache-2.0
//
// Saving, loading and effects. save_load: 100,000 nodes of 32 cores with 10^6 jobs of one core,
// and smaller ones; save_ms, load_ms, bytes. effect: a match of one core and its cancel, without a
// sink and with one that writes a stream; match_ns, with_ns, and bytes of a match's effect.
#include "copse/save.hpp"
#include "jobs.hpp"
#include "rig.hpp"
#include "save/effect_codec.hpp"

namespace copse::bench {
namespace {

void save_load(benchmark::State& state) {
  const std::int64_t nodes = state.range(0), jobs = state.range(1);
  Rig rig(flat(nodes, 32), "first");
  PreparedRequest request = rig.prepare(cores_in_node(1));
  for (std::int64_t i = 0; i < jobs; ++i) rig.match_or_give_up(request);
  Best saving, loading;
  std::string bytes;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = BusyClock::now();
    bytes = save(rig.engine());
    const auto saved = BusyClock::now();
    const auto loaded = load(bytes);
    const auto end = BusyClock::now();
    if (!loaded) give_up(loaded.error().message());
    if (loaded->engine->fingerprint() != rig.engine().fingerprint()) give_up("another state");
    saving.add(saved - begin, 1);
    loading.add(end - saved, 1);
    state.SetIterationTime(std::chrono::duration<double>(end - begin).count());
  }
  state.counters["save_ms"] = saving.ns() / 1e6;
  state.counters["load_ms"] = loading.ns() / 1e6;
  state.counters["bytes"] = static_cast<double>(bytes.size());
}

struct Stream : EffectSink {
  void take(const Effect& effect) override { writer.append(effect, bytes); }
  EffectWriter writer;
  std::string bytes;
};

void effect_cost(benchmark::State& state) {
  constexpr std::uint64_t kMatches = 20'000;
  Rig rig(flat(1'000, 32), "first");
  PreparedRequest request = rig.prepare(cores_in_node(1));
  rig.match_or_give_up(request);
  Stream stream;
  stream.bytes.reserve(64 << 20);
  Best without, with;
  double bytes_each = 0;
  auto some = [&](Best& best) {
    const auto begin = BusyClock::now();
    for (std::uint64_t i = 0; i < kMatches; ++i) rig.match_or_give_up(request);
    best.add(BusyClock::now() - begin, kMatches);
  };
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = BusyClock::now();
    some(without);
    rig.engine().observe(nullptr);
    for (std::uint64_t i = 0; i < kMatches; ++i) rig.cancel_last();
    stream.bytes.clear();
    rig.engine().observe(&stream);
    some(with);
    rig.engine().observe(nullptr);
    bytes_each = static_cast<double>(stream.bytes.size()) / static_cast<double>(kMatches);
    for (std::uint64_t i = 0; i < kMatches; ++i) rig.cancel_last();
    state.SetIterationTime(std::chrono::duration<double>(BusyClock::now() - begin).count());
  }
  state.counters["match_ns"] = without.ns();
  state.counters["with_ns"] = with.ns();
  state.counters["bytes"] = bytes_each;
}

BENCHMARK(save_load)
    ->Args({1'000, 10'000})
    ->Args({10'000, 100'000})
    ->Args({100'000, 1'000'000})
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(effect_cost)->UseManualTime()->Iterations(20)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace copse::bench
