// SPDX-License-Identifier: Apache-2.0
//
// Rows of a queue that lives: a full machine, 12,000 jobs that wait, and one after another running
// job ends before its time. Measured is what the queue does until it has nothing more to decide.
#include <map>
#include <random>

#include "queue/answers/answers.hpp"
#include "request/shape.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

using queue::JobQueue;
using queue::WorkBudget;

constexpr std::int64_t kMinute_s = 60;
constexpr std::uint64_t kLooks = 250;

struct Row {
  std::string name;
  const char* discipline;
  std::size_t depth = SIZE_MAX;
  std::int64_t nodes = 10'000;
  std::size_t pending = 12'000, ends = 200;
  bool mixed = false;  // every other job asks for cores of one node
  bool full = false;   // one job has all nodes, the others ask for a core
};

class Live : queue::QueueSink {
 public:
  explicit Live(const Row& row)
      : row_(row),
        rig_(flat(row.nodes), "low"),
        queue_(rig_.engine(),
               {{.discipline = *find_discipline(row.discipline), .depth = row.depth}}, *this) {
    if (row.full) take_all();
    for (JobId job = 1; queue_.waiting() < row.pending; ++job) submit(job);
  }

  // Ends one that runs; how long the queue took, and the longest of its budgets.
  std::chrono::nanoseconds end_one(std::chrono::nanoseconds& longest_slice) {
    auto at = running_.begin();
    std::advance(
        at, static_cast<std::ptrdiff_t>(random_() % std::min<std::size_t>(64, running_.size())));
    const JobId job = at->first;
    running_.erase(at);
    const auto begin = BusyClock::now();
    require(queue_.ended(job, rig_.engine().now()));
    std::chrono::nanoseconds longest{0};
    for (bool done = false; !done;) {
      const auto slice_begin = BusyClock::now();
      WorkBudget budget{.jobs = kLooks};
      done = queue_.work(budget);
      longest = std::max<std::chrono::nanoseconds>(longest, BusyClock::now() - slice_begin);
    }
    longest_slice = std::max(longest_slice, longest);
    return BusyClock::now() - begin;
  }
  std::chrono::nanoseconds look_ahead() {
    const auto begin = Clock::now();
    queue::Outlook outlook(queue_);
    WorkBudget all;
    if (!outlook.work(all)) give_up("the outlook is not done");
    return Clock::now() - begin;
  }

  // Why and when of all, from nothing.
  std::chrono::nanoseconds answer_all(std::chrono::nanoseconds& longest_slice) {
    const auto begin = Clock::now();
    queue::Answers answers(queue_);
    for (bool done = false; !done;) {
      const auto slice_begin = Clock::now();
      WorkBudget budget{.jobs = 100};
      done = answers.work(budget);
      longest_slice = std::max<std::chrono::nanoseconds>(longest_slice, Clock::now() - slice_begin);
    }
    for (std::size_t n = 0; n < answers.size();) {
      const auto slice_begin = Clock::now();
      for (std::size_t end = n + 100; n < std::min(end, answers.size()); ++n) {
        if (!answers.at(n)) give_up("not all have an answer");
      }
      longest_slice = std::max<std::chrono::nanoseconds>(longest_slice, Clock::now() - slice_begin);
    }
    if (answers.size() != queue_.waiting()) give_up("not all have an answer");
    return Clock::now() - begin;
  }

 private:
  void take_all() {
    const Request all = require(parse_shape("slot=" + std::to_string(row_.nodes) + "/node"));
    require(
        queue_.submit({.id = kAll, .duration_s = 120 * kMinute_s, .kind = "all", .request = &all}));
    queue_.work();
  }
  void submit(JobId job) {
    const bool cores = row_.full || (row_.mixed && job % 2 == 0);
    const std::int64_t count = row_.full ? 1
                               : cores   ? 1 + static_cast<std::int64_t>(random_() % 16)
                                         : INT64_C(1) << (random_() % 10);
    Request& request = requests_[{cores, count}];
    if (request.resources.empty()) {
      request = require(parse_shape((cores ? "slot=1/node/core=" : "slot=") +
                                    std::to_string(count) + (cores ? "" : "/node")));
    }
    const std::string kind = (cores ? "cores " : "nodes ") + std::to_string(count);
    const std::int64_t duration_s = kMinute_s * static_cast<std::int64_t>(10 + random_() % 1'430);
    require(
        queue_.submit({.id = job, .duration_s = duration_s, .kind = kind, .request = &request}));
    // So that the machine fills as it would: what comes finds out at once.
    if (queue_.waiting() < 64 || job % 256 == 0) queue_.work();
  }
  void started(JobId job, const Grant& grant) override { running_[job] = grant.end; }
  void denied(JobId, const Error& error) override { give_up(error.message()); }

  static constexpr JobId kAll = JobId{1} << 40;
  const Row row_;
  Rig rig_;
  std::mt19937_64 random_{1};
  std::map<std::pair<bool, std::int64_t>, Request> requests_;
  std::map<JobId, std::int64_t> running_;
  JobQueue queue_;
};

// mean_us, longest_us: of a job's end. slice_us: the longest of at most kLooks jobs looked at.
void live(benchmark::State& state, const Row& row) {
  Live one(row);
  std::chrono::nanoseconds longest{0}, sum{0}, budget{0};
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t n = 0; n < row.ends; ++n) {
      const auto time = one.end_one(budget);
      sum += time;
      longest = std::max(longest, time);
    }
    state.SetIterationTime(std::chrono::duration<double>(sum).count());
  }
  const auto us = [](std::chrono::nanoseconds time) {
    return static_cast<double>(time.count()) / 1e3;
  };
  state.counters["mean_us"] = us(sum) / static_cast<double>(row.ends);
  state.counters["longest_us"] = us(longest);
  state.counters["slice_us"] = us(budget);
}

// ms: when each of 10,000 jobs would start, from nothing.
void outlook(benchmark::State& state, const Row& row) {
  Live one(row);
  Best best;
  for ([[maybe_unused]] auto _ : state) {
    const auto time = one.look_ahead();
    best.add(time, 1);
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  state.counters["ms"] = best.ns() / 1e6;
}

// ms: why and when of each of 10,000 jobs, from nothing. slice_us: the longest of at most 100.
void answers(benchmark::State& state, const Row& row) {
  Live one(row);
  Best best;
  std::chrono::nanoseconds budget{0};
  for ([[maybe_unused]] auto _ : state) {
    const auto time = one.answer_all(budget);
    best.add(time, 1);
    state.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  state.counters["ms"] = best.ns() / 1e6;
  state.counters["slice_us"] = static_cast<double>(budget.count()) / 1e3;
}

const bool registered = [] {
  const Row rows[] = {
      {.name = "live/nodes/flat32/10000/easy_32", .discipline = "easy", .depth = 32},
      {.name = "live/nodes/flat32/10000/easy_1000", .discipline = "easy", .depth = 1'000},
      {.name = "live/nodes/flat32/10000/easy", .discipline = "easy"},
      {.name = "live/nodes/flat32/1000/conservative", .discipline = "conservative", .nodes = 1'000},
      {.name = "live/nodes/flat32/10000/conservative", .discipline = "conservative"},
      {.name = "live/mixed/flat32/10000/easy_32", .discipline = "easy", .depth = 32, .mixed = true},
      {.name = "live/mixed/flat32/10000/easy", .discipline = "easy", .mixed = true},
  };
  for (const Row& row : rows) {
    benchmark::RegisterBenchmark(row.name.c_str(),
                                 [row](benchmark::State& state) { live(state, row); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  for (const char* discipline : {"fcfs", "easy"}) {
    Row row{.name = std::string("outlook/nodes/flat32/10000/") + discipline,
            .discipline = discipline};
    row.pending = 10'000;
    benchmark::RegisterBenchmark(row.name.c_str(),
                                 [row](benchmark::State& state) { outlook(state, row); })
        ->UseManualTime()
        ->Iterations(3)
        ->Unit(benchmark::kMillisecond);
  }
  for (const bool mixed : {false, true}) {
    Row row{.name = mixed ? "answers/mixed/flat32/10000/easy" : "answers/nodes/flat32/10000/easy",
            .discipline = "easy"};
    row.pending = 10'000;
    row.mixed = mixed;
    benchmark::RegisterBenchmark(row.name.c_str(),
                                 [row](benchmark::State& state) { answers(state, row); })
        ->UseManualTime()
        ->Iterations(3)
        ->Unit(benchmark::kMillisecond);
  }
  Row row{.name = "answers/core/flat32/10000/100000_wait", .discipline = "easy"};
  row.pending = 100'000;
  row.full = true;
  benchmark::RegisterBenchmark(row.name.c_str(),
                               [row](benchmark::State& state) { answers(state, row); })
      ->UseManualTime()
      ->Iterations(2)
      ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace copse::bench
