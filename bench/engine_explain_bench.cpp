// SPDX-License-Identifier: Apache-2.0
//
// Rows of explanations: why one more job gets nothing on a machine that is full.
//
// explain_ns is one Engine::explain, which matches in vain and then looks at every candidate;
// failed_ns is the match in vain alone.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "jobs.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

struct Row {
  std::string name;
  std::int64_t nodes;
  std::string before;   // jobs that run already: as many as fit
  std::string refused;  // what is explained
  Verdict verdict;
};

void explain(benchmark::State& state, const Row& row) {
  Rig rig(flat(row.nodes), "low");
  if (!row.before.empty()) {
    std::vector<PreparedRequest> before;
    before.push_back(rig.prepare(row.before));
    rig.fill(before);
  }
  PreparedRequest request = rig.prepare(row.refused);
  Best why, failed;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = Clock::now();
    if (rig.match(request)) give_up("a match was granted that must fail");
    const auto matched = Clock::now();
    const Explanation explanation = require(rig.engine().explain(request));
    const auto end = Clock::now();
    if (explanation.verdict != row.verdict) give_up(row.name + ": another verdict");
    failed.add(matched - begin, 1);
    why.add(end - matched, 1);
    state.SetIterationTime(std::chrono::duration<double>(end - begin).count());
  }
  state.counters["explain_ns"] = why.ns();
  state.counters["failed_ns"] = failed.ns();
}

void add(Row row) {
  row.name = "explain_" + row.name + "/low/flat32/" + std::to_string(row.nodes);
  benchmark::RegisterBenchmark(row.name.c_str(),
                               [row](benchmark::State& state) { explain(state, row); })
      ->UseManualTime()
      ->Iterations(20)
      ->Unit(benchmark::kMicrosecond);
}

const bool registered = [] {
  const std::string one_core = cores_in_node(1), one_node = whole_nodes(1, 32);
  for (const std::int64_t n : {1'000, 10'000, 100'000}) {
    add({"full_of_nodes", n, one_node, one_node, Verdict::insufficient});
    add({"full_of_nodes_core", n, one_node, one_core, Verdict::insufficient});
    add({"full_of_cores", n, one_core, one_core, Verdict::insufficient});
    add({"full_of_cores_node", n, one_core, one_node, Verdict::insufficient});
    add({"never", n, "", cores_in_node(33), Verdict::infeasible});
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
