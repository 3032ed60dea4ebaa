// SPDX-License-Identifier: Apache-2.0
//
// Rows of whole nodes, slot→node→core[32]: one a job, sixteen a job, where every node but one is
// touched, and cancel + allocate at random.
#include <random>

#include "fill.hpp"
#include "jobs.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

Part flat32(std::int64_t nodes) { return flat(nodes); }

// Every node but one has a busy core; the only node left is allocated and given back again and
// again. match_ns: the match. cancel_ns: the cancel.
void one_idle_node(benchmark::State& state, const std::string& policy, std::int64_t nodes) {
  Rig rig(flat32(nodes), policy);
  PreparedRequest touch = rig.prepare(cores_in_node(1, kHour_s, nodes - 1));
  rig.match_or_give_up(touch);
  PreparedRequest whole = rig.prepare(whole_nodes(1, 32));
  rig.match_or_give_up(whole);
  if (rig.match(whole)) give_up("more than one node was idle");
  rig.cancel_last();
  Best match, cancel;
  constexpr int kPairs = 100;
  for ([[maybe_unused]] auto _ : state) {
    std::chrono::nanoseconds matches{}, cancels{};
    for (int i = 0; i < kPairs; ++i) {
      const auto begin = Clock::now();
      rig.match_or_give_up(whole);
      const auto granted = Clock::now();
      rig.cancel_last();
      matches += granted - begin;
      cancels += Clock::now() - granted;
    }
    match.add(matches, kPairs);
    cancel.add(cancels, kPairs);
    state.SetIterationTime(std::chrono::duration<double>(matches + cancels).count());
  }
  state.counters["match_ns"] = match.ns();
  state.counters["cancel_ns"] = cancel.ns();
}

// A machine full of jobs of one whole node but for a twentieth; one of them, at random, is
// cancelled, and another is allocated. pair_ns: both.
void churn(benchmark::State& state, const std::string& policy, std::int64_t nodes) {
  Rig rig(flat32(nodes), policy);
  std::vector<PreparedRequest> whole;
  whole.push_back(rig.prepare(whole_nodes(1, 32)));
  rig.fill(whole);
  std::mt19937_64 random(1);
  rig.cancel_some(rig.running().size() / 20, random);
  Best pair;
  constexpr int kPairs = 250;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = BusyClock::now();
    for (int i = 0; i < kPairs; ++i) {
      rig.cancel_at(random() % rig.running().size());
      rig.match_or_give_up(whole[0]);
    }
    const auto time = BusyClock::now() - begin;
    pair.add(time, kPairs);
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  state.counters["pair_ns"] = pair.ns();
}

template <class Function>
void add(const char* row, const char* policy, std::int64_t nodes, Function run, int rounds) {
  const std::string name = std::string(row) + "/" + policy + "/flat32/" + std::to_string(nodes);
  benchmark::RegisterBenchmark(
      name.c_str(), [=](benchmark::State& state) { run(state, std::string(policy), nodes); })
      ->UseManualTime()
      ->Iterations(rounds)
      ->Unit(benchmark::kMicrosecond);
}

const bool registered = [] {
  const std::vector<std::string> one{whole_nodes(1, 32)}, sixteen{whole_nodes(16, 32)};
  for (const std::int64_t nodes : {1'000, 10'000, 100'000}) {
    const std::string end = "/flat32/" + std::to_string(nodes);
    for (const char* policy : {"first", "low", "high", "lonode", "hinode"}) {
      register_fill({std::string("whole_node/") + policy + end, policy, flat32, nodes, one});
    }
    for (const char* policy : {"first", "low"}) {
      register_fill({std::string("sixteen_nodes/") + policy + end, policy, flat32, nodes, sixteen});
      add("one_idle_node", policy, nodes, one_idle_node, 20);
      add("churn", policy, nodes, churn, 20);
    }
  }
  for (const std::int64_t nodes : {1'000, 10'000, 100'000}) {
    for (const char* policy : {"low", "few-racks", "keep-large"}) {
      const std::string row = std::string("sixteen_nodes/") + policy;
      const std::string end = "/" + std::to_string(nodes);
      register_fill({row + "/racks_of_16" + end, policy, racks_of_16, nodes, sixteen});
      register_fill({row + "/blocks_of_128" + end, policy, blocks_of_128, nodes, sixteen});
    }
  }
  register_fill(
      {"whole_node/locality/flat32/1000", "locality", flat32, 1'000, one, /*refill=*/false});
  return true;
}();

}  // namespace
}  // namespace copse::bench
