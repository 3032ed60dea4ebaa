// SPDX-License-Identifier: Apache-2.0
#include "queue/freed_intervals.hpp"

#include <algorithm>
#include <utility>

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

void FreedIntervals::add(Interval freed) {
  freed_.add(freed);
  if (current_block() == now_.blocks.size()) now_.blocks.emplace_back();
  Block& block = now_.blocks.back();
  block.times.add(freed);
  block.least_from_s = std::min(block.least_from_s, freed.from_s);
  now_.times.push_back(freed);
}

template <class Visit>
void FreedIntervals::visit_since(const QueuedJob& job, Visit visit) {
  if (job.round != round_) {
    const std::size_t block = job.freed_seen / kBlock + 1;
    const std::size_t end = std::min(block * kBlock, last_.times.size());
    for (std::size_t i = job.freed_seen; i < end; ++i) visit(last_.times[i]);
    if (block < last_.blocks.size())
      std::ranges::for_each(last_.blocks[block].times.parts(), visit);
  }
  std::ranges::for_each(freed_.parts(), visit);
}

std::span<const FreedIntervals::Interval> FreedIntervals::candidate_starts(const QueuedJob& job,
                                                                           const JobKind& kind,
                                                                           std::int64_t now_s) {
  candidates_.clear();
  const auto add = [&](const Interval& candidate) {
    if (candidate.from_s < candidate.until_s) candidates_.add(candidate);
  };
  const bool all = job.round != round_ && job.round + 1 != round_;
  if (all || (!kind.fixed && !none_since(job))) {
    add({now_s, job.start_s});
  } else {
    visit_since(job, [&](const Interval& part) {
      add({std::max(now_s, part.from_s - job.duration_s + 1), std::min(part.until_s, job.start_s)});
    });
  }
  return candidates_.parts();
}

std::int64_t FreedIntervals::none_before(const QueuedJob& job, const JobKind& kind,
                                         std::int64_t now_s) const {
  std::int64_t out = now_s;
  if (!kind.fixed) return out;
  for (const JobKind::NoEarlierStart& no_earlier_start : kind.no_earlier_start) {
    if (no_earlier_start.round != round_ || no_earlier_start.duration_s > job.duration_s) continue;
    std::int64_t before =
        std::min(no_earlier_start.before_s, job.start_s - no_earlier_start.duration_s + 1);
    for (std::size_t i = no_earlier_start.times / kBlock; i < now_.blocks.size() && before > out;
         ++i) {
      before = std::min(before, now_.blocks[i].least_from_s - no_earlier_start.duration_s + 1);
    }
    out = std::max(out, before);
  }
  return out;
}

void FreedIntervals::note_no_earlier_start(const QueuedJob& job, JobKind& kind,
                                           std::int64_t start_s) {
  kind.no_earlier_start[no_earlier_starts_noted_++ % kind.no_earlier_start.size()] = {
      round_, static_cast<std::uint32_t>(now_.times.size()), job.duration_s, start_s};
}

bool FreedIntervals::next_round() {
  left_over_ = !now_.times.empty();
  if (!left_over_) return false;
  TimeUnion all;
  for (std::size_t i = now_.blocks.size(); i-- > 0;) {
    all.add(now_.blocks[i].times);
    now_.blocks[i].times = all;
  }
  last_ = std::exchange(now_, {});
  freed_.clear();
  ++round_;
  return true;
}

}  // namespace copse::queue
