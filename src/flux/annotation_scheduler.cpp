// SPDX-License-Identifier: Apache-2.0
#include "flux/annotation_scheduler.hpp"

#include <algorithm>
#include <utility>

namespace copse::flux {

namespace {

constexpr std::int64_t kRest = 4;  // times the duration of a round

}  // namespace

bool AnnotationScheduler::work(std::int64_t now_s, queue::WorkBudget& budget,
                               const std::function<void(const queue::Answers::Brief&)>& report) {
  if (state_ == State::idle) {
    if (std::exchange(hurries_, false)) {
      const bool few = queue_.waiting() <= kFewJobs;
      next_s_ = std::min(next_s_, few ? now_s : std::max(begun_s_ + 1, rests_until_s_));
    }
    if (queue_.waiting() == 0 || reported_sequence_ == queue_.sequence() || now_s < next_s_) {
      return true;
    }
    state_ = State::computing;
    begun_s_ = now_s;
    computed_sequence_ = queue_.sequence();
  }
  if (state_ == State::computing) {
    // Changes since the begin of the round are reported in the next one.
    const bool all = answers_.work(budget);
    if (answers_.freeing()) return false;
    if (!all && answers_.made_for().value_or(0) < computed_sequence_) return false;
    state_ = State::reporting;
    next_ = 0;
  }
  while (next_ < answers_.size()) {
    if (const auto brief = answers_.at(next_++)) report(*brief);
    if (budget.spend() && next_ < answers_.size()) return false;
  }
  state_ = State::idle;
  reported_sequence_ = computed_sequence_;
  rests_until_s_ = now_s + kRest * (now_s - begun_s_);
  next_s_ = std::max(begun_s_ + every_s_, rests_until_s_);
  return true;
}

std::optional<std::int64_t> AnnotationScheduler::next_time() const {
  if (queue_.waiting() == 0 || reported_sequence_ == queue_.sequence()) return std::nullopt;
  return next_s_;
}

}  // namespace copse::flux
