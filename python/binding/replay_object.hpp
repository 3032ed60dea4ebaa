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
  [[nodiscard]] bool start(std::uint32_t job);
  // The earliest start of a job if no other job started.
  [[nodiscard]] std::optional<std::int64_t> earliest(std::uint32_t job);
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
};

void bind_replay(pybind11::module_& module);

}  // namespace copse::python
