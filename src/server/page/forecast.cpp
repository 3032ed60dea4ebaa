// SPDX-License-Identifier: Apache-2.0
#include "server/page/forecast.hpp"

#include <utility>

namespace copse::server {

namespace {

// A turn is 2 ms, and a tick 250 ms: six times as long as it took.
constexpr std::uint64_t kRestLeast = 4, kSlicesOfATick = 21;

}  // namespace

void Forecast::want(const queue::JobQueue& queue, const plan::NodeRows& lanes) {
  if (making_ != nullptr || rest_ > 0 || of_ == queue.sequence() + 1) return;
  made_ = {};
  slices_ = 0;
  of_ = queue.sequence() + 1;
  making_ = std::make_unique<queue::QueueSimulation>(
      queue, [&](const Grant& grant) { add(grant, lanes); });
}

void Forecast::add(const Grant& grant, const plan::NodeRows& lanes) {
  if (made_.starts.size() >= limits_.jobs || made_.places.size() >= limits_.runs ||
      made_.draws.size() >= limits_.runs) {
    made_.cut = true;
    return;
  }
  (void)lanes.taken(grant.selection, scratch_);
  const std::vector<LayerCharge>& charges = grant.charges.layers;
  made_.starts.push_back({.job = grant.job,
                          .start_s = grant.start,
                          .end_s = grant.end,
                          .first = static_cast<std::uint32_t>(made_.places.size()),
                          .runs = static_cast<std::uint32_t>(scratch_.size()),
                          .first_draw = static_cast<std::uint32_t>(made_.draws.size()),
                          .draws = static_cast<std::uint32_t>(charges.size())});
  made_.draws.insert(made_.draws.end(), charges.begin(), charges.end());
  made_.places.insert(made_.places.end(), scratch_.begin(), scratch_.end());
}

bool Forecast::work(queue::WorkBudget slice) {
  if (making_ == nullptr) return true;
  ++slices_;
  if (!making_->work(slice) && !made_.cut) return false;
  making_.reset();
  shown_ = std::exchange(made_, {});
  ++number_;
  rest_ = kRestLeast + slices_ / kSlicesOfATick;
  return true;
}

void Forecast::clear() {
  making_.reset();
  shown_ = made_ = {};
  of_ = 0;
}

}  // namespace copse::server
