// SPDX-License-Identifier: Apache-2.0
//
// The planner alone, with n spans. Every figure is that of one call on a planner that has the spans
// already, but build_ns: a span of those added to an empty one.
//
// planner: spans of 5 minutes to 12 hours that begin at random over a time in which about 100 of
// them overlap; one dimension, or two.
// planner_runs: free runs between spans of one unit. `short`: all under an eighth of the duration
// asked for; `worst`: of 0.3 to 0.99 of it; in both only the last run fits. `half`: every second
// one fits.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <functional>
#include <random>

#include "rig.hpp"
#include "time/planner.hpp"

namespace copse::bench {
namespace {

struct Span {
  std::int64_t start, end;
  std::int64_t amounts[2];
};

class Spans {
 public:
  explicit Spans(std::int64_t n) : length_s_(n * 218) {}

  Span next() {
    const auto start = static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(length_s_));
    const auto duration = 300 + static_cast<std::int64_t>(random_() % 42'900);
    const auto units = 1 + static_cast<std::int64_t>(random_() % 32);
    return {start, start + duration, {units, 1}};
  }
  [[nodiscard]] std::int64_t length_s() const { return length_s_; }

 private:
  std::mt19937_64 random_{1};
  std::int64_t length_s_;  // mean duration 21,750 s over 218 s a span: 100 at a time
};

std::span<const std::int64_t> amounts(const Planner& planner, const Span& s) {
  return {s.amounts, planner.dimensions()};
}
void add(Planner& planner, const Span& s) { planner.add(s.start, s.end, amounts(planner, s)); }
void remove(Planner& planner, const Span& s) {
  planner.remove(s.start, s.end, amounts(planner, s));
}

std::size_t in_use() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

void planner(benchmark::State& state, std::int64_t n, std::uint32_t dimensions) {
  Spans spans(n);
  std::vector<Span> all(static_cast<std::size_t>(n));
  for (Span& s : all) s = spans.next();
  const std::size_t before = in_use();
  Planner planner(dimensions);
  const auto empty = BusyClock::now();
  for (const Span& s : all) add(planner, s);
  const auto built = BusyClock::now();
  const double bytes = static_cast<double>(in_use() - before) / static_cast<double>(n);

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
    const std::int64_t allowed[] = {700, INT64_MAX};
    constexpr std::size_t kFits = 20;
    for (std::size_t i = 0; i < kFits; ++i) {
      const auto t = planner.earliest_fit(further[i].start / 16, 7'200, spans.length_s(),
                                          {allowed, dimensions});
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
  state.counters["build_ns"] =
      static_cast<double>(std::chrono::nanoseconds(built - empty).count()) / static_cast<double>(n);
  state.counters["add_ns"] = adds.ns();
  state.counters["remove_ns"] = removes.ns();
  state.counters["max_used_ns"] = windows.ns();
  state.counters["earliest_fit_ns"] = fits.ns();
  state.counters["span_bytes"] = bytes;
}

constexpr std::int64_t kDuration_s = 7'200;

// n spans one after the other, with free runs in between; added in random order.
std::vector<Span> spans_with_runs(std::int64_t n, std::int64_t shortest_s, std::int64_t longest_s,
                                  bool every_second_fits) {
  std::mt19937_64 random(2);
  std::vector<Span> spans(static_cast<std::size_t>(n));
  auto pick = [&](std::int64_t lo, std::int64_t hi) {
    return lo + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(hi - lo + 1));
  };
  std::int64_t at = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const std::int64_t end = at + pick(300, 3'600);
    spans[i] = {at, end, {1, 1}};
    at = end + (every_second_fits && i % 2 == 0 ? kDuration_s : pick(shortest_s, longest_s));
  }
  std::shuffle(spans.begin(), spans.end(), random);
  return spans;
}

void planner_runs(benchmark::State& state, const std::vector<Span>& spans) {
  Planner planner(1);
  for (const Span& s : spans) add(planner, s);
  Best best;
  const std::int64_t nothing[] = {0};
  constexpr std::size_t kCalls = 20;
  std::int64_t sum = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = BusyClock::now();
    for (std::size_t i = 0; i < kCalls; ++i) {
      const std::int64_t after = spans[i % spans.size()].start / 1'024;  // early, and all different
      const auto t = planner.earliest_fit(after, kDuration_s, INT64_MAX, nothing);
      if (!t) give_up("an earliest fit is missing");
      sum += *t;
    }
    const auto end = BusyClock::now();
    best.add(end - begin, kCalls);
    state.SetIterationTime(std::chrono::duration<double>(end - begin).count());
  }
  benchmark::DoNotOptimize(sum);
  state.counters["earliest_fit_ns"] = best.ns();
}

void register_bench(const std::string& name, const std::function<void(benchmark::State&)>& run) {
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->Iterations(20)
      ->Unit(benchmark::kMillisecond);
}

const bool registered = [] {
  for (const std::int64_t n : {1'000, 8'000, 80'000, 608'000, 1'000'000}) {
    const std::string size = "/" + std::to_string(n);
    register_bench("planner" + size, [n](benchmark::State& s) { planner(s, n, 1); });
    register_bench("planner_two_types" + size, [n](benchmark::State& s) { planner(s, n, 2); });
    register_bench("planner_runs/short" + size, [n](benchmark::State& s) {
      planner_runs(s, spans_with_runs(n, 1, kDuration_s / 8 - 1, false));
    });
    register_bench("planner_runs/worst" + size, [n](benchmark::State& s) {
      planner_runs(s, spans_with_runs(n, kDuration_s * 3 / 10, kDuration_s * 99 / 100, false));
    });
    register_bench("planner_runs/half" + size, [n](benchmark::State& s) {
      planner_runs(s, spans_with_runs(n, 1, kDuration_s * 99 / 100, true));
    });
  }
  return true;
}();

}  // namespace
}  // namespace copse::bench
