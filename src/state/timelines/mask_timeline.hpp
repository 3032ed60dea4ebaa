// SPDX-License-Identifier: Apache-2.0
//
// MaskTimeline: which members of a set are busy when, as bit masks over time.
//
// Steps are in order of time; each has the members that are busy from then on. They are in blocks.
// A member that is busy through a whole block is stored once, not at every step. A block also has
// the members that are ever busy in it, so that a search may pass it without visiting its steps.
//
// Invariants
//   1. Before the first step all members are idle; neighbouring steps differ; at the last all are
//      idle.
//   2. Steps are in blocks, in order; the invariants of MaskBlock hold.
//
// Size: a bit per member and 16 bytes per step, and two masks per block. A mask has W words, a
// block at most S steps. A change costs its words in each block of its window, and at the two ends
// of the window its words at S steps. first_fit costs W in each block that it passes and up to S·W
// where a window begins, ends or fails; once few members are left, only their words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "copse/shared.hpp"
#include "state/timelines/mask_block.hpp"

namespace copse {

class MaskTimeline {
 public:
  using Word = std::uint64_t;

  explicit MaskTimeline(std::size_t members) : members_(members), words_((members + 63) / 64) {}

  [[nodiscard]] std::size_t steps() const { return steps_; }
  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::size_t bytes() const { return steps_ * words_ * sizeof(Word); }
  void clear();

  // Makes the members in `bits` busy, or idle, over [start, end). Some may already be so.
  // REQUIRES start < end, bits.size() == words().
  void change(std::span<const Word> bits, bool to_busy, std::int64_t start, std::int64_t end);

  // The first step after `time`.
  [[nodiscard]] std::optional<std::int64_t> next_step(std::int64_t time) const;
  // The first start t' >= t at which at least `count` members that are not in `excluded` are idle
  // for the whole duration; `busy` then has all others.
  // REQUIRES count > 0, excluded.size() == words() or 0.
  [[nodiscard]] std::optional<std::int64_t> first_fit(std::int64_t count,
                                                      std::span<const Word> excluded,
                                                      std::int64_t t, std::int64_t duration_s,
                                                      std::vector<Word>& busy) const;
  // The invariants. O(steps × words).
  [[nodiscard]] bool check() const;

 private:
  static constexpr std::size_t kBlockSteps = 64;
  struct At {  // a step
    std::size_t block, step;
    bool operator==(const At&) const = default;
  };
  class Left;

  [[nodiscard]] At end() const { return {blocks_.size(), 0}; }
  [[nodiscard]] std::int64_t time(At a) const { return blocks_[a.block]->times[a.step]; }
  [[nodiscard]] At next(At a) const {
    return a.step + 1 < blocks_[a.block]->times.size() ? At{a.block, a.step + 1}
                                                       : At{a.block + 1, 0};
  }
  [[nodiscard]] At before(At a) const {
    return a.step > 0 ? At{a.block, a.step - 1}
                      : At{a.block - 1, blocks_[a.block - 1]->times.size() - 1};
  }
  [[nodiscard]] At in_force(std::int64_t time) const;  // end(): before the first step
  [[nodiscard]] At with_idle(At a, std::uint32_t count) const;
  [[nodiscard]] At too_much(At first, bool now, std::int64_t t, std::int64_t duration_s,
                            std::uint32_t wanted, Left& left) const;
  [[nodiscard]] At last_cause(At at, std::uint32_t wanted, Left& left) const;
  [[nodiscard]] bool same(At a, At b, std::size_t first, std::size_t last) const;

  void make_step(std::int64_t time);
  void drop_step(std::int64_t time);

  std::size_t members_, words_;
  std::size_t steps_ = 0;
  std::vector<Shared<MaskBlock>> blocks_;
  std::vector<std::int64_t> alike_;  // scratch of change: steps that may change nothing
};

}  // namespace copse
