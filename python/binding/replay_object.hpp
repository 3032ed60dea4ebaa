// SPDX-License-Identifier: Apache-2.0
//
// copse._copse.Replay: a stream of jobs, run step by step by a discipline written in Python.
//
// Time advances from event to event: first ends, then submissions. The caller keeps the waiting
// jobs.
//
// Invariants
//   1. Job n of the stream has the grant first_grant_ + n while it runs.
//   2. Jobs that never fit are refused at submission, and not returned by step().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "schedule_object.hpp"

namespace copse::python {

class ReplayObject {
 public:
  ReplayObject(std::shared_ptr<EngineObject> engine, StreamPointer stream, std::string discipline);

  // Advances to the next time at which jobs end or are submitted; returns the submitted jobs;
  // nullopt: no such time. Throws the errors of Engine::advance.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> step();
  // Starts a job if it fits now. Throws Invalid (not waiting).
  bool start(std::uint32_t job);
  // Whether it would, without starting it. Throws Invalid (not waiting).
  [[nodiscard]] bool fits(std::uint32_t job);
  // The same for each of these jobs; equal requests are tried once.
  [[nodiscard]] std::vector<bool> which_fit(const std::vector<std::uint32_t>& jobs);
  // Whether a job fits now, and the earliest start of another one, the head, stays the same. It is the
  // condition of EASY. Throws Invalid (not waiting).
  [[nodiscard]] bool fits_beside(std::uint32_t job, std::uint32_t head);
  // The earliest start of a job if no other job started.
  [[nodiscard]] std::optional<std::int64_t> earliest(std::uint32_t job);
  // The running jobs, and the grants that the engine had before and that have begun: job (its index; -1:
  // a grant), grant, start, end (at the latest), nodes, cores, gpus. In the order of the ends.
  [[nodiscard]] Table running_jobs() const;
  // Free units of a type on the whole machine. 0: it has none.
  [[nodiscard]] std::int64_t free(const std::string& type) const;
  void refuse(std::uint32_t job);
  // By job: the minimum of nodes, cores and gpus that it requests, as queue limits count them.
  [[nodiscard]] Table sizes() const;
  void waits(std::size_t jobs);  // number of waiting jobs after the discipline
  [[nodiscard]] std::int64_t now() const { return engine_->engine().now(); }
  [[nodiscard]] std::size_t running() const { return ends_.size(); }
  [[nodiscard]] const std::shared_ptr<ScheduleObject>& schedule() const { return schedule_; }
  [[nodiscard]] const std::shared_ptr<EngineObject>& engine() const { return engine_; }

 private:
  enum class State : std::uint8_t { ahead, waiting, running, over };
  struct End {
    std::int64_t time_s;
    std::uint32_t job;
    bool operator>(const End& other) const {
      return time_s != other.time_s ? time_s > other.time_s : job > other.job;
    }
  };
  [[nodiscard]] PreparedRequest& request_of(std::uint32_t job);
  [[nodiscard]] bool serves(std::uint32_t request);
  void end_jobs(std::int64_t now_s);
  [[nodiscard]] std::optional<std::int64_t> start_of_head(std::uint32_t head);
  void check_waiting(std::uint32_t job) const;

  std::shared_ptr<EngineObject> engine_;
  StreamPointer stream_;
  const plan::Jobs* jobs_;  // the stream
  std::shared_ptr<ScheduleObject> schedule_;
  plan::ScheduleObserver observer_;
  JobId first_grant_ = 1;
  std::vector<std::uint32_t> submits_;  // in order of submission
  std::size_t next_submit_ = 0;
  std::vector<State> states_;
  std::vector<std::optional<PreparedRequest>> requests_;
  std::vector<std::optional<Error>> refused_;  // by request number
  std::vector<bool> looked_at_;                // by request number: refused_ is known
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  // The head of fits_beside(), with its earliest start, until a job ends, or one starts that was not
  // found to fit next to it.
  struct Head {
    std::uint32_t job = 0;
    std::optional<std::int64_t> start_s{};
    std::optional<std::uint32_t> fitting{};  // was found to fit, and nothing started since
  };
  std::optional<Head> head_;
};

void bind_replay(pybind11::module_& module);

}  // namespace copse::python
