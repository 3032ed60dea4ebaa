// SPDX-License-Identifier: Apache-2.0
#include "state/timelines/mask_timeline.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "state/timelines/popcount.hpp"

namespace copse {

namespace {

using Word = MaskTimeline::Word;

std::uint32_t bits_of(Word word) { return static_cast<std::uint32_t>(std::popcount(word)); }

COPSE_COUNTS_BITS std::uint32_t count_bits(const Word* mask, std::size_t first, std::size_t last) {
  std::uint32_t count = 0;
  for (std::size_t w = first; w < last; ++w) count += bits_of(mask[w]);
  return count;
}

// Removes the bits of a mask from another; returns how many are left.
COPSE_COUNTS_BITS std::uint32_t take(Word* from, const Word* mask, std::size_t words) {
  std::uint32_t count = 0;
  for (std::size_t w = 0; w < words; ++w) {
    from[w] &= ~mask[w];
    count += bits_of(from[w]);
  }
  return count;
}

// How many bits would be left.
COPSE_COUNTS_BITS std::uint32_t count_without(const Word* from, const Word* mask,
                                              std::size_t words) {
  std::uint32_t count = 0;
  for (std::size_t w = 0; w < words; ++w) count += bits_of(from[w] & ~mask[w]);
  return count;
}

}  // namespace

// The members that are idle at all steps visited so far. Once they are few, only the words that
// have some are processed.
class MaskTimeline::Left {
 public:
  Left(std::span<const Word> excluded, std::size_t members, std::vector<Word>& left)
      : excluded_(excluded), members_(members), left_(left) {}

  // Resets to all members that are not excluded; returns their number.
  std::uint32_t begin() {
    const std::size_t words = (members_ + 63) / 64;
    left_.assign(words, ~Word{0});
    if (members_ % 64 != 0) left_.back() = (Word{1} << (members_ % 64)) - 1;
    sparse_ = false;
    if (excluded_.empty()) return static_cast<std::uint32_t>(members_);
    return take(left_.data(), excluded_.data(), words);
  }
  // Removes the members in the mask; returns how many are left.
  std::uint32_t without(const Word* mask) {
    if (!sparse_) {
      const std::uint32_t count = take(left_.data(), mask, left_.size());
      if (count * 8 < left_.size()) list();
      return count;
    }
    std::uint32_t count = 0;
    std::size_t kept = 0;
    for (const std::uint32_t w : some_) {
      left_[w] &= ~mask[w];
      if (left_[w] == 0) continue;
      some_[kept++] = w;
      count += bits_of(left_[w]);
    }
    some_.resize(kept);
    return count;
  }
  [[nodiscard]] std::uint32_t count_without(const Word* mask) const {
    if (!sparse_) return copse::count_without(left_.data(), mask, left_.size());
    std::uint32_t count = 0;
    for (const std::uint32_t w : some_) count += bits_of(left_[w] & ~mask[w]);
    return count;
  }

 private:
  void list() {
    sparse_ = true;
    some_.clear();
    for (std::size_t w = 0; w < left_.size(); ++w) {
      if (left_[w] != 0) some_.push_back(static_cast<std::uint32_t>(w));
    }
  }

  std::span<const Word> excluded_;
  std::size_t members_;
  std::vector<Word>& left_;
  bool sparse_ = false;
  std::vector<std::uint32_t> some_;  // words that may have bits
};

void MaskTimeline::clear() {
  blocks_.clear();
  steps_ = 0;
}

MaskTimeline::At MaskTimeline::in_force(std::int64_t time) const {
  auto block = std::upper_bound(
      blocks_.begin(), blocks_.end(), time,
      [](std::int64_t t, const Shared<MaskBlock>& b) { return t < b->times.front(); });
  if (block == blocks_.begin()) return end();
  --block;
  const auto& times = (*block)->times;
  const auto step = std::upper_bound(times.begin(), times.end(), time) - times.begin() - 1;
  return {static_cast<std::size_t>(block - blocks_.begin()), static_cast<std::size_t>(step)};
}

std::optional<std::int64_t> MaskTimeline::next_step(std::int64_t time) const {
  At at = in_force(time);
  at = at != end() ? next(at) : At{0, 0};
  return at == end() ? std::nullopt : std::optional(this->time(at));
}

// --- Inserting and erasing steps

// Inserts a step at `time` if it is missing.
void MaskTimeline::make_step(std::int64_t time) {
  At at = in_force(time);
  if (at != end() && this->time(at) == time) return;
  if (blocks_.empty()) {
    blocks_.push_back(Shared<MaskBlock>::make(words_));
    at = end();
  }
  const bool first = at == end();  // before all others
  if (first) at = {0, 0};
  if (blocks_[at.block]->steps() == kBlockSteps) {
    constexpr std::size_t kHalf = kBlockSteps / 2;
    auto upper = Shared<MaskBlock>::make(words_);
    blocks_[at.block].own().move_to(upper.own(), kHalf);
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at.block) + 1, std::move(upper));
    if (at.step >= kHalf) at = {at.block + 1, at.step - kHalf};
  }
  blocks_[at.block].own().insert(first ? 0 : at.step + 1, time, members_);
  ++steps_;
}

// Whether two steps are equal in some words.
bool MaskTimeline::same(At a, At b, std::size_t first, std::size_t last) const {
  const MaskBlock &x = *blocks_[a.block], &y = *blocks_[b.block];
  const Word *const p = x.own(a.step), *const q = y.own(b.step);
  if (a.block == b.block) return std::equal(p + first, p + last, q + first);
  for (std::size_t w = first; w < last; ++w) {
    if ((x.through[w] | p[w]) != (y.through[w] | q[w])) return false;
  }
  return true;
}

// Drops the step at `time` if it changes nothing.
void MaskTimeline::drop_step(std::int64_t time) {
  const At at = in_force(time);
  if (at == end() || this->time(at) != time) return;
  if (at == At{0, 0} ? blocks_.front()->idle_at(0) != members_ : !same(at, before(at), 0, words_)) {
    return;
  }
  --steps_;
  if (blocks_[at.block]->steps() > 1) {
    blocks_[at.block].own().erase(at.step);
  } else {
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at.block));
  }
}

// --- Changes

void MaskTimeline::change(std::span<const Word> bits, bool to_busy, std::int64_t start,
                          std::int64_t end) {
  const auto some = [](Word w) { return w != 0; };
  MaskBlock::Words words{bits.data(), 0, bits.size(), 0};
  words.first =
      static_cast<std::size_t>(std::find_if(bits.begin(), bits.end(), some) - bits.begin());
  while (words.last > words.first && bits[words.last - 1] == 0) --words.last;
  if (words.first == words.last) return;
  words.count = count_bits(bits.data(), words.first, words.last);
  make_step(end);
  make_step(start);
  alike_.clear();
  // Two consecutive steps that both changed in all these members still differ.
  bool clean = true;
  for (At at = in_force(start); at != this->end() && time(at) < end; at = {at.block + 1, 0}) {
    MaskBlock& b = blocks_[at.block].own();
    const std::size_t from = at.step;
    const auto to = static_cast<std::size_t>(std::lower_bound(b.times.begin(), b.times.end(), end) -
                                             b.times.begin());
    const bool before_clean = std::exchange(clean, b.change(words, to_busy, from, to));
    for (std::size_t step = from; step < to; ++step) {
      if (clean && (step > from || before_clean)) break;
      const At here{at.block, step};
      if (b.times[step] == start || here == At{0, 0}) continue;
      if (same(here, before(here), words.first, words.last)) alike_.push_back(b.times[step]);
    }
  }
  drop_step(end);
  for (const std::int64_t t : alike_) drop_step(t);
  drop_step(start);
}

// --- Search

// The first step from `a` on at which this many are idle.
MaskTimeline::At MaskTimeline::with_idle(At a, std::uint32_t count) const {
  while (a.block < blocks_.size()) {
    const MaskBlock& b = *blocks_[a.block];
    const std::uint32_t wanted = count + b.through_count;
    if (b.most_idle >= wanted) {
      for (; a.step < b.idle.size(); ++a.step) {
        if (b.idle[a.step] >= wanted) return a;
      }
    }
    a = {a.block + 1, 0};
  }
  return a;
}

// The first step of the window [t, t + duration) after which too few are left; end() if there is
// none. `now`: the first step is in force at t.
MaskTimeline::At MaskTimeline::too_much(At first, bool now, std::int64_t t, std::int64_t duration_s,
                                        std::uint32_t wanted, Left& left) const {
  for (At at = first; at.block < blocks_.size(); at = {at.block + 1, 0}) {
    const MaskBlock& b = *blocks_[at.block];
    const auto within = [&](std::size_t step) {
      return (now && At{at.block, step} == first) || b.times[step] - t < duration_s;
    };
    if (!within(at.step)) return end();
    if (at.step == 0 && within(b.steps() - 1) && left.count_without(b.ever.data()) >= wanted) {
      (void)left.without(b.ever.data());
      continue;
    }
    if (left.without(b.through.data()) < wanted) return at;
    for (; at.step < b.times.size(); ++at.step) {
      if (!within(at.step)) return end();
      if (b.idle[at.step] < wanted + b.through_count) return at;
      if (left.without(b.own(at.step)) < wanted) return at;
    }
  }
  return end();
}

// The latest step such that the steps from it to `at` together leave too few.
MaskTimeline::At MaskTimeline::last_cause(At at, std::uint32_t wanted, Left& left) const {
  (void)left.begin();
  for (;; at = before({at.block, 0})) {
    const MaskBlock& b = *blocks_[at.block];
    if (at.step + 1 == b.times.size() && left.count_without(b.ever.data()) >= wanted) {
      (void)left.without(b.ever.data());
      continue;
    }
    if (left.without(b.through.data()) < wanted) return at;
    for (std::size_t step = at.step + 1; step-- > 0;) {
      if (left.without(b.own(step)) < wanted) return {at.block, step};
    }
  }
}

std::optional<std::int64_t> MaskTimeline::first_fit(std::int64_t count,
                                                    std::span<const Word> excluded, std::int64_t t,
                                                    std::int64_t duration_s,
                                                    std::vector<Word>& busy) const {
  Left left(excluded, members_, busy);
  if (count > static_cast<std::int64_t>(left.begin())) return {};
  const auto wanted = static_cast<std::uint32_t>(count);
  At first = in_force(t);
  bool now = first != end();  // whether a step is in force at t
  if (!now && !blocks_.empty()) first = {0, 0};
  for (;;) {
    const At at = too_much(first, now, t, duration_s, wanted, left);
    if (at == end()) break;
    // No start before the step after the last cause is possible.
    first = with_idle(next(last_cause(at, wanted, left)), wanted);
    if (first == end()) return {};  // not reached: at the last step all are idle
    t = time(first);
    now = true;
    (void)left.begin();
  }
  for (Word& word : busy) word = ~word;
  return t;
}

bool MaskTimeline::check() const {
  std::size_t steps = 0;
  for (std::size_t n = 0; n < blocks_.size(); ++n) {
    const MaskBlock& b = *blocks_[n];
    if (!b.check(members_)) return false;
    for (std::size_t step = 0; step < b.steps(); ++step, ++steps) {
      const At at{n, step};
      if (at == At{0, 0}) continue;
      if (time(before(at)) >= time(at) || same(at, before(at), 0, words_)) return false;
    }
  }
  return steps == steps_ &&
         (blocks_.empty() || blocks_.back()->idle_at(blocks_.back()->steps() - 1) == members_);
}

}  // namespace copse
