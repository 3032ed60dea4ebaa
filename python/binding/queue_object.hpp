// SPDX-License-Identifier: Apache-2.0
//
// copse.Queue: jobs that wait for an engine's resources, run and end.
//
// The queue owns a clone of the engine, which nothing else changes. A call marks it as busy;
// meanwhile calls from other threads raise copse.Busy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "engine_object.hpp"
#include "queue/answers/answers.hpp"
#include "queue/job_queue.hpp"

namespace copse::python {

class QueueObject : public queue::QueueSink {
 public:
  struct Decision {
    const char* what;  // started, promised, withdrawn, denied, unplaceable
    JobId job;
    std::int64_t start_s = 0, end_s = 0;
    std::string reason{};
  };
  QueueObject(EngineObject& engine, const std::string& discipline, const std::string& priority);
  QueueObject(const QueueObject&) = delete;
  QueueObject& operator=(const QueueObject&) = delete;
  ~QueueObject() override = default;

  void submit(JobId job, const pybind11::object& request, std::optional<std::int64_t> duration_s,
              std::int64_t priority, bool held, const std::string& user);
  // Works on waiting jobs; returns the decisions since the last call.
  [[nodiscard]] std::vector<Decision> work();
  [[nodiscard]] std::string why(JobId job);
  [[nodiscard]] std::optional<std::int64_t> when(JobId job);
  // Returns body(JobQueue&). Throws InUse.
  template <class Body>
  auto ask(Body body) {
    const EngineObject::Use use(*engine_);
    return body(*queue_);
  }
  [[nodiscard]] const std::shared_ptr<EngineObject>& engine() const { return engine_; }

 private:
  void started(JobId job, const Grant& grant) override;
  void planned(JobId job, std::int64_t start_s) override;
  void unplanned(JobId job) override;
  void denied(JobId job, const Error& error) override;
  void unplaceable(JobId job, const Error& error) override;
  [[nodiscard]] queue::Answers& answers();

  std::shared_ptr<EngineObject> engine_;
  std::unique_ptr<queue::JobQueue> queue_;
  std::vector<Decision> decisions_;
  std::optional<queue::Answers> answers_;
  std::uint64_t answered_ = 0;  // JobQueue::sequence of answers_
};

void bind_queue(pybind11::module_& module);

}  // namespace copse::python
