// SPDX-License-Identifier: Apache-2.0
#include "state/idle_timeline.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/popcount.hpp"

namespace copse {

namespace {

using Word = IdleTimeline::Word;

// Pools that are not in the mask.
COPSE_COUNTS_BITS std::uint32_t count_idle(const Word* busy, std::size_t words, std::size_t pools) {
  std::uint64_t count = 0;
  for (std::size_t w = 0; w < words; ++w) {
    count += static_cast<std::uint64_t>(std::popcount(busy[w]));
  }
  return static_cast<std::uint32_t>(pools - count);
}

// Sets or clears bits in [first, last); how many were not so before.
COPSE_COUNTS_BITS std::uint32_t change_words(Word* busy, const Word* bits, std::size_t first,
                                             std::size_t last, bool set) {
  std::uint64_t count = 0;
  for (std::size_t w = first; w < last; ++w) {
    const Word before = busy[w];
    busy[w] = set ? before | bits[w] : before & ~bits[w];
    count += static_cast<std::uint64_t>(std::popcount(before ^ busy[w]));
  }
  return static_cast<std::uint32_t>(count);
}

// Adds a mask to another; pools that are in neither.
COPSE_COUNTS_BITS std::uint32_t unite(Word* into, const Word* more, std::size_t words,
                                      std::size_t pools) {
  std::uint64_t count = 0;
  for (std::size_t w = 0; w < words; ++w) {
    into[w] |= more[w];
    count += static_cast<std::uint64_t>(std::popcount(into[w]));
  }
  return static_cast<std::uint32_t>(pools - count);
}

}  // namespace

IdleTimeline::IdleTimeline(const ResourceGraph& graph, const State& state,
                           std::span<const PoolId> pools, std::span<const std::uint32_t> place,
                           Limits limits)
    : graph_(graph),
      state_(state),
      pools_(std::vector<PoolId>(pools.begin(), pools.end())),
      place_(std::vector<std::uint32_t>(place.begin(), place.end())),
      words_((pools.size() + 63) / 64),
      limits_(limits),
      held_(words_, 0) {
  for (PoolId p : pools_) {
    check_size();
    if (!usable_) return;
    const auto note = [&](std::int64_t start, std::int64_t end) {
      add(held_, p);
      change(held_, true, start, end);
      std::fill(held_.begin(), held_.end(), 0);
    };
    for (PoolId up = p; up != kNoPool; up = graph_.parent(up)) {
      for (const Hold& hold : state_.holds().all(up)) note(hold.start, hold.end);
    }
    const Planner* planner = state_.planner(graph_.interior(p));
    if (planner == nullptr) continue;
    std::optional<std::int64_t> since;
    planner->for_each_step([&](std::int64_t time, Planner::Amounts amounts) {
      if (!since && amounts[0] > 0) since = time;
      if (since && amounts[0] == 0) note(*std::exchange(since, std::nullopt), time);
    });
  }
  check_size();
}

void IdleTimeline::add(std::vector<Word>& mask, PoolId p) const {
  const std::uint32_t bit = place_[graph_.interior(p)];
  mask[bit / 64] |= Word{1} << (bit % 64);
}

IdleTimeline::At IdleTimeline::in_force(std::int64_t time) const {
  auto block =
      std::upper_bound(blocks_.begin(), blocks_.end(), time,
                       [](std::int64_t t, const Shared<Block>& b) { return t < b->times.front(); });
  if (block == blocks_.begin()) return end();
  --block;
  const auto& times = (*block)->times;
  const auto step = std::upper_bound(times.begin(), times.end(), time) - times.begin() - 1;
  return {static_cast<std::size_t>(block - blocks_.begin()), static_cast<std::size_t>(step)};
}

// Pools are busy where they were not, or no longer: their number is known.
void IdleTimeline::set_idle(At a, std::uint32_t idle) {
  Block& b = blocks_[a.block].own();
  const std::uint32_t was = std::exchange(b.idle[a.step], idle);
  if (idle >= b.most_idle) {
    b.most_idle = idle;
  } else if (was == b.most_idle) {
    b.most_idle = *std::max_element(b.idle.begin(), b.idle.end());
  }
}

// The step at `time`, made if there is none.
IdleTimeline::At IdleTimeline::make_step(std::int64_t time) {
  At at = in_force(time);
  if (at != end() && this->time(at) == time) return at;
  const bool first = at == end();  // before all others
  if (blocks_.empty()) blocks_.push_back(Shared<Block>::make());
  if (first) at = {0, 0};
  Block* b = &blocks_[at.block].own();
  if (b->times.size() == kBlockSteps) {
    auto made = Shared<Block>::make();
    Block* upper = &made.own();
    const auto half = static_cast<std::ptrdiff_t>(kBlockSteps / 2);
    const auto half_words = half * static_cast<std::ptrdiff_t>(words_);
    upper->times.assign(b->times.begin() + half, b->times.end());
    upper->idle.assign(b->idle.begin() + half, b->idle.end());
    upper->busy.assign(b->busy.begin() + half_words, b->busy.end());
    upper->most_idle = *std::max_element(upper->idle.begin(), upper->idle.end());
    b->times.resize(kBlockSteps / 2);
    b->idle.resize(kBlockSteps / 2);
    b->busy.resize(kBlockSteps / 2 * words_);
    b->most_idle = *std::max_element(b->idle.begin(), b->idle.end());
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at.block) + 1, std::move(made));
    if (at.step >= kBlockSteps / 2) at = {at.block + 1, at.step - kBlockSteps / 2};
    b = &blocks_[at.block].own();
  }
  if (!first) ++at.step;
  const auto step = static_cast<std::ptrdiff_t>(at.step);
  const auto offset = step * static_cast<std::ptrdiff_t>(words_);
  const auto idle = first ? static_cast<std::uint32_t>(pools_.size()) : b->idle[at.step - 1];
  b->times.insert(b->times.begin() + step, time);
  b->idle.insert(b->idle.begin() + step, idle);
  b->busy.insert(b->busy.begin() + offset, words_, 0);
  if (!first) std::copy_n(mask({at.block, at.step - 1}), words_, own_mask(at));
  b->most_idle = std::max(b->most_idle, idle);
  ++steps_;
  return at;
}

// Drops the step at `time` if it changes nothing.
void IdleTimeline::drop_step(std::int64_t time) {
  const At at = in_force(time);
  if (at == end() || this->time(at) != time) return;
  const bool first = at == At{0, 0};
  const Word* const own = mask(at);
  if (first) {
    if (std::any_of(own, own + words_, [](Word w) { return w != 0; })) return;
  } else if (!std::equal(own, own + words_, mask(before(at)))) {
    return;
  }
  Block& b = blocks_[at.block].own();
  const auto step = static_cast<std::ptrdiff_t>(at.step);
  const auto offset = step * static_cast<std::ptrdiff_t>(words_);
  b.times.erase(b.times.begin() + step);
  b.idle.erase(b.idle.begin() + step);
  b.busy.erase(b.busy.begin() + offset,
               b.busy.begin() + offset + static_cast<std::ptrdiff_t>(words_));
  --steps_;
  if (b.times.empty()) {
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at.block));
  } else {
    b.most_idle = *std::max_element(b.idle.begin(), b.idle.end());
  }
}

// Sets the bits of a mask, or clears them, at every step of [start, end).
void IdleTimeline::change(std::span<const Word> bits, bool to_busy, std::int64_t start,
                          std::int64_t end) {
  const auto some = [](Word w) { return w != 0; };
  const auto first =
      static_cast<std::size_t>(std::find_if(bits.begin(), bits.end(), some) - bits.begin());
  std::size_t last = bits.size();
  while (last > first && bits[last - 1] == 0) --last;
  if (first == last) return;
  make_step(end);
  alike_.clear();
  for (At at = make_step(start); time(at) < end; at = next(at)) {
    const auto changed = change_words(own_mask(at), bits.data(), first, last, to_busy);
    const std::uint32_t idle = blocks_[at.block]->idle[at.step];
    set_idle(at, to_busy ? idle - changed : idle + changed);
    // What set it apart from the step before it may just have gone.
    if (at == At{0, 0} || time(at) == start) continue;
    const Word *const own = mask(at), *const last_one = mask(before(at));
    if (std::equal(own + first, own + last, last_one + first)) alike_.push_back(time(at));
  }
  drop_step(end);
  for (std::int64_t t : alike_) drop_step(t);
  drop_step(start);
}

// A pool that several jobs may share is idle only where none of them is left.
void IdleTimeline::clear_if_idle(PoolId p, std::int64_t start, std::int64_t end) {
  std::vector<Word> own(words_, 0);
  add(own, p);
  const Planner* planner = state_.planner(graph_.interior(p));
  std::int64_t from = start;
  while (from < end) {
    std::int64_t until = end;
    if (planner != nullptr) {
      until = std::min(end, planner->next_step(from + 1).value_or(end));
    }
    if (!state_.touched(p, from, until)) change(own, false, from, until);
    from = until;
  }
}

void IdleTimeline::check_size() {
  if (steps_ * words_ * sizeof(Word) <= limits_.bytes_max) return;
  usable_ = false;
  blocks_.clear();
  steps_ = 0;
}

void IdleTimeline::applied(const Selection& selection, std::int64_t start, std::int64_t end,
                           int sign) {
  if (!usable_ || pools_.empty()) return;
  const TypeId type = graph_.type(pools_[0]);
  std::fill(held_.begin(), held_.end(), 0);
  std::vector<PoolId> shared;
  PoolId covering = kNoPool;
  for (const Taken& t : selection.taken) {
    if (graph_.leaf(t.first)) continue;
    if (covering != kNoPool && graph_.below(t.first, covering)) continue;
    const bool exclusive = t.exclusive || t.whole;
    if (graph_.type(t.first) == type) {
      if (exclusive || sign > 0) {
        add(held_, t.first);
      } else {
        shared.push_back(t.first);
      }
    }
    if (!exclusive) continue;
    covering = t.first;
    if (graph_.shape(covering).total(type) <= 0) continue;
    graph_.for_each_interior_below(covering, [&](std::uint32_t i) {
      const PoolId p = graph_.interior_pool(i);
      if (graph_.type(p) == type) add(held_, p);
    });
  }
  change(held_, sign > 0, start, end);
  for (PoolId p : shared) clear_if_idle(p, start, end);
  check_size();
}

// The first step from `a` on at which so many are idle.
IdleTimeline::At IdleTimeline::with_idle(At a, std::uint32_t count) const {
  while (a.block < blocks_.size()) {
    const Block& b = *blocks_[a.block];
    if (b.most_idle >= count) {
      for (; a.step < b.idle.size(); ++a.step) {
        if (b.idle[a.step] >= count) return a;
      }
    }
    a = {a.block + 1, 0};
  }
  return a;
}

std::optional<std::int64_t> IdleTimeline::first_fit(std::int64_t count,
                                                    std::span<const Word> excluded, std::int64_t t,
                                                    std::int64_t duration_s,
                                                    std::vector<Word>& busy) const {
  const std::size_t pools = pools_.size();
  const auto begin = [&] {
    busy.assign(words_, 0);
    std::copy(excluded.begin(), excluded.end(), busy.begin());
  };
  begin();
  if (count > static_cast<std::int64_t>(count_idle(busy.data(), words_, pools))) return {};
  const auto wanted = static_cast<std::uint32_t>(count);
  At first = in_force(t);
  bool now = first != end();  // a step is in force at t
  if (!now && !blocks_.empty()) first = {0, 0};
  for (;;) {
    begin();
    At at = first;
    bool fits = true;
    while (at != end() && ((at == first && now) || time(at) - t < duration_s)) {
      fits = blocks_[at.block]->idle[at.step] >= wanted &&
             unite(busy.data(), mask(at), words_, pools) >= wanted;
      if (!fits) break;
      at = next(at);
    }
    if (fits) return t;
    // The latest step from which on those up to the one that is too much are too much together: no
    // start before the step after it will do.
    begin();
    At from = at;
    while (unite(busy.data(), mask(from), words_, pools) >= wanted) from = before(from);
    first = with_idle(next(from), wanted);
    if (first == end()) return {};  // not reached: in the last one all are idle
    t = time(first);
    now = true;
  }
}

}  // namespace copse
