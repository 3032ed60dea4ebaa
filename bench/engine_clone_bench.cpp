// SPDX-License-Identifier: Apache-2.0
//
// Rows of Engine::clone: a machine that is full now and once more later, by whole nodes and by
// cores of shared nodes; and one with a million jobs of one core.
#include <malloc.h>

#include <random>

#include "jobs.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

// What this process has from malloc.
std::uint64_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

struct Row {
  std::string name;
  std::int64_t nodes;
  std::string jobspec;
  std::uint64_t running, reserved;
};

// Durations vary, so that hardly two jobs end at the same time.
void fill(Rig& rig, PreparedRequest& request, const Row& row) {
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < row.running + row.reserved; ++i) {
    request.set_duration(kHour_s + static_cast<std::int64_t>(random() % 1'440) * 60);
    const bool now = i < row.running;
    if (!rig.match(request, now ? Operation::allocate : Operation::allocate_orelse_reserve)) {
      give_up(row.name + ": a job found no place");
    }
  }
}

// clone_us, drop_us: a clone is made, and dropped untouched. clone_bytes, state_bytes: what a clone
// takes, and the grants and state of the original. first_us: cancel and match of one job, the first
// thing that a clone does; original_us: the same by the original while it has a clone.
void clone(benchmark::State& state, const Row& row) {
  const std::uint64_t before = heap_bytes();
  Rig rig(flat(row.nodes), "low");
  const std::uint64_t idle = heap_bytes();
  PreparedRequest request = rig.prepare(row.jobspec);
  fill(rig, request, row);
  state.counters["state_bytes"] = static_cast<double>(heap_bytes() - idle);
  state.counters["machine_bytes"] = static_cast<double>(idle - before);
  Best made, dropped, first, original;
  std::uint64_t clone_bytes = 0;
  const JobId job = rig.running()[rig.running().size() / 2];
  const auto again = [job](Engine& engine, PreparedRequest& request_of) {
    require(engine.cancel(job));
    if (!engine.match(Operation::allocate_orelse_reserve, request_of, job)) {
      give_up("what was given back is not there");
    }
  };
  for ([[maybe_unused]] auto _ : state) {
    const std::uint64_t alone = heap_bytes();
    const auto begin = Clock::now();
    auto copy = rig.engine().clone();
    const auto cloned = Clock::now();
    clone_bytes = heap_bytes() - alone;
    auto prepared = require(copy->prepare(require(parse_jobspec(row.jobspec))));
    const auto ask = Clock::now();
    again(*copy, prepared);
    const auto answered = Clock::now();
    again(rig.engine(), request);
    original.add(Clock::now() - answered, 1);
    copy.reset();
    copy = rig.engine().clone();
    const auto drop = Clock::now();
    copy.reset();
    dropped.add(Clock::now() - drop, 1);
    made.add(cloned - begin, 1);
    first.add(answered - ask, 1);
    state.SetIterationTime(std::chrono::duration<double>(cloned - begin).count());
  }
  state.counters["clone_us"] = made.ns() / 1e3;
  state.counters["drop_us"] = dropped.ns() / 1e3;
  state.counters["clone_bytes"] = static_cast<double>(clone_bytes);
  state.counters["first_us"] = first.ns() / 1e3;
  state.counters["original_us"] = original.ns() / 1e3;
}

const bool registered = [] {
  const Row rows[] = {
      {"clone/whole_nodes/flat32/10000", 10'000, whole_nodes(1, 32), 10'000, 10'000},
      {"clone/cores/flat32/10000", 10'000, cores_in_node(24, kHour_s), 10'000, 10'000},
      {"clone/one_core/flat32/100000", 100'000, cores_in_node(1, kHour_s), 1'000'000, 0},
  };
  for (const Row& row : rows) {
    benchmark::RegisterBenchmark(row.name.c_str(),
                                 [row](benchmark::State& state) { clone(state, row); })
        ->UseManualTime()
        ->Iterations(20)
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
