// SPDX-License-Identifier: Apache-2.0
//
// copse._copse.Replay: a stream of jobs, run step by step by a discipline that is written in Python.
//
// Time goes from event to event: ends first, then submissions. What waits is the caller's to keep.
//
// Invariants
//   1. Job n of the stream has the grant first_grant_ + n while it runs.
//   2. Jobs that never fit are refused when they are submitted, and are not told of.
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

  // Goes to the next time at which jobs end or are submitted. The jobs that are submitted then; none:
  // there is no such time. Throws what Engine::advance returns.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> step();
  // Starts a job if it fits now. Throws Invalid (not waiting).
  [[nodiscard]] bool start(std::uint32_t job);
  // When it would start at the earliest if nothing else did.
  [[nodiscard]] std::optional<std::int64_t> earliest(std::uint32_t job);
  void refuse(std::uint32_t job);
  // By job: nodes, cores and gpus that it asks for at least, as limits of queues count them.
  [[nodiscard]] Table sizes() const;
  void waits(std::size_t jobs);  // how many, when the discipline is done
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
  const plan::Jobs* jobs_;  // of the stream
  std::shared_ptr<ScheduleObject> schedule_;
  plan::ScheduleObserver observer_;
  JobId first_grant_ = 1;
  std::vector<std::uint32_t> submits_;  // jobs, in the order of submission
  std::size_t next_submit_ = 0;
  std::vector<State> states_;
  std::vector<std::optional<PreparedRequest>> requests_;
  std::vector<std::optional<Error>> refused_;  // by request
  std::vector<bool> looked_at_;                // by request: whether it ever fits
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

void bind_replay(pybind11::module_& module);

}  // namespace copse::python
