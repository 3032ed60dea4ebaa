// SPDX-License-Identifier: Apache-2.0
#include "queue/start_chances.hpp"

#include <algorithm>

namespace copse::queue {

std::span<const StartChances::Interval> StartChances::of(const QueuedJob& job, const Kind& kind,
                                                         std::int64_t now_s) {
  chances_.clear();
  if (!kind.fixed) {
    chances_.push_back({now_s, job.start_s});
    return chances_;
  }
  const auto add = [&](const Interval& freed) {
    const Interval chance{std::max(now_s, freed.from_s - job.duration_s + 1),
                          std::min(freed.until_s, job.start_s)};
    if (chance.from_s < chance.until_s) chances_.push_back(chance);
  };
  if (job.pass + 1 == pass_) {
    for (std::size_t i = job.chances; i < left_over_.size(); ++i) add(left_over_[i]);
  }
  for (const Interval& freed : given_back_) add(freed);
  if (chances_.size() < 2) return chances_;
  std::ranges::sort(chances_, {}, &Interval::from_s);
  std::size_t last = 0;
  for (std::size_t i = 1; i < chances_.size(); ++i) {
    if (chances_[i].from_s <= chances_[last].until_s) {
      chances_[last].until_s = std::max(chances_[last].until_s, chances_[i].until_s);
    } else {
      chances_[++last] = chances_[i];
    }
  }
  chances_.resize(last + 1);
  return chances_;
}

std::int64_t StartChances::none_before(const QueuedJob& job, const Kind& kind,
                                       std::int64_t now_s) const {
  std::int64_t out = now_s;
  if (!kind.fixed) return out;
  for (const Kind::Nothing& nothing : kind.nothing) {
    if (nothing.pass != pass_ || nothing.duration_s > job.duration_s) continue;
    std::int64_t before = std::min(nothing.before_s, job.start_s - nothing.duration_s + 1);
    for (std::size_t i = nothing.place; i < given_back_.size() && before > out; ++i) {
      before = std::min(before, given_back_[i].from_s - nothing.duration_s + 1);
    }
    out = std::max(out, before);
  }
  return out;
}

void StartChances::settled(const QueuedJob& job, Kind& kind, std::int64_t start_s) {
  kind.nothing[nothings_++ % kind.nothing.size()] = {pass_, given_back_.size(), job.duration_s,
                                                     start_s};
}

void StartChances::end_pass() {
  left_over_.swap(given_back_);
  given_back_.clear();
  ++pass_;
}

}  // namespace copse::queue
