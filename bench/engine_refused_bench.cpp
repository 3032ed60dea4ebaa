// SPDX-License-Identifier: Apache-2.0
//
// Rows of matches that fail: on a full system, and what can never be.
//
// first_ns is the first match of a request that was just compiled, on an engine that has matched
// one of its kind before; again_ns is a later match of the same compiled request, which may
// remember that it is infeasible. Both on a machine of which nothing or all is in use, as the row
// says.
#include <benchmark/benchmark.h>

#include "jobs.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

Part flat32(std::int64_t nodes) { return flat(nodes); }

struct Row {
  std::string name;
  std::string policy;
  Part (*machine)(std::int64_t);
  std::int64_t nodes;
  std::string before;   // jobs that run already: as many as fit; "" for none
  std::string refused;  // what is measured
  Operation operation;
  bool infeasible;
};

void expect_refusal(Rig& rig, PreparedRequest& request, const Row& row) {
  const auto answer = rig.engine().match(row.operation, request, 1'000'000'000);
  if (answer.has_value()) give_up("a match was granted that must fail");
  // Only operations that find out say infeasible, and not about nodes that are merely too few.
  const ErrorCode code = answer.error().code;
  if (code == ErrorCode::insufficient || (row.infeasible && code == ErrorCode::infeasible)) return;
  give_up(row.name + ": " + answer.error().message());
}

void refuse(benchmark::State& state, const Row& row) {
  Rig rig(row.machine(row.nodes), row.policy);
  if (!row.before.empty()) {
    std::vector<PreparedRequest> before;
    before.push_back(rig.prepare(row.before));
    rig.fill(before);
  }
  const Request parsed = require(parse_jobspec(row.refused));
  auto fresh = [&] { return require(rig.engine().prepare(parsed)); };
  PreparedRequest warm = fresh();
  expect_refusal(rig, warm, row);

  Best first, again;
  constexpr std::uint64_t kAgain = 10;
  for ([[maybe_unused]] auto _ : state) {
    PreparedRequest request = fresh();
    const auto begin = Clock::now();
    expect_refusal(rig, request, row);
    const auto once = Clock::now();
    for (std::uint64_t i = 0; i < kAgain; ++i) expect_refusal(rig, request, row);
    const auto end = Clock::now();
    first.add(once - begin, 1);
    again.add(end - once, kAgain);
    state.SetIterationTime(std::chrono::duration<double>(end - begin).count());
  }
  state.counters["first_ns"] = first.ns();
  state.counters["again_ns"] = again.ns();
}

void add(Row row) {
  row.name += std::string(row.operation == Operation::allocate ? "/allocate/" : "/reserve/") +
              row.policy + "/" + std::to_string(row.nodes);
  benchmark::RegisterBenchmark(row.name.c_str(),
                               [row](benchmark::State& state) { refuse(state, row); })
      ->UseManualTime()
      ->Iterations(100)
      ->Unit(benchmark::kMicrosecond);
}

const bool registered = [] {
  const std::string one_core = cores_in_node(1), one_node = whole_nodes(1, 32);
  for (const std::int64_t n : {1'000, 10'000}) {
    for (const char* policy : {"first", "low"}) {
      const Operation now = Operation::allocate;
      add({"full_cores", policy, flat32, n, one_node, one_core, now, false});
      add({"full_node", policy, flat32, n, one_node, one_node, now, false});
      // Enough cores in sum, but no node has two that are free, or is idle.
      add({"scattered_cores", policy, flat32, n, cores_in_node(31), cores_in_node(2), now, false});
      add({"scattered_node", policy, flat32, n, cores_in_node(31), whole_nodes(1, 1), now, false});
      for (const Operation op : {now, Operation::allocate_orelse_reserve}) {
        add({"more_nodes_than_all", policy, flat32, n, "", whole_nodes(n + 1, 32), op, true});
        add({"more_cores_than_a_node", policy, flat32, n, "", cores_in_node(33), op, true});
        add({"more_cores_than_a_node_slot", policy, flat32, n, "", whole_nodes(1, 33), op, true});
        add({"no_such_mix", policy, two_kinds, n, "", cores_and_gpus(32, 1), op, true});
        add({"no_such_mix_racks", policy, two_kinds_in_racks, n, "", cores_and_gpus(32, 1), op,
             true});
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
