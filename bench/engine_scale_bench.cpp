// SPDX-License-Identifier: Apache-2.0
//
// Rows of scale: nodes of 128 cores, 1,000 to 100,000 of them (13 million pools), matched one core,
// one node and sixteen nodes at a time on the idle machine. match_ns: a match; cancel_ns: a cancel.
#include "jobs.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

constexpr std::uint64_t kMatches = 5'000;  // no more than one node of the smallest machine each

void match_some(benchmark::State& state, const std::string& policy, std::int64_t nodes,
                const std::string& jobspec, std::uint64_t matches) {
  Rig rig(flat(nodes, 128), policy);
  PreparedRequest request = rig.prepare(jobspec);
  rig.match_or_give_up(request);  // lists are made for the first
  Best match, cancel;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = BusyClock::now();
    for (std::uint64_t i = 0; i < matches; ++i) rig.match_or_give_up(request);
    const auto granted = BusyClock::now();
    for (std::uint64_t i = 0; i < matches; ++i) rig.cancel_last();
    const auto end = BusyClock::now();
    match.add(granted - begin, matches);
    cancel.add(end - granted, matches);
    state.SetIterationTime(std::chrono::duration<double>(end - begin).count());
  }
  state.counters["match_ns"] = match.ns();
  state.counters["cancel_ns"] = cancel.ns();
}

const bool registered = [] {
  struct Row {
    const char* name;
    std::string jobspec;
    std::uint64_t matches;
  };
  const Row rows[] = {{"scale_core", cores_in_node(1), kMatches},
                      {"scale_node", whole_nodes(1, 128), kMatches / 8},
                      {"scale_sixteen_nodes", whole_nodes(16, 128), kMatches / 100}};
  for (const Row& row : rows) {
    for (const char* policy : {"first", "low", "high", "lonode"}) {
      for (const std::int64_t nodes : {1'000, 10'000, 100'000}) {
        const std::string name =
            std::string(row.name) + "/" + policy + "/flat128/" + std::to_string(nodes);
        benchmark::RegisterBenchmark(name.c_str(), match_some, std::string(policy), nodes,
                                     row.jobspec, row.matches)
            ->UseManualTime()
            ->Iterations(10)
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
