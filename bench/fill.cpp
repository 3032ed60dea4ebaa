// SPDX-License-Identifier: Apache-2.0
#include "fill.hpp"

#include <algorithm>
#include <random>

#include "rig.hpp"

namespace copse::bench {

namespace {

constexpr std::uint64_t kStep = 256;  // matches or cancels: a fraction of a turn of the scheduler

// Fills the machine; every step's time goes into `best`.
std::chrono::nanoseconds fill(Rig& rig, std::vector<PreparedRequest>& requests, BestOfSteps& best) {
  std::chrono::nanoseconds all{};
  best.begin_round();
  for (std::uint64_t tried = kStep; tried == kStep;) {
    const auto begin = BusyClock::now();
    tried = rig.fill(requests, kStep);
    const auto time = BusyClock::now() - begin;
    best.add(time, tried);
    all += time;
  }
  return all;
}

void cancel_share(Rig& rig, double share, std::mt19937_64& random, BestOfSteps& best) {
  auto left = static_cast<std::uint64_t>(share * static_cast<double>(rig.running().size()));
  best.begin_round();
  while (left > 0) {
    const std::uint64_t count = std::min(left, kStep);
    const auto begin = BusyClock::now();
    rig.cancel_some(count, random);
    best.add(BusyClock::now() - begin, count);
    left -= count;
  }
}

}  // namespace

void run_fill(benchmark::State& state, const FillRow& row) {
  run_fill(
      state, [&] { return Rig(row.machine(row.nodes), row.policy); },
      [&](Rig& rig) {
        std::vector<PreparedRequest> requests;
        for (const std::string& text : row.jobspecs) requests.push_back(rig.prepare(text));
        return requests;
      },
      row.refill);
}

void run_fill(benchmark::State& state, const std::function<Rig()>& make_rig,
              const std::function<std::vector<PreparedRequest>(Rig&)>& prepare, bool refill) {
  BestOfSteps empty, half, most, cancel, ignored;
  for ([[maybe_unused]] auto _ : state) {
    Rig rig = make_rig();
    std::vector<PreparedRequest> requests = prepare(rig);
    // The lists that a first match makes are made once in the life of an engine.
    rig.match_or_give_up(requests[0]);
    rig.cancel_all();

    std::chrono::nanoseconds time = fill(rig, requests, empty);
    if (refill) {
      std::mt19937_64 random(1);
      cancel_share(rig, 0.5, random, cancel);
      time += fill(rig, requests, half);
      cancel_share(rig, 0.05, random, ignored);
      time += fill(rig, requests, most);
    }
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  state.counters["empty_ns"] = empty.ns();
  if (!refill) return;
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
