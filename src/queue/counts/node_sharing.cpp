// SPDX-License-Identifier: Apache-2.0
#include "queue/counts/node_sharing.hpp"

namespace copse::queue {

std::optional<CountedUse> NodeSharing::next(std::int64_t start_s, std::int64_t end_s,
                                            const NodeCounts::Need& need) {
  for (; !ends_.empty() && ends_.top().first <= start_s; ends_.pop()) {
    for (const auto& [unit, amount] : parts_[ends_.top().second]) taken_[unit] -= amount;
  }
  auto out = counts_.share(start_s, end_s, need, taken_);
  if (!out) return std::nullopt;
  for (const auto& [unit, amount] : out->parts) taken_[unit] += amount;
  ends_.emplace(end_s, parts_.size());
  parts_.push_back(out->parts);
  return out;
}

}  // namespace copse::queue
