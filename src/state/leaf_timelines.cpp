// SPDX-License-Identifier: Apache-2.0
#include "state/leaf_timelines.hpp"

#include <algorithm>
#include <bit>

#include "base/popcount.hpp"

namespace copse {

LeafTimelines::Line& LeafTimelines::line(PoolId p) {
  const auto [it, made] = lines_.try_emplace(p.v);
  if (made) make(p, it->second);
  return it->second;
}

bool LeafTimelines::covers(PoolId p) { return line(p).usable; }

// Adds the pool `held`, if it is a leaf, or the leaves below it to the mask.
void LeafTimelines::mark(const Line& line, PoolId held, std::vector<Word>& mask) const {
  if (graph_.leaf(held)) {
    const auto at = std::lower_bound(line.leaves.begin(), line.leaves.end(), held,
                                     [&](PoolId a, PoolId b) { return graph_.before(a, b); });
    if (at == line.leaves.end() || *at != held) return;
    const auto bit = static_cast<std::size_t>(at - line.leaves.begin());
    mask[bit / 64] |= Word{1} << (bit % 64);
    return;
  }
  for (std::size_t bit = 0; bit < line.leaves.size(); ++bit) {
    if (graph_.below(line.leaves[bit], held)) mask[bit / 64] |= Word{1} << (bit % 64);
  }
}

void LeafTimelines::make(PoolId p, Line& line) const {
  std::vector<PoolId> interior;  // interior pools, whose spans cover the leaves below them
  for (PoolId up = graph_.parent(p); up != kNoPool; up = graph_.parent(up)) interior.push_back(up);
  graph_.preorder(p, [&](PoolId q) {
    (graph_.leaf(q) ? line.leaves : interior).push_back(q);
    return line.leaves.size() <= kLeavesMax;
  });
  line.usable = !line.leaves.empty() && line.leaves.size() <= kLeavesMax;
  line.words = (line.leaves.size() + 63) / 64;
  for (std::size_t bit = 0; bit < line.leaves.size() && line.usable; ++bit) {
    const PoolId leaf = line.leaves[bit];
    auto same = std::find_if(line.types.begin(), line.types.end(),
                             [&](const Leaves& l) { return l.type == graph_.type(leaf); });
    if (same == line.types.end()) {
      line.types.push_back({graph_.type(leaf), graph_.size(leaf), std::vector<Word>(line.words)});
      same = line.types.end() - 1;
    }
    line.usable = same->size == graph_.size(leaf);
    same->mask[bit / 64] |= Word{1} << (bit % 64);
  }
  if (!line.usable) return;
  // A type that also has interior pools below p is not known.
  std::erase_if(line.types, [&](const Leaves& l) {
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
  for (PoolId q : line.leaves) note(q);
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.time < b.time; });
  // At any time at most one span covers a leaf, so its start and end each flip the bit.
  std::vector<Word> now(line.words, 0), mask(line.words);
  for (std::size_t i = 0; i < changes.size();) {
    const std::int64_t time = changes[i].time;
    const std::vector<Word> before = now;
    for (; i < changes.size() && changes[i].time == time; ++i) {
      std::fill(mask.begin(), mask.end(), 0);
      mark(line, changes[i].held, mask);
      for (std::size_t w = 0; w < line.words; ++w) now[w] ^= mask[w];
    }
    if (now == before) continue;
    line.times.push_back(time);
    line.masks.insert(line.masks.end(), now.begin(), now.end());
    line.free.push_back(free_in(line, line.times.size() - 1));
  }
}

std::uint16_t LeafTimelines::free_in(const Line& line, std::size_t step) {
  std::size_t taken = 0;
  for (std::size_t w = 0; w < line.words; ++w) {
    taken += static_cast<std::size_t>(std::popcount(line.masks[step * line.words + w]));
  }
  return static_cast<std::uint16_t>(line.leaves.size() - taken);
}

// The step at `time`, inserted if it is missing.
std::size_t LeafTimelines::step_at(Line& line, std::int64_t time) {
  const auto at = std::lower_bound(line.times.begin(), line.times.end(), time);
  const auto step = static_cast<std::size_t>(at - line.times.begin());
  if (at != line.times.end() && *at == time) return step;
  line.times.insert(at, time);
  line.free.insert(
      line.free.begin() + static_cast<std::ptrdiff_t>(step),
      step == 0 ? static_cast<std::uint16_t>(line.leaves.size()) : line.free[step - 1]);
  const std::size_t words = line.words;
  line.masks.insert(line.masks.begin() + static_cast<std::ptrdiff_t>(step * words), words, 0);
  for (std::size_t w = 0; w < words && step > 0; ++w) {
    line.masks[step * words + w] = line.masks[(step - 1) * words + w];
  }
  return step;
}

// Drops the step if it changes nothing.
void LeafTimelines::drop_step(Line& line, std::size_t step) {
  const std::size_t words = line.words;
  for (std::size_t w = 0; w < words; ++w) {
    const Word before = step == 0 ? 0 : line.masks[(step - 1) * words + w];
    if (line.masks[step * words + w] != before) return;
  }
  line.times.erase(line.times.begin() + static_cast<std::ptrdiff_t>(step));
  line.free.erase(line.free.begin() + static_cast<std::ptrdiff_t>(step));
  const auto first = line.masks.begin() + static_cast<std::ptrdiff_t>(step * words);
  line.masks.erase(first, first + static_cast<std::ptrdiff_t>(words));
}

void LeafTimelines::flip(Line& line, std::span<const Word> mask, std::int64_t start,
                         std::int64_t end) {
  const std::size_t first = step_at(line, start), last = step_at(line, end);
  for (std::size_t step = first; step < last; ++step) {
    for (std::size_t w = 0; w < line.words; ++w) line.masks[step * line.words + w] ^= mask[w];
    line.free[step] = free_in(line, step);
  }
  drop_step(line, last);
  drop_step(line, first);
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
      Line& line = it->second;
      mask_.assign(line.words, 0);
      PoolId covering = entry->exclusive || entry->whole ? p : kNoPool;
      if (covering != kNoPool) mark(line, p, mask_);
      for (auto below = entry + 1; below != selection.taken.end() && graph_.below(below->first, p);
           ++below) {
        if (covering != kNoPool && graph_.below(below->first, covering)) continue;
        if (!below->exclusive && !below->whole) continue;
        for (std::uint32_t v = below->first.v; v < below->first.v + below->count; ++v) {
          mark(line, PoolId{v}, mask_);
        }
        if (!graph_.leaf(below->first)) covering = below->first;
      }
      flip(line, mask_, start, end);
    }
    if (!entry->exclusive && !entry->whole) continue;
    while (entry + 1 != selection.taken.end() && graph_.below((entry + 1)->first, p)) ++entry;
  }
}

// Converts the needs to numbers of leaves. False if there are not as many.
bool LeafTimelines::set_wanted(const Line& line, std::span<const Need> needs, bool idle) {
  wanted_.clear();
  least_ = idle ? static_cast<std::uint32_t>(line.leaves.size()) : 0;
  for (const Need& need : needs) {
    const auto leaves = std::find_if(line.types.begin(), line.types.end(),
                                     [&](const Leaves& l) { return l.type == need.type; });
    if (leaves == line.types.end() || need.units <= 0) continue;  // not a type of leaves only
    if (leaves->size <= 0) return false;
    const std::int64_t count = (need.units - 1) / leaves->size + 1;
    if (count > static_cast<std::int64_t>(line.leaves.size())) return false;
    wanted_.push_back({leaves->mask.data(), static_cast<std::uint32_t>(count)});
    if (!idle) least_ += wanted_.back().leaves;
  }
  return least_ <= line.leaves.size();
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
  const Line& l = line(p);
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
