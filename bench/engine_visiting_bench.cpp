// SPDX-License-Identifier: Apache-2.0
//
// What a visiting policy costs (copse/policy/visit.hpp): one match and its cancel on a machine that is half
// full, by `high`, and by a policy that is called for each pool and chooses the best.
#include <string>

#include "copse/policy/visit.hpp"
#include "fill.hpp"
#include "formats/grug/grug.hpp"
#include "jobs.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

Score visits_high(Visit& visit) {
  for (const WantedPools& wanted : visit.below()) {
    if (wanted.takes == 0) return 0;
    visit.choose_best(wanted.type, wanted.takes);
  }
  return visit.event == Visit::Event::pool ? visit.graph.id(visit.pool) + 2 : visit.score;
}

Score refuses_nothing(Visit& visit) { return visit.score; }

void match(benchmark::State& state, const Policy& policy, const std::string& jobspec,
           std::int64_t nodes) {
  auto graph = require(read_grug(grug_text(flat(nodes)), "machine"));
  Rig rig(require(Engine::create(std::move(graph), {.policy = policy})));
  PreparedRequest half = rig.prepare(whole_nodes(nodes / 2, 32));
  rig.match_or_give_up(half);
  PreparedRequest request = rig.prepare(jobspec);
  Rounds rounds(state);
  for ([[maybe_unused]] auto _ : state) {
    rounds.begin();
    rig.match_or_give_up(request);
    rounds.end();
    rig.cancel_last();
  }
  state.counters["match_ns"] = rounds.best_ns();
}

void add(const std::string& name, const Policy& policy, const std::string& jobspec,
         std::int64_t nodes) {
  const std::string row =
      "visiting/" + name + "/" + policy.name + "/flat32/" + std::to_string(nodes);
  benchmark::RegisterBenchmark(
      row.c_str(), [=](benchmark::State& state) { match(state, policy, jobspec, nodes); })
      ->UseManualTime()
      ->Iterations(20)
      ->Unit(benchmark::kMicrosecond);
}

const bool registered = [] {
  const Policy high = *find_policy("high");
  const Policy plain{.name = "plain-visits", .visit = refuses_nothing};
  const Policy choosing{.name = "high-visits", .visit = visits_high};
  for (const std::int64_t nodes : {1'000, 10'000}) {
    for (const Policy& policy : {high, plain, choosing}) {
      add("one_node", policy, whole_nodes(1, 32), nodes);
      add("one_core", policy, cores_in_node(1), nodes);
    }
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
