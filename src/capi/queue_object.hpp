// SPDX-License-Identifier: Apache-2.0
//
// QueueObject: a queue with its engine, its decisions that were not read yet, and its answers why
// and when.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "capi/objects.hpp"
#include "queue/answers/answers.hpp"
#include "queue/job_queue.hpp"

namespace copse::capi {

class QueueObject : public Object, public queue::QueueSink {
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
  // The oldest decision; nullptr: none.
  [[nodiscard]] const copse_decision* next() const {
    return decisions_.empty() ? nullptr : &decisions_.front();
  }
  void take() { decisions_.pop_front(); }  // REQUIRES next()
  // Answers for all waiting jobs, as of the queue's present state.
  [[nodiscard]] queue::Answers& answers();

 private:
  void started(JobId job, const Grant& grant) override;
  void planned(JobId job, std::int64_t start_s) override;
  void unplanned(JobId job) override;
  void denied(JobId job, const Error& error) override;
  void unplaceable(JobId job, const Error& error) override;
  copse_decision& decide(copse_decided what, JobId job);
  void refused(copse_decided what, JobId job, const Error& error);

  std::shared_ptr<EngineCore> core_;
  std::deque<copse_decision> decisions_;
  std::unique_ptr<queue::JobQueue> queue_;
  std::optional<queue::Answers> answers_;
  std::uint64_t answered_ = 0;  // JobQueue::sequence of answers_
};

}  // namespace copse::capi
