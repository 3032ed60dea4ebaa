// SPDX-License-Identifier: Apache-2.0
//
// copse.Queue: jobs that wait for an engine's resources, run and end.
//
// The queue owns a clone of the engine, which nothing else changes. A call marks it as busy;
// meanwhile calls from other threads raise copse.Busy.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include <pybind11/pybind11.h>

#include "engine_object.hpp"
#include "queue/answers/decision_log.hpp"

namespace copse::python {

class QueueObject {
 public:
  QueueObject(EngineObject& engine, const std::string& discipline, const std::string& priority);
  QueueObject(const QueueObject&) = delete;
  QueueObject& operator=(const QueueObject&) = delete;

  void submit(JobId job, const pybind11::object& request, std::optional<std::int64_t> duration_s,
              std::int64_t priority, bool held, const std::string& user);
  // Works on waiting jobs; returns the decisions since the last call.
  [[nodiscard]] std::deque<queue::Decision> work();
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
  std::shared_ptr<EngineObject> engine_;
  queue::DecisionLog log_;
  std::unique_ptr<queue::JobQueue> queue_;
};

void bind_queue(pybind11::module_& module);

}  // namespace copse::python
