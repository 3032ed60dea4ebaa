// SPDX-License-Identifier: Apache-2.0
//
// QueueObject: a queue, its engine, its decisions, and the answers to why and when; and functions shared by
// the calls that take a queue.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capi/objects.hpp"
#include "copse/request.hpp"
#include "queue/answers/decision_log.hpp"

namespace copse::capi {

class QueueObject : public Object {
 public:
  static constexpr Kind kKind = Kind::queue;

  // REQUIRES check_queues(specs) and check_rule(rule). Marks the engine as one with a queue for the
  // lifetime of this.
  QueueObject(std::shared_ptr<EngineCore> core, std::vector<queue::QueueSpec> specs,
              queue::PriorityRule rule);
  // A copy of the queue over `engine`, which is a clone.
  QueueObject(const QueueObject& other, std::shared_ptr<EngineCore> core);
  ~QueueObject() override;

  [[nodiscard]] queue::JobQueue& queue() { return *queue_; }
  [[nodiscard]] const std::shared_ptr<EngineCore>& core() const { return core_; }
  // The oldest decision that was not taken yet; none if all were.
  [[nodiscard]] std::optional<copse_decision> next();
  void take() { log_.decisions().pop_front(); }  // REQUIRES next()
  [[nodiscard]] queue::Answers& answers() { return log_.answers(*queue_); }

 private:
  std::shared_ptr<EngineCore> core_;
  queue::DecisionLog log_;
  std::unique_ptr<queue::JobQueue> queue_;
};

// Calls body(QueueObject&), which returns Outcome<void>, with the queue and its engine in use.
template <class Body>
copse_code with_queue(const void* handle, copse_error* error, Body body) noexcept {
  return call(error, [&]() -> Outcome<void> {
    const auto held = Held<QueueObject>::of(handle);
    if (!held) return std::unexpected(held.error());
    const auto use = EngineUse::of((*held)->core(), Access::read);
    if (!use) return std::unexpected(use.error());
    return body(**held);
  });
}

// Calls event(JobQueue&), which returns Result<void>.
template <class Event>
copse_code tell_queue(const void* handle, copse_error* error, Event event) noexcept {
  return with_queue(handle, error,
                    [&](QueueObject& object) { return done(event(object.queue())); });
}

// The request of a job: its jobspec or its shape. Errors: COPSE_INVALID, with the place.
[[nodiscard]] Outcome<Request> request_of(const copse_job& job);
// The kind of a job: equal for equal texts; shapes and jobspecs never have the same kind. REQUIRES
// that request_of(job) succeeded.
[[nodiscard]] std::string kind_of(const copse_job& job);
// The submission of a job. It refers to `request` and `kind`.
[[nodiscard]] queue::Submission submission_of(const copse_job& job, const Request& request,
                                              const std::string& kind);

}  // namespace copse::capi
