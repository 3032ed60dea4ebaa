// SPDX-License-Identifier: Apache-2.0
//
// Rows of the loop-aware traverser: requests that the simple walk refuses.
//
// fill: a machine from empty to full. match_ns: a match on average; last_ns: one of the last 64
// that were granted. full: the same request when nothing fits any more: refused_ns now, reserve_ns
// with a reservation (given back at once). never: a request that the idle machine cannot serve,
// though every sum of units fits: refused_ns.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "jobs.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

struct Row {
  const char* name;
  Part (*machine)(std::int64_t);
  std::string job;
  std::string never;
};

void fill(benchmark::State& state, const Row& row, const char* policy, std::int64_t nodes) {
  Rig rig(row.machine(nodes), policy, Traverser::loop_aware);
  PreparedRequest job = rig.prepare(row.job);
  rig.match_or_give_up(job);  // what is made when first asked for
  Best match, last;
  for ([[maybe_unused]] auto _ : state) {
    rig.cancel_all();
    std::vector<std::chrono::nanoseconds> times;
    for (auto begin = Clock::now(); rig.match(job); begin = Clock::now()) {
      times.push_back(Clock::now() - begin);
    }
    std::chrono::nanoseconds all{}, late{};
    const std::size_t few = std::min<std::size_t>(times.size(), 64);
    for (std::size_t i = 0; i < times.size(); ++i) {
      all += times[i];
      if (i + few >= times.size()) late += times[i];
    }
    match.add(all, times.size());
    last.add(late, few);
    state.SetIterationTime(std::chrono::duration<double>(all).count());
  }
  state.counters["jobs"] = static_cast<double>(rig.running().size());
  state.counters["match_ns"] = match.ns();
  state.counters["last_ns"] = last.ns();
}

void full(benchmark::State& state, const Row& row, const char* policy, std::int64_t nodes) {
  Rig rig(row.machine(nodes), policy, Traverser::loop_aware);
  std::vector<PreparedRequest> jobs;
  jobs.push_back(rig.prepare(row.job));
  rig.fill(jobs);
  Best refused, reserve;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = Clock::now();
    if (rig.match(jobs[0])) give_up("the machine is not full");
    const auto between = Clock::now();
    if (!rig.match(jobs[0], Operation::allocate_orelse_reserve)) give_up("no reservation");
    const auto end = Clock::now();
    rig.cancel_last();
    refused.add(between - begin, 1);
    reserve.add(end - between, 1);
    state.SetIterationTime(std::chrono::duration<double>(end - begin).count());
  }
  state.counters["refused_ns"] = refused.ns();
  state.counters["reserve_ns"] = reserve.ns();
}

void never(benchmark::State& state, const Row& row, const char* policy, std::int64_t nodes) {
  Rig rig(row.machine(nodes), policy, Traverser::loop_aware);
  PreparedRequest job = rig.prepare(row.never);
  Best refused;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = Clock::now();
    if (rig.match(job)) give_up("a match was granted that must fail");
    const auto time = Clock::now() - begin;
    refused.add(time, 1);
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  state.counters["refused_ns"] = refused.ns();
}

template <class Function>
void add(const char* what, Function run, const Row& row, const char* policy, std::int64_t nodes,
         int rounds) {
  const std::string name = std::string("loop_aware_") + what + "/" + row.name + "/" + policy + "/" +
                           std::to_string(nodes);
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) { run(state, row, policy, nodes); })
      ->UseManualTime()
      ->Iterations(rounds)
      ->Unit(benchmark::kMicrosecond);
}

const bool registered = [] {
  // Never: two pools of one node each that the others have, but no rack or node has all of it.
  const std::string pair = two_kinds_in_one_rack();
  std::string too_many = pair;
  const std::string two = "slot, count: 2";
  too_many.replace(too_many.find(two), two.size(), "slot, count: 13");  // a rack has 12
  for (const std::int64_t nodes : {1'000, 10'000, 100'000}) {
    const Row racks{"racks", racks_of_two_kinds, pair, too_many};
    // Flat: siblings at the top level; a rack of big nodes first, so that many cannot serve.
    const Row flat{"flat", two_kinds, cores_beside_gpus(32, 2), cores_beside_gpus(32, 5)};
    for (const char* policy : {"first", "low"}) {
      for (const Row& row : {racks, flat}) {
        add("fill", fill, row, policy, nodes, nodes > 10'000 ? 2 : 3);
        add("full", full, row, policy, nodes, 10);
        add("never", never, row, policy, nodes, 10);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
