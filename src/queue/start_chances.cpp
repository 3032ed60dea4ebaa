// SPDX-License-Identifier: Apache-2.0
#include "queue/start_chances.hpp"

#include <algorithm>

namespace copse::queue {

void TimeUnion::add(Interval added) {
  const auto first = std::ranges::lower_bound(parts_, added.from_s, {}, &Interval::until_s);
  auto last = first;
  for (; last != parts_.end() && last->from_s <= added.until_s; ++last) {
    added.from_s = std::min(added.from_s, last->from_s);
    added.until_s = std::max(added.until_s, last->until_s);
  }
  if (first == last) {
    parts_.insert(first, added);
  } else {
    *first = added;
    parts_.erase(first + 1, last);
  }
}

void StartChances::give_back(Interval freed) {
  given_back_.add(freed);
  if (this_block() == blocks_.size()) blocks_.emplace_back();
  Block& block = blocks_.back();
  block.times.add(freed);
  block.least_from_s = std::min(block.least_from_s, freed.from_s);
  ++block.size;
}

std::span<const StartChances::Interval> StartChances::of(const QueuedJob& job, const Kind& kind,
                                                         std::int64_t now_s) {
  chances_.clear();
  if (!kind.fixed) {
    chances_.add({now_s, job.start_s});
    return chances_.parts();
  }
  const auto add = [&](const TimeUnion& freed) {
    for (const Interval& part : freed.parts()) {
      const Interval chance{std::max(now_s, part.from_s - job.duration_s + 1),
                            std::min(part.until_s, job.start_s)};
      if (chance.from_s < chance.until_s) chances_.add(chance);
    }
  };
  if (job.pass + 1 == pass_ && job.chances < left_over_.size()) add(left_over_[job.chances]);
  add(given_back_);
  return chances_.parts();
}

std::int64_t StartChances::none_before(const QueuedJob& job, const Kind& kind,
                                       std::int64_t now_s) const {
  std::int64_t out = now_s;
  if (!kind.fixed) return out;
  for (const Kind::Nothing& nothing : kind.nothing) {
    if (nothing.pass != pass_ || nothing.duration_s > job.duration_s) continue;
    std::int64_t before = std::min(nothing.before_s, job.start_s - nothing.duration_s + 1);
    for (std::size_t i = nothing.block; i < blocks_.size() && before > out; ++i) {
      before = std::min(before, blocks_[i].least_from_s - nothing.duration_s + 1);
    }
    out = std::max(out, before);
  }
  return out;
}

void StartChances::settled(const QueuedJob& job, Kind& kind, std::int64_t start_s) {
  kind.nothing[nothings_++ % kind.nothing.size()] = {pass_, this_block(), job.duration_s, start_s};
}

void StartChances::end_pass() {
  left_over_.assign(blocks_.size(), {});
  TimeUnion all;
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    all.add(blocks_[i].times);
    left_over_[i] = all;
  }
  given_back_.clear();
  blocks_.clear();
  ++pass_;
}

}  // namespace copse::queue
