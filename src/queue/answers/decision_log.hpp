// SPDX-License-Identifier: Apache-2.0
//
// DecisionLog: the decisions of a queue in their order, for hosts that read them after the queue has
// worked instead of being called; and the answers to why and when, renewed after each change.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "queue/answers/answers.hpp"
#include "queue/job_queue.hpp"

namespace copse::queue {

struct Decision {
  enum class What : std::uint8_t { started, promised, withdrawn, denied, unplaceable };
  What what;
  JobId job;
  std::int64_t start_s = 0, end_s = 0;  // of a job that started; the start of a promise
  std::optional<ErrorCode> code{};      // of a job that was denied or is unplaceable
  std::string reason{};
};

[[nodiscard]] const char* word(Decision::What what);

class DecisionLog : public QueueSink {
 public:
  // The decisions that were not taken yet, the oldest first.
  [[nodiscard]] std::deque<Decision>& decisions() { return decisions_; }
  // For all waiting jobs, as the queue is now. The first call after a change costs as
  // Answers::work() does.
  [[nodiscard]] Answers& answers(JobQueue& queue);

 private:
  void started(JobId job, const Grant& grant) override;
  void planned(JobId job, std::int64_t start_s) override;
  void unplanned(JobId job) override;
  void denied(JobId job, const Error& error) override;
  void unplaceable(JobId job, const Error& error) override;

  std::deque<Decision> decisions_;
  std::optional<Answers> answers_;
  std::uint64_t answered_ = 0;  // the sequence of the queue for answers_
};

}  // namespace copse::queue
