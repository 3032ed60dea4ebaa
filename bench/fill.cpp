// SPDX-License-Identifier: Apache-2.0
#include "fill.hpp"

#include <random>

#include "rig.hpp"

namespace copse::bench {

void run_fill(benchmark::State& state, const FillRow& row) {
  Best empty, half, most, cancel;
  for ([[maybe_unused]] auto _ : state) {
    Rig rig(row.machine(row.nodes), row.policy);
    std::vector<PreparedRequest> requests;
    for (const std::string& text : row.jobspecs) requests.push_back(rig.prepare(text));
    // The lists that a first match makes are made once in the life of an engine.
    rig.match_or_give_up(requests[0]);
    rig.cancel_all();

    auto fill = [&](Best& best) {
      const auto begin = BusyClock::now();
      const std::uint64_t matches = rig.fill(requests);
      const auto time = BusyClock::now() - begin;
      best.add(time, matches);
      return time;
    };
    auto time = fill(empty);
    std::mt19937_64 random(1);
    for (const auto& [share, best] : {std::pair{0.5, &half}, std::pair{0.05, &most}}) {
      if (!row.refill) break;
      const auto begin = BusyClock::now();
      const std::uint64_t cancels = rig.cancel_share(share, random);
      cancel.add(BusyClock::now() - begin, cancels);
      time += fill(*best);
    }
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  state.counters["empty_ns"] = empty.ns();
  if (!row.refill) return;
  state.counters["half_ns"] = half.ns();
  state.counters["most_ns"] = most.ns();
  state.counters["cancel_ns"] = cancel.ns();
}

void register_fill(const FillRow& row) {
  const std::int64_t rounds = row.nodes <= 1'000 ? 10 : row.nodes <= 10'000 ? 3 : 1;
  benchmark::RegisterBenchmark(row.name.c_str(),
                               [row](benchmark::State& state) { run_fill(state, row); })
      ->UseManualTime()
      ->Iterations(rounds)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace copse::bench
