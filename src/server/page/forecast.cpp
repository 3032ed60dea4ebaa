// SPDX-License-Identifier: Apache-2.0
#include "server/page/forecast.hpp"

#include <utility>

namespace copse::server {

namespace {

// A budget is 2 ms and a tick 250 ms: the pause is six times as long as the work.
constexpr std::uint64_t kCooldownTicksMin = 4, kSlicesOfATick = 21;

}  // namespace

void Forecast::request(const queue::JobQueue& queue, const NodeRows& lanes) {
  if (future_ != nullptr || cooldown_ticks_ > 0 || source_sequence_ == queue.sequence() + 1) return;
  next_ = {};
  slices_ = 0;
  source_sequence_ = queue.sequence() + 1;
  future_ = std::make_unique<queue::QueueSimulation>(
      queue, [&](const Grant& grant) { add(grant, lanes); });
}

void Forecast::add(const Grant& grant, const NodeRows& lanes) {
  if (next_.starts.size() >= limits_.jobs || next_.places.size() >= limits_.runs ||
      next_.draws.size() >= limits_.runs) {
    next_.truncated = true;
    return;
  }
  (void)lanes.taken(grant.selection, scratch_);
  const std::vector<LayerCharge>& charges = grant.charges.layers;
  next_.starts.push_back({.job = grant.job,
                          .start_s = grant.start,
                          .end_s = grant.end,
                          .first = static_cast<std::uint32_t>(next_.places.size()),
                          .runs = static_cast<std::uint32_t>(scratch_.size()),
                          .first_draw = static_cast<std::uint32_t>(next_.draws.size()),
                          .draws = static_cast<std::uint32_t>(charges.size())});
  next_.draws.insert(next_.draws.end(), charges.begin(), charges.end());
  next_.places.insert(next_.places.end(), scratch_.begin(), scratch_.end());
}

bool Forecast::work(queue::WorkBudget slice) {
  if (future_ == nullptr) return true;
  ++slices_;
  if (!future_->work(slice) && !next_.truncated) return false;
  future_.reset();
  current_ = std::exchange(next_, {});
  ++version_;
  cooldown_ticks_ = kCooldownTicksMin + slices_ / kSlicesOfATick;
  return true;
}

void Forecast::clear() {
  future_.reset();
  current_ = next_ = {};
  source_sequence_ = 0;
}

}  // namespace copse::server
