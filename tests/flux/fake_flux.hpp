// SPDX-License-Identifier: Apache-2.0
//
// FakeFlux: a job manager and a resource module without Flux. From a seed they send a Scheduler the
// messages of RFC 27 and RFC 28, including faults and reloads, and keep records of their own.
//
// Each answer is checked against the records: an alloc is answered once; granted resources were free,
// up, and as many as requested. wrong() reports violations.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "flux/scheduler.hpp"

namespace copse::flux {

struct FakeSetup {
  std::uint64_t seed = 1;
  int nodes = 8, cores = 4;
  std::string queue_policy = "easy";
  bool shrinks = true;
};

class FakeFlux final : private JobManager {
 public:
  explicit FakeFlux(const FakeSetup& setup);

  // One event, chosen by the seed; then the scheduler works, in slices of a size by the seed.
  void step();
  // Cancels and frees all jobs. Allocations that remain are violations.
  void finish();
  [[nodiscard]] const std::vector<std::string>& wrong() const { return wrong_; }
  [[nodiscard]] std::size_t started() const { return started_; }
  [[nodiscard]] std::size_t reloads() const { return reloads_; }

 private:
  using Unit = std::pair<std::int64_t, std::int64_t>;  // rank, core

  struct Job {
    enum class State { pending, running, over } state = State::pending;
    std::string jobspec;
    std::int64_t priority = 16, duration_s = 0;
    double submit_s = 0;
    std::int64_t cores = 0, nodes = 0;  // requested; nodes: 0, any
    bool fast = false;                  // only on ranks with that property
    bool cancelled = false;             // its request has not been answered yet
    std::string r;
    std::map<std::int64_t, std::set<std::int64_t>> has;  // cores by rank
    Idset freed;
    std::int64_t end_s = 0;
  };

  void succeed(JobId job, const std::string& r, const std::string& annotations) override;
  void annotate(JobId job, const std::string& annotations) override;
  void deny(JobId job, const std::string& note) override;
  void cancelled(JobId job) override;
  void complain(const std::string& line) override;

  std::int64_t below(std::int64_t bound);
  bool chance(int percent) { return below(100) < percent; }
  void fault(std::string what) { wrong_.push_back(std::move(what)); }
  [[nodiscard]] std::string inventory() const;
  void load();  // makes a new scheduler
  void hello_all();
  void work();
  void submit();
  void cancel(JobId id);
  void end(JobId id);
  void free_some(JobId id);
  [[nodiscard]] static std::set<std::int64_t> ranks_of(const Job& job);
  void drop(Job& job, const std::set<std::int64_t>& ranks);  // the job has them no more
  void free(JobId id, const Idset& ranks, bool last);
  void compare();
  // A job of that state; 0: none.
  JobId any(Job::State state);

  FakeSetup setup_;
  std::mt19937_64 random_;
  std::int64_t now_s_ = 1'000'000;
  std::unique_ptr<Scheduler> scheduler_;
  std::map<JobId, Job> jobs_;
  std::map<Unit, JobId> held_;
  std::vector<JobId> to_free_;  // they succeeded after they were cancelled
  std::set<std::int64_t> down_, gone_;
  JobId next_id_ = 1;
  std::size_t started_ = 0, reloads_ = 0, expected_complaints_ = 0, complaints_ = 0;
  std::vector<std::string> wrong_;
};

}  // namespace copse::flux
