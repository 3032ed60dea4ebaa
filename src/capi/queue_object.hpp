// SPDX-License-Identifier: Apache-2.0
//
// QueueObject: a queue, its engine, its decisions, and the answers to why and when.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "capi/objects.hpp"
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

}  // namespace copse::capi
