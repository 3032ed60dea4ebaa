// SPDX-License-Identifier: Apache-2.0
#include "flux/teller.hpp"

namespace copse::flux {

bool Teller::work(std::int64_t now_s, queue::Slice& slice,
                  const std::function<void(const queue::Answers::Brief&)>& tell) {
  if (state_ == State::over) {
    const bool due = told_s_ == INT64_MIN || now_s >= told_s_ + every_s_;
    if (queue_.waiting() == 0 || told_sequence_ == queue_.sequence() || !due) return true;
    state_ = State::making;
    told_s_ = now_s;
    making_sequence_ = queue_.sequence();
  }
  if (state_ == State::making) {
    if (!answers_.work(slice)) return false;
    state_ = State::telling;
    next_ = 0;
  }
  const auto& all = answers_.all();
  while (next_ < all.size()) {
    tell(all[next_++]);
    if (slice.spent() && next_ < all.size()) return false;
  }
  state_ = State::over;
  told_sequence_ = making_sequence_;
  return true;
}

std::optional<std::int64_t> Teller::next_time() const {
  if (queue_.waiting() == 0 || told_sequence_ == queue_.sequence()) return std::nullopt;
  return told_s_ + every_s_;
}

}  // namespace copse::flux
