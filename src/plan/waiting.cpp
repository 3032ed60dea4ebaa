// SPDX-License-Identifier: Apache-2.0
#include "plan/waiting.hpp"

#include <algorithm>

namespace copse::plan {

RankSet::RankSet(std::uint32_t bound) {
  std::size_t words = bound;
  do {
    words = (words + 63) / 64;
    levels_.emplace_back(std::max<std::size_t>(words, 1), 0);
  } while (words > 1);
}

void RankSet::insert(std::uint32_t rank) {
  ++size_;
  for (auto& level : levels_) {
    std::uint64_t& word = level[rank / 64];
    const bool had = word != 0;
    word |= UINT64_C(1) << (rank % 64);
    if (had) return;
    rank /= 64;
  }
}

void RankSet::erase(std::uint32_t rank) {
  --size_;
  for (auto& level : levels_) {
    std::uint64_t& word = level[rank / 64];
    word &= ~(UINT64_C(1) << (rank % 64));
    if (word != 0) return;
    rank /= 64;
  }
}

std::uint32_t RankSet::next(std::uint32_t from) const {
  std::uint64_t at = from;
  for (std::size_t up = 0; up < levels_.size(); ++up) {
    if (at / 64 >= levels_[up].size()) return kNone;
    const std::uint64_t word = levels_[up][at / 64] >> (at % 64);
    if (word == 0) {
      at = at / 64 + 1;
      continue;
    }
    at += static_cast<std::uint64_t>(std::countr_zero(word));
    while (up-- > 0) at = at * 64 + static_cast<std::uint64_t>(std::countr_zero(levels_[up][at]));
    return static_cast<std::uint32_t>(at);
  }
  return kNone;
}

void Waiting::insert(std::uint32_t rank, std::uint32_t request, std::int64_t duration_s) {
  order_.insert(rank);
  auto& list = lists_[request];
  if (list.empty()) requests_.push_back(request);
  const auto at = std::ranges::lower_bound(list, rank, {}, &Entry::rank);
  list.insert(at, {rank, duration_s});
}

void Waiting::erase(std::uint32_t rank, std::uint32_t request) {
  order_.erase(rank);
  auto& list = lists_[request];
  list.erase(std::ranges::lower_bound(list, rank, {}, &Entry::rank));
  if (!list.empty()) return;
  const auto at = std::ranges::find(requests_, request);
  *at = requests_.back();
  requests_.pop_back();
}

}  // namespace copse::plan
