// SPDX-License-Identifier: Apache-2.0
//
// Rig: an engine with the jobs that it runs, and a stopwatch beside it.
//
// What is timed is Engine::match and Engine::cancel: a compiled request in, a committed selection
// out, no text. Making machines, parsing, filling and emptying before a measurement are not timed.
// A benchmark here cannot go on when the engine refuses what it must give: it ends the program with
// a sentence, so that no figure is ever read from a session that went wrong.
#pragma once

#include <benchmark/benchmark.h>
#include <expected>

#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "copse/engine.hpp"
#include "machines.hpp"

namespace copse::bench {

[[noreturn]] void give_up(const std::string& why);

template <class T, class E>
T require(std::expected<T, E> result) {
  if (!result) give_up(result.error().message());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// Nanoseconds a unit of work. The best of several rounds is kept: the machine is shared, and what
// others do can only make a round slower.
class Best {
 public:
  void add(std::chrono::nanoseconds time, std::uint64_t units) {
    if (units == 0) return;
    const double each = static_cast<double>(time.count()) / static_cast<double>(units);
    if (ns_ == 0 || each < ns_) ns_ = each;
  }
  [[nodiscard]] double ns() const { return ns_; }

 private:
  double ns_ = 0;
};

// The same for a long piece of work that every round does in the same steps: the best time of each
// step is kept, so that one disturbance spoils one step of one round. Without this a program beside
// this one, which empties the caches at every turn, makes small machines look like large ones.
class BestOfSteps {
 public:
  void begin_round() { next_ = 0; }
  void add(std::chrono::nanoseconds time, std::uint64_t units) {
    if (next_ == steps_.size()) steps_.push_back({time, units});
    Step& step = steps_[next_++];
    if (time < step.time) step.time = time;
  }
  [[nodiscard]] double ns() const {
    std::chrono::nanoseconds time{};
    std::uint64_t units = 0;
    for (const Step& step : steps_) {
      time += step.time;
      units += step.units;
    }
    return units == 0 ? 0 : static_cast<double>(time.count()) / static_cast<double>(units);
  }

 private:
  struct Step {
    std::chrono::nanoseconds time;
    std::uint64_t units;
  };
  std::vector<Step> steps_;
  std::size_t next_ = 0;
};

// For single calls: cheap to read, but what other programs do in between counts.
using Clock = std::chrono::steady_clock;

// For many calls at once: the time that this thread had a processor. Others can make it longer by
// what they take of the caches, but not by taking the processor itself.
struct BusyClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BusyClock>;
  static constexpr bool is_steady = true;
  static time_point now();
};

// The rounds of a benchmark that tells its time itself: what stands between begin() and end()
// counts.
class Rounds {
 public:
  explicit Rounds(benchmark::State& state) : state_(state) {}
  void begin() { begin_ = BusyClock::now(); }
  void end() {
    const auto time = BusyClock::now() - begin_;
    best_.add(time, 1);
    state_.SetIterationTime(std::chrono::duration<double>(time).count());
  }
  [[nodiscard]] double best_ns() const { return best_.ns(); }

 private:
  benchmark::State& state_;
  BusyClock::time_point begin_{};
  Best best_;
};

// Registers a benchmark of a whole machine as "name/machine/pools", for each of the machines that
// rows of loading and writing are about.
void register_on_machines(const std::string& name, void (*run)(benchmark::State&, const Part&),
                          int rounds);

class Rig {
 public:
  // An idle engine of the machine.
  Rig(const Part& machine, std::string_view policy, Traverser traverser = Traverser::simple);

  explicit Rig(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  [[nodiscard]] PreparedRequest prepare(const std::string& jobspec);
  [[nodiscard]] PreparedRequest prepare(const std::string& jobspec, const std::string& hres);
  void add_resources(const HresSpec& spec);
  [[nodiscard]] std::size_t last_charges() const;  // layers that the last job is charged on
  [[nodiscard]] Engine& engine() { return *engine_; }
  [[nodiscard]] std::vector<JobId>& running() { return running_; }

  // One match under the next job id. True if it was granted.
  bool match(PreparedRequest& request, Operation operation = Operation::allocate) {
    const bool granted = engine_->match(operation, request, next_job_).has_value();
    if (granted) running_.push_back(next_job_++);
    return granted;
  }
  void match_or_give_up(PreparedRequest& request) {
    if (!match(request)) give_up("a match failed that must not");
  }

  // Matches the requests in turn until one is refused or `matches_max` are granted; the number of
  // matches tried.
  std::uint64_t fill(std::vector<PreparedRequest>& requests,
                     std::uint64_t matches_max = UINT64_MAX);

  // Cancels the job at a place of running(); the last one takes its place.
  void cancel_at(std::size_t place);
  void cancel_last() { cancel_at(running_.size() - 1); }
  // Cancels jobs chosen at random. REQUIRES count <= running().size().
  void cancel_some(std::uint64_t count, std::mt19937_64& random);
  void cancel_all();

 private:
  std::unique_ptr<Engine> engine_;
  std::vector<JobId> running_;
  JobId next_job_ = 1;
};

}  // namespace copse::bench
