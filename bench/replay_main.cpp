// SPDX-License-Identifier: Apache-2.0
//
// Rows of a stream of jobs through a queue, as `copse plan --generate` runs it: a machine flat32
// under `low`, whole nodes, load and seed as given. One line of JSON a row:
//   jobs_a_second  over the whole stream, processor time
//   longest_ms     the longest pass: one call of JobQueue::work without a budget, processor time
//   passes, longest_queue
//   peak_kb        the most resident memory of the process (VmHWM), machine and stream included
//
//   bench_replay [--nodes N] [--jobs N] [--load L] [--seed N] [DISCIPLINE…]
//
// Without a discipline all four run, each in a process of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <string>
#include <vector>

#include "copse/discipline.hpp"
#include "plan/workload.hpp"
#include "process.hpp"
#include "queue/job_queue.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

struct Replay {
  std::int64_t nodes = 10'000;
  std::uint64_t jobs = 10'000, seed = 1;
  double load = 0.95;
};

class Host : queue::QueueSink {
 public:
  Host(const Replay& replay, const Discipline& discipline)
      : rig_(flat(replay.nodes), "low"),
        stream_(require(plan::generate({.jobs = replay.jobs,
                                        .nodes = replay.nodes,
                                        .load = replay.load,
                                        .seed = replay.seed}))),
        queue_(rig_.engine(), {{.discipline = discipline}}, *this) {}

  void run() {
    const auto begin = BusyClock::now();
    while (const auto time_s = next_time()) {
      for (; !ends_.empty() && ends_.top().first <= *time_s; ends_.pop()) {
        require(queue_.ended(ends_.top().second, ends_.top().first));
      }
      require(queue_.advance(*time_s));
      while (next_ < stream_.jobs.size() && stream_.jobs[next_].submit_s <= *time_s) submit();
      const auto pass_begin = BusyClock::now();
      queue_.work();
      longest_ = std::max(longest_, BusyClock::now() - pass_begin);
      ++passes_;
      longest_queue_ = std::max(longest_queue_, queue_.waiting());
    }
    took_ = BusyClock::now() - begin;
  }
  void print(const Replay& replay, const Discipline& discipline) const {
    using Seconds = std::chrono::duration<double>;
    const double took_s = std::max(Seconds(took_).count(), 1e-9);
    fmt::print(
        "{{\"discipline\": \"{}\", \"nodes\": {}, \"jobs\": {}, \"load\": {}, \"seed\": {}, "
        "\"jobs_a_second\": {:.0f}, \"longest_ms\": {:.2f}, \"passes\": {}, "
        "\"longest_queue\": {}, \"peak_kb\": {}}}\n",
        discipline.name, replay.nodes, replay.jobs, replay.load, replay.seed,
        static_cast<double>(replay.jobs) / took_s, Seconds(longest_).count() * 1e3, passes_,
        longest_queue_, status_kb("VmHWM"));
    std::fflush(stdout);
  }

 private:
  [[nodiscard]] std::optional<std::int64_t> next_time() const {
    std::optional<std::int64_t> out = queue_.next_time();
    const auto take = [&](std::int64_t time_s) { out = out ? std::min(*out, time_s) : time_s; };
    if (next_ < stream_.jobs.size()) take(stream_.jobs[next_].submit_s);
    if (!ends_.empty()) take(ends_.top().first);
    return out;
  }
  void submit() {
    const plan::Job& job = stream_.jobs[next_++];
    require(queue_.submit({.id = next_,
                           .submit_s = job.submit_s,
                           .duration_s = job.duration_s,
                           .kind = std::to_string(job.request),
                           .request = &stream_.requests[job.request]}));
  }
  void started(JobId id, const Grant& grant) override {
    ends_.emplace(std::min(grant.end, grant.start + stream_.jobs[id - 1].length_s()), id);
  }
  void denied(JobId, const Error& error) override { give_up(error.message()); }

  Rig rig_;
  plan::Jobs stream_;  // by submission: the model makes them so
  queue::JobQueue queue_;
  using End = std::pair<std::int64_t, JobId>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::size_t next_ = 0, longest_queue_ = 0, passes_ = 0;
  BusyClock::duration took_{}, longest_{};
};

int run(const Replay& replay, const std::vector<std::string>& disciplines) {
  for (const std::string& name : disciplines) {
    const Discipline discipline = require(find_discipline(name));
    const bool done = apart([&] {
      Host host(replay, discipline);
      host.run();
      host.print(replay, discipline);
    });
    if (!done) return 1;
  }
  return 0;
}

int main_of(const std::vector<std::string>& words) {
  Replay replay;
  std::vector<std::string> disciplines;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      disciplines.push_back(words[i]);
      continue;
    }
    if (i + 1 == words.size()) give_up(words[i] + " wants a number");
    const char* const value = words[i + 1].c_str();
    if (words[i] == "--nodes") {
      replay.nodes = std::atoll(value);
    } else if (words[i] == "--jobs") {
      replay.jobs = static_cast<std::uint64_t>(std::atoll(value));
    } else if (words[i] == "--seed") {
      replay.seed = static_cast<std::uint64_t>(std::atoll(value));
    } else if (words[i] == "--load") {
      replay.load = std::atof(value);
    } else {
      give_up("there is no option " + words[i]);
    }
    ++i;
  }
  if (disciplines.empty()) disciplines = {"fcfs", "easy", "hybrid", "conservative"};
  return run(replay, disciplines);
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) { return copse::bench::main_of({argv + 1, argv + argc}); }
