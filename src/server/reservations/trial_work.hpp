// SPDX-License-Identifier: Apache-2.0
//
// TrialWork: a reservation is tried on a copy of the queue, in steps. With 30,000 promised starts it
// takes seconds, so other clients are answered in between.
//
// At most kTrialsMax are under way at once, because each has a copy; others wait.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "queue/answers/reservation_trial.hpp"
#include "queue/job_queue.hpp"
#include "queue/reservation/reservation.hpp"
#include "server/fairness/coroutine.hpp"
#include "session/answer_work.hpp"

namespace copse::server {

inline constexpr std::size_t kTrialsMax = 4;

class TrialWork final : public AnswerWork {
 public:
  // `under_way`: how many are. REQUIRES that both outlive it.
  TrialWork(queue::JobQueue& queue, queue::ReservationSpec spec, std::size_t& under_way)
      : under_way_(under_way), spec_(std::move(spec)) {
    call_.emplace([this, &queue](const std::function<void()>& pause) {
      result_.emplace(queue::try_reservation(queue, spec_, queue::kTrialJobsMax, pause));
    });
  }
  TrialWork(const TrialWork&) = delete;
  TrialWork& operator=(const TrialWork&) = delete;
  ~TrialWork() override { end(); }

  bool step() override {
    if (!begun_) {
      if (under_way_ >= kTrialsMax) return false;
      ++under_way_;
      begun_ = true;
    }
    if (!call_->resume()) return false;
    end();
    return true;
  }
  // REQUIRES that it is done. Errors: those of try_reservation().
  [[nodiscard]] Result<queue::ReservationTrial>& result() { return *result_; }

 private:
  void end() {
    call_.reset();
    if (std::exchange(begun_, false)) --under_way_;
  }

  std::size_t& under_way_;
  bool begun_ = false;
  queue::ReservationSpec spec_;
  std::optional<Result<queue::ReservationTrial>> result_{};
  std::optional<Coroutine> call_;
};

}  // namespace copse::server
