// SPDX-License-Identifier: Apache-2.0
#include "queue/start_chances.hpp"

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
  added.taken = kUnknown;
  if (first == last) {
    parts_.insert(first, added);
  } else {
    *first = added;
    parts_.erase(first + 1, last);
  }
}

void StartChances::give_back(Interval freed) {
  given_back_.add(freed);
  first_free_.clear();
  if (this_block() == now_.blocks.size()) now_.blocks.emplace_back();
  Block& block = now_.blocks.back();
  block.times.add(freed);
  block.least_from_s = std::min(block.least_from_s, freed.from_s);
  now_.times.push_back(freed);
}

template <class Visit>
void StartChances::visit_since(const QueuedJob& job, Visit visit) {
  if (job.round != round_) {
    const std::size_t block = job.chances / kBlock + 1;
    const std::size_t end = std::min(block * kBlock, last_.times.size());
    for (std::size_t i = job.chances; i < end; ++i) visit(last_.times[i]);
    if (block < last_.blocks.size())
      std::ranges::for_each(last_.blocks[block].times.parts(), visit);
  }
  std::ranges::for_each(given_back_.parts(), visit);
}

// Whoever could have more of them at that time has its answer from the same entry.
const StartChances::FirstFree& StartChances::first_free(std::int64_t nodes, std::int64_t now_s,
                                                        const NodeCounts& counts) {
  const auto known = std::ranges::find_if(first_free_, [nodes](const FirstFree& first) {
    return first.from_nodes <= nodes && nodes <= first.to_nodes;
  });
  if (known != first_free_.end()) return *known;
  FirstFree made{nodes, INT64_MAX, INT64_MAX, false};
  for (const Interval& part : given_back_.parts()) {
    const std::int64_t from_s = std::max(now_s, part.from_s);
    const auto time_s = counts.earliest(from_s, 1, part.until_s, nodes);
    if (!time_s) continue;
    made.to_nodes = counts.usable() - counts.least_taken(*time_s, *time_s + 1);
    made.time_s = *time_s;
    made.begins = *time_s == from_s;
    break;
  }
  return first_free_.emplace_back(made);
}

// A start needs some of what was given back, with enough free all the time. Before the first time at
// which enough is free there, and not from its beginning on, it would have too little.
std::int64_t StartChances::not_before(const QueuedJob& job, std::int64_t now_s,
                                      const NodeCounts& counts) {
  if (job.round != round_) return now_s;
  const FirstFree& first = first_free(job.counted, now_s, counts);
  if (first.time_s >= job.start_s) return INT64_MAX;
  return first.begins ? now_s : first.time_s;
}

// The nodes taken of a part stay right through the round: what gets free in it later is given back,
// too. From the first to the last of all starts to ask for.
StartChances::Interval StartChances::counted(const QueuedJob& job, std::int64_t nodes,
                                             std::int64_t now_s, const NodeCounts& counts) {
  Interval all{INT64_MAX, INT64_MIN};
  visit_since(job, [&](Interval& part) {
    if (part.from_s >= job.start_s || part.until_s <= now_s) return;
    if (part.taken == TimeUnion::kUnknown) {
      part.taken = counts.least_taken(std::max(now_s, part.from_s), part.until_s);
    }
    if (nodes > counts.usable() - part.taken) return;
    all.from_s = std::min(all.from_s, std::max(now_s, part.from_s - job.duration_s + 1));
    all.until_s = std::max(all.until_s, std::min(part.until_s, job.start_s));
  });
  return all;
}

std::span<const StartChances::Interval> StartChances::of(const QueuedJob& job, const Kind& kind,
                                                         std::int64_t now_s,
                                                         const NodeCounts* counts) {
  chances_.clear();
  const auto add = [&](const Interval& chance) {
    if (chance.from_s < chance.until_s) chances_.add(chance);
  };
  const bool all = job.round != round_ && job.round + 1 != round_;
  if (all || (!kind.fixed && !none_since(job))) {
    add({now_s, job.start_s});
  } else if (counts != nullptr) {
    add(counted(job, kind.nodes, now_s, *counts));
  } else {
    visit_since(job, [&](const Interval& part) {
      add({std::max(now_s, part.from_s - job.duration_s + 1), std::min(part.until_s, job.start_s)});
    });
  }
  return chances_.parts();
}

std::int64_t StartChances::none_before(const QueuedJob& job, const Kind& kind,
                                       std::int64_t now_s) const {
  std::int64_t out = now_s;
  if (!kind.fixed) return out;
  for (const Kind::Nothing& nothing : kind.nothing) {
    if (nothing.round != round_ || nothing.duration_s > job.duration_s) continue;
    std::int64_t before = std::min(nothing.before_s, job.start_s - nothing.duration_s + 1);
    for (std::size_t i = nothing.block; i < now_.blocks.size() && before > out; ++i) {
      before = std::min(before, now_.blocks[i].least_from_s - nothing.duration_s + 1);
    }
    out = std::max(out, before);
  }
  return out;
}

void StartChances::settled(const QueuedJob& job, Kind& kind, std::int64_t start_s) {
  kind.nothing[nothings_++ % kind.nothing.size()] = {round_, this_block(), job.duration_s, start_s};
}

bool StartChances::next_round() {
  left_over_ = !now_.times.empty();
  if (!left_over_) return false;
  TimeUnion all;
  for (std::size_t i = now_.blocks.size(); i-- > 0;) {
    all.add(now_.blocks[i].times);
    now_.blocks[i].times = all;
  }
  last_ = std::exchange(now_, {});
  given_back_.clear();
  first_free_.clear();
  ++round_;
  return true;
}

}  // namespace copse::queue
