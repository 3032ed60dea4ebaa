// SPDX-License-Identifier: Apache-2.0
//
// Rows of one more reservation beside many, and of a core wherever there is one.
#include "jobs.hpp"
#include "request/shape.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

constexpr std::uint64_t kPairs = 200;

std::int64_t some_duration_s(std::mt19937_64& random) {
  return kHour_s + static_cast<std::int64_t>(random() % 1'440) * 60;
}

// As many jobs run as there are nodes, as many are reserved, all of different durations. pair_ns:
// one more is reserved and cancelled.
void reserve(benchmark::State& state, const std::string& jobspec, std::int64_t nodes) {
  Rig rig(flat(nodes), "low");
  PreparedRequest request = rig.prepare(jobspec);
  std::mt19937_64 random(1);
  for (std::int64_t i = 0; i < 2 * nodes; ++i) {
    request.set_duration(some_duration_s(random));
    if (!rig.match(request, Operation::allocate_orelse_reserve)) give_up("no time is left");
  }
  Best best;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = BusyClock::now();
    for (std::uint64_t i = 0; i < kPairs; ++i) {
      request.set_duration(some_duration_s(random));
      if (!rig.match(request, Operation::allocate_orelse_reserve)) give_up("no time is left");
      rig.cancel_last();
    }
    const auto time = BusyClock::now() - begin;
    best.add(time, kPairs);
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  state.counters["pair_ns"] = best.ns();
}

// match_ns: slot=1/core at the top, on an idle machine to a tenth full.
void top_core(benchmark::State& state, std::int64_t nodes) {
  Rig rig(flat(nodes), "low");
  PreparedRequest request = require(rig.engine().prepare(require(parse_shape("slot=1/core"))));
  request.set_duration(kHour_s);
  const auto jobs = static_cast<std::uint64_t>(nodes * 32 / 10);
  Best best;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = BusyClock::now();
    for (std::uint64_t i = 0; i < jobs; ++i) rig.match_or_give_up(request);
    const auto time = BusyClock::now() - begin;
    best.add(time, jobs);
    state.SetIterationTime(std::chrono::duration<double>(time).count());
    rig.cancel_all();
  }
  state.counters["match_ns"] = best.ns();
}

template <class Run>
void add(const std::string& name, Run run) {
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->Iterations(5)
      ->Unit(benchmark::kMicrosecond);
}

const bool registered = [] {
  for (const std::int64_t nodes : {1'000, 10'000}) {
    const std::string machine = "/low/flat32/" + std::to_string(nodes);
    add("reserve_node" + machine,
        [nodes](benchmark::State& state) { reserve(state, whole_nodes(1, 32), nodes); });
    add("reserve_cores" + machine,
        [nodes](benchmark::State& state) { reserve(state, cores_in_node(24), nodes); });
    add("top_core" + machine, [nodes](benchmark::State& state) { top_core(state, nodes); });
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
