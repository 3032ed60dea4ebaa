// SPDX-License-Identifier: Apache-2.0
//
// Alternatives on rows of nodes of 32 cores, 8 of each busy: a slot of 26 cores in a node, which is
// nowhere, or one of 24, which is everywhere. As siblings they need the flexible walk; as
// xor_slots they do not.
#include <benchmark/benchmark.h>

#include "jobs.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

constexpr std::string_view kHead = "version: 9999\nresources: [";
constexpr std::string_view kTail =
    "]\ntasks: [{command: [app], slot: task, count: {per_slot: 1}}]\nattributes: {system: "
    "{duration: 3600}}\n";

std::string of(std::string_view type, std::string_view count, std::string_view with = {}) {
  std::string out = "{type: " + std::string(type) + ", count: " + std::string(count);
  if (type.ends_with("slot")) out += ", label: task";
  if (!with.empty()) out += ", with: [" + std::string(with) + "]";
  return out + "}";
}
std::string jobspec(const std::string& resources) {
  return std::string(kHead) + resources + std::string(kTail);
}

// match_ns: one match; its job is cancelled at once.
void alternatives(benchmark::State& state, const std::string& policy, std::int64_t nodes,
                  std::string_view kind) {
  Rig rig(flat(nodes), policy, Traverser::flexible);
  PreparedRequest touch = rig.prepare(cores_in_node(8, kHour_s, nodes));
  rig.match_or_give_up(touch);
  PreparedRequest request = rig.prepare(jobspec(
      of("node", "1", of(kind, "1", of("core", "26")) + ", " + of(kind, "1", of("core", "24")))));
  Best match;
  constexpr int kMatches = 20;
  for ([[maybe_unused]] auto _ : state) {
    std::chrono::nanoseconds matches{};
    for (int i = 0; i < kMatches; ++i) {
      const auto begin = Clock::now();
      rig.match_or_give_up(request);
      matches += Clock::now() - begin;
      rig.cancel_last();
    }
    match.add(matches, kMatches);
    state.SetIterationTime(std::chrono::duration<double>(matches).count());
  }
  state.counters["match_ns"] = match.ns();
}

[[maybe_unused]] const bool registered = [] {
  for (const char* policy : {"first", "low", "high"}) {
    for (const std::int64_t nodes : {1'000, 10'000}) {
      for (const char* kind : {"slot", "xor_slot"}) {
        benchmark::RegisterBenchmark(
            ("flexible/" + std::string(kind) + "/" + policy + "/" + std::to_string(nodes)).c_str(),
            alternatives, policy, nodes, kind)
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
