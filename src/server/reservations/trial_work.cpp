// SPDX-License-Identifier: Apache-2.0
#include "server/reservations/trial_work.hpp"

#include <functional>
#include <utility>

namespace copse::server {

TrialWork::TrialWork(queue::JobQueue& queue, queue::ReservationSpec spec, std::size_t& under_way)
    : under_way_(under_way), spec_(std::move(spec)) {
  call_.emplace([this, &queue](const std::function<void()>& pause) {
    result_.emplace(queue::try_reservation(queue, spec_, queue::kTrialJobsMax, pause));
  });
}

TrialWork::~TrialWork() { end(); }

bool TrialWork::step() {
  if (!begun_) {
    if (under_way_ >= kTrialsMax) return false;
    ++under_way_;
    begun_ = true;
  }
  if (!call_->resume()) return false;
  end();
  return true;
}

void TrialWork::end() {
  call_.reset();
  if (std::exchange(begun_, false)) --under_way_;
}

}  // namespace copse::server
