// SPDX-License-Identifier: Apache-2.0
#include "queue/answers/decision_log.hpp"

#include <array>

namespace copse::queue {

const char* word(Decision::What what) {
  constexpr std::array<const char*, 5> kWords{"started", "promised", "withdrawn", "denied",
                                              "unplaceable"};
  return kWords.at(static_cast<std::size_t>(what));
}

Answers& DecisionLog::answers(JobQueue& queue) {
  if (!answers_ || answered_ != queue.sequence()) {
    answers_.emplace(queue);
    for (bool made = false; !made;) {
      WorkBudget all;
      made = answers_->work(all);
    }
    answered_ = queue.sequence();
  }
  return *answers_;
}

void DecisionLog::started(JobId job, const Grant& grant) {
  decisions_.push_back({Decision::What::started, job, grant.start, grant.end});
}
void DecisionLog::planned(JobId job, std::int64_t start_s) {
  decisions_.push_back({Decision::What::promised, job, start_s});
}
void DecisionLog::unplanned(JobId job) { decisions_.push_back({Decision::What::withdrawn, job}); }
void DecisionLog::denied(JobId job, const Error& error) {
  decisions_.push_back({Decision::What::denied, job, 0, 0, error.code, error.text});
}
void DecisionLog::unplaceable(JobId job, const Error& error) {
  decisions_.push_back({Decision::What::unplaceable, job, 0, 0, error.code, error.text});
}

}  // namespace copse::queue
