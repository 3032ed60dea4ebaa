// SPDX-License-Identifier: Apache-2.0
//
// The planner alone: one dimension, n spans of 5 minutes to 12 hours that begin at random over a
// time in which about 100 of them overlap. Every figure is that of one call on a planner that has
// the spans already.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <random>

#include "rig.hpp"
#include "time/planner.hpp"

namespace copse::bench {
namespace {

struct Span {
  std::int64_t start, end, amount;
};

class Spans {
 public:
  explicit Spans(std::int64_t n) : length_s_(n * 218) {}

  Span next() {
    const auto start = static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(length_s_));
    const auto duration = 300 + static_cast<std::int64_t>(random_() % 42'900);
    return {start, start + duration, 1 + static_cast<std::int64_t>(random_() % 32)};
  }
  [[nodiscard]] std::int64_t length_s() const { return length_s_; }

 private:
  std::mt19937_64 random_{1};
  std::int64_t length_s_;  // mean duration 21,750 s over 218 s a span: 100 at a time
};

void add(Planner& planner, const Span& s) { planner.add(s.start, s.end, {{s.amount}}); }
void remove(Planner& planner, const Span& s) { planner.remove(s.start, s.end, {{s.amount}}); }

void planner(benchmark::State& state, std::int64_t n) {
  Spans spans(n);
  const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  Planner planner(1);
  for (std::int64_t i = 0; i < n; ++i) add(planner, spans.next());
  const double bytes = static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd - before) /
                       static_cast<double>(n);

  Best adds, removes, windows, fits;
  constexpr std::size_t kCalls = 1'000;
  std::vector<Span> further(kCalls);
  std::int64_t sum = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (Span& s : further) s = spans.next();
    const auto begin = BusyClock::now();
    for (const Span& s : further) add(planner, s);
    const auto added = BusyClock::now();
    for (const Span& s : further) sum += planner.max_used(0, s.start, s.end);
    const auto asked = BusyClock::now();
    // About 1,650 units are in use on average: less than 700 over hours is rare, and may be
    // nowhere.
    const std::int64_t allowed[] = {700};
    constexpr std::size_t kFits = 20;
    for (std::size_t i = 0; i < kFits; ++i) {
      const auto t = planner.earliest_fit(further[i].start / 16, 7'200, spans.length_s(), allowed);
      sum += t.value_or(0);
    }
    const auto fitted = BusyClock::now();
    for (const Span& s : further) remove(planner, s);
    const auto removed = BusyClock::now();
    adds.add(added - begin, kCalls);
    windows.add(asked - added, kCalls);
    fits.add(fitted - asked, kFits);
    removes.add(removed - fitted, kCalls);
    state.SetIterationTime(std::chrono::duration<double>(removed - begin).count());
  }
  benchmark::DoNotOptimize(sum);
  state.counters["add_ns"] = adds.ns();
  state.counters["remove_ns"] = removes.ns();
  state.counters["max_used_ns"] = windows.ns();
  state.counters["earliest_fit_ns"] = fits.ns();
  state.counters["span_bytes"] = bytes;
}

const bool registered = [] {
  for (const std::int64_t n : {1'000, 10'000, 100'000, 1'000'000}) {
    benchmark::RegisterBenchmark(("planner/" + std::to_string(n)).c_str(), planner, n)
        ->UseManualTime()
        ->Iterations(20)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
