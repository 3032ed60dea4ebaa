// SPDX-License-Identifier: Apache-2.0
#include "state/timelines/leaf_timelines.hpp"

#include <algorithm>
#include <bit>

#include "state/timelines/popcount.hpp"

namespace copse {

LeafTimelines::Timeline& LeafTimelines::timeline(PoolId p) {
  const auto [it, made] = lines_.try_emplace(p.v);
  if (made) make(p, it->second);
  return it->second;
}

bool LeafTimelines::covers(PoolId p) { return timeline(p).usable; }

// Adds the pool `held`, if it is a leaf, or the leaves below it to the mask.
void LeafTimelines::mark(const Timeline& timeline, PoolId held, std::vector<Word>& mask) const {
  if (graph_.leaf(held)) {
    const auto at = std::lower_bound(timeline.leaves.begin(), timeline.leaves.end(), held,
                                     [&](PoolId a, PoolId b) { return graph_.before(a, b); });
    if (at == timeline.leaves.end() || *at != held) return;
    const auto bit = static_cast<std::size_t>(at - timeline.leaves.begin());
    mask[bit / 64] |= Word{1} << (bit % 64);
    return;
  }
  for (std::size_t bit = 0; bit < timeline.leaves.size(); ++bit) {
    if (graph_.below(timeline.leaves[bit], held)) mask[bit / 64] |= Word{1} << (bit % 64);
  }
}

void LeafTimelines::make(PoolId p, Timeline& timeline) const {
  std::vector<PoolId> interior;  // interior pools, whose spans cover the leaves below them
  for (PoolId up = graph_.parent(p); up != kNoPool; up = graph_.parent(up)) interior.push_back(up);
  graph_.preorder(p, [&](PoolId q) {
    if (!graph_.divisible(q)) (graph_.leaf(q) ? timeline.leaves : interior).push_back(q);
    return timeline.leaves.size() <= kLeavesMax;
  });
  timeline.usable = !timeline.leaves.empty() && timeline.leaves.size() <= kLeavesMax;
  timeline.words = (timeline.leaves.size() + 63) / 64;
  for (std::size_t bit = 0; bit < timeline.leaves.size() && timeline.usable; ++bit) {
    const PoolId leaf = timeline.leaves[bit];
    auto same = std::find_if(timeline.types.begin(), timeline.types.end(),
                             [&](const Leaves& l) { return l.type == graph_.type(leaf); });
    if (same == timeline.types.end()) {
      timeline.types.push_back(
          {graph_.type(leaf), graph_.size(leaf), std::vector<Word>(timeline.words)});
      same = timeline.types.end() - 1;
    }
    timeline.usable = same->size == graph_.size(leaf);
    same->mask[bit / 64] |= Word{1} << (bit % 64);
  }
  if (!timeline.usable) return;
  // A type that also has interior pools below p is not known.
  std::erase_if(timeline.types, [&](const Leaves& l) {
    return std::any_of(interior.begin(), interior.end(), [&](PoolId q) {
      return q != p && graph_.type(q) == l.type && graph_.below(q, p);
    });
  });
  struct Change {
    std::int64_t time;
    PoolId held;
  };
  std::vector<Change> changes;
  const auto note = [&](PoolId q) {
    for (const ExclusiveSpan& span : exclusive_spans_.all(q)) {
      changes.push_back({span.start, q});
      changes.push_back({span.end, q});
    }
  };
  for (PoolId q : interior) note(q);
  for (PoolId q : timeline.leaves) note(q);
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.time < b.time; });
  // At any time at most one span covers a leaf, so its start and end each flip the bit.
  std::vector<Word> now(timeline.words, 0), mask(timeline.words);
  for (std::size_t i = 0; i < changes.size();) {
    const std::int64_t time = changes[i].time;
    const std::vector<Word> before = now;
    for (; i < changes.size() && changes[i].time == time; ++i) {
      std::fill(mask.begin(), mask.end(), 0);
      mark(timeline, changes[i].held, mask);
      for (std::size_t w = 0; w < timeline.words; ++w) now[w] ^= mask[w];
    }
    if (now == before) continue;
    timeline.times.push_back(time);
    timeline.masks.insert(timeline.masks.end(), now.begin(), now.end());
    timeline.free.push_back(free_in(timeline, timeline.times.size() - 1));
  }
}

std::uint16_t LeafTimelines::free_in(const Timeline& timeline, std::size_t step) {
  std::size_t taken = 0;
  for (std::size_t w = 0; w < timeline.words; ++w) {
    taken += static_cast<std::size_t>(std::popcount(timeline.masks[step * timeline.words + w]));
  }
  return static_cast<std::uint16_t>(timeline.leaves.size() - taken);
}

// The step at `time`, inserted if it is missing.
std::size_t LeafTimelines::step_at(Timeline& timeline, std::int64_t time) {
  const auto at = std::lower_bound(timeline.times.begin(), timeline.times.end(), time);
  const auto step = static_cast<std::size_t>(at - timeline.times.begin());
  if (at != timeline.times.end() && *at == time) return step;
  timeline.times.insert(at, time);
  timeline.free.insert(
      timeline.free.begin() + static_cast<std::ptrdiff_t>(step),
      step == 0 ? static_cast<std::uint16_t>(timeline.leaves.size()) : timeline.free[step - 1]);
  const std::size_t words = timeline.words;
  timeline.masks.insert(timeline.masks.begin() + static_cast<std::ptrdiff_t>(step * words), words,
                        0);
  for (std::size_t w = 0; w < words && step > 0; ++w) {
    timeline.masks[step * words + w] = timeline.masks[(step - 1) * words + w];
  }
  return step;
}

// Drops the step if it changes nothing.
void LeafTimelines::drop_step(Timeline& timeline, std::size_t step) {
  const std::size_t words = timeline.words;
  for (std::size_t w = 0; w < words; ++w) {
    const Word before = step == 0 ? 0 : timeline.masks[(step - 1) * words + w];
    if (timeline.masks[step * words + w] != before) return;
  }
  timeline.times.erase(timeline.times.begin() + static_cast<std::ptrdiff_t>(step));
  timeline.free.erase(timeline.free.begin() + static_cast<std::ptrdiff_t>(step));
  const auto first = timeline.masks.begin() + static_cast<std::ptrdiff_t>(step * words);
  timeline.masks.erase(first, first + static_cast<std::ptrdiff_t>(words));
}

void LeafTimelines::flip(Timeline& timeline, std::span<const Word> mask, std::int64_t start,
                         std::int64_t end) {
  const std::size_t first = step_at(timeline, start), last = step_at(timeline, end);
  for (std::size_t step = first; step < last; ++step) {
    for (std::size_t w = 0; w < timeline.words; ++w)
      timeline.masks[step * timeline.words + w] ^= mask[w];
    timeline.free[step] = free_in(timeline, step);
  }
  drop_step(timeline, last);
  drop_step(timeline, first);
}

void LeafTimelines::applied(const Selection& selection, std::int64_t start, std::int64_t end) {
  if (lines_.empty()) return;
  for (auto entry = selection.taken.begin(); entry != selection.taken.end(); ++entry) {
    const PoolId p = entry->first;
    if (graph_.leaf(p)) continue;
    if (entry->exclusive || entry->whole) {  // all leaves below it, whether listed or not
      graph_.for_each_interior_below(p, [&](std::uint32_t i) {
        const auto below = lines_.find(graph_.interior_pool(i).v);
        if (below == lines_.end() || !below->second.usable) return;
        mask_.assign(below->second.words, 0);
        mark(below->second, p, mask_);
        flip(below->second, mask_, start, end);
      });
    }
    const auto it = lines_.find(p.v);
    if (it != lines_.end() && it->second.usable) {
      Timeline& timeline = it->second;
      mask_.assign(timeline.words, 0);
      PoolId covering = entry->exclusive || entry->whole ? p : kNoPool;
      if (covering != kNoPool) mark(timeline, p, mask_);
      for (auto below = entry + 1; below != selection.taken.end() && graph_.below(below->first, p);
           ++below) {
        if (covering != kNoPool && graph_.below(below->first, covering)) continue;
        if (!below->exclusive && !below->whole) continue;
        for (std::uint32_t v = below->first.v; v < below->first.v + below->count; ++v) {
          mark(timeline, PoolId{v}, mask_);
        }
        if (!graph_.leaf(below->first)) covering = below->first;
      }
      flip(timeline, mask_, start, end);
    }
    if (!entry->exclusive && !entry->whole) continue;
    while (entry + 1 != selection.taken.end() && graph_.below((entry + 1)->first, p)) ++entry;
  }
}

// Converts the needs to numbers of leaves. False if there are not as many.
bool LeafTimelines::set_wanted(const Timeline& timeline, std::span<const Need> needs, bool idle) {
  wanted_.clear();
  least_ = idle ? static_cast<std::uint32_t>(timeline.leaves.size()) : 0;
  for (const Need& need : needs) {
    const auto leaves = std::find_if(timeline.types.begin(), timeline.types.end(),
                                     [&](const Leaves& l) { return l.type == need.type; });
    if (leaves == timeline.types.end() || need.units <= 0) continue;  // not a type of leaves only
    if (leaves->size <= 0) return false;
    const std::int64_t count = (need.units - 1) / leaves->size + 1;
    if (count > static_cast<std::int64_t>(timeline.leaves.size())) return false;
    wanted_.push_back({leaves->mask.data(), static_cast<std::uint32_t>(count)});
    if (!idle) least_ += wanted_.back().leaves;
  }
  return least_ <= timeline.leaves.size();
}

namespace {

template <class Wanted>
[[gnu::always_inline]] inline bool enough(const std::vector<Wanted>& wanted,
                                          const std::uint64_t* busy, std::size_t words) {
  for (const Wanted& w : wanted) {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < words; ++i) {
      count += static_cast<std::uint32_t>(std::popcount(w.mask[i] & ~busy[i]));
    }
    if (count < w.leaves) return false;
  }
  return true;
}

}  // namespace

COPSE_COUNTS_BITS
std::optional<LeafTimelines::Fit> LeafTimelines::first_fit(PoolId p, std::span<const Need> needs,
                                                           bool idle, std::int64_t t,
                                                           std::int64_t duration_s,
                                                           std::int64_t limit) {
  const Timeline& l = timeline(p);
  const std::size_t steps = l.times.size(), words = l.words;
  if (!set_wanted(l, needs, idle)) return {};
  busy_.assign(words, 0);
  std::uint64_t* const busy = busy_.data();
  if (!enough(wanted_, busy, words)) return {};
  const std::uint32_t all = idle ? least_ : 0;  // idle: none of them may be taken
  // The step in force at t; before the first one nothing is taken.
  auto first = static_cast<std::size_t>(std::upper_bound(l.times.begin(), l.times.end(), t) -
                                        l.times.begin());
  const bool before = first == 0;
  if (!before) --first;
  std::size_t at = first;  // the first step that is not in busy_ yet
  while (t <= limit) {
    bool fits = true;
    while (fits && at < steps && ((at == first && !before) || l.times[at] - t < duration_s)) {
      fits = l.free[at] >= least_;
      if (fits && all == 0) {
        const std::uint64_t* more = l.masks.data() + at * words;
        for (std::size_t w = 0; w < words; ++w) busy[w] |= more[w];
        fits = enough(wanted_, busy, words);
      }
      ++at;
    }
    // Until the window reaches the next step, it contains the same steps, or fewer.
    if (fits) return Fit{t, at < steps ? l.times[at] - duration_s : INT64_MAX};
    // The latest step such that the steps from it to the one that exceeds the limit exceed it
    // together: no start before the next step is possible.
    std::size_t from = at;
    std::fill(busy_.begin(), busy_.end(), 0);
    bool still = true;
    while (still) {
      --from;
      still = l.free[from] >= least_;
      const std::uint64_t* more = l.masks.data() + from * words;
      for (std::size_t w = 0; w < words; ++w) busy[w] |= more[w];
      still = still && enough(wanted_, busy, words);
    }
    first = from + 1;
    while (first < steps && l.free[first] < least_) ++first;
    if (first >= steps) return {};  // not reached: at the last step all are free
    t = l.times[first];
    std::fill(busy_.begin(), busy_.end(), 0);
    at = first;
  }
  return {};
}

}  // namespace copse
