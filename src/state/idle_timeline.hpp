// SPDX-License-Identifier: Apache-2.0
//
// IdleTimeline: which pools of one type are idle when, as bit masks over time.
//
// Requests for whole nodes ask when so many of them stay idle together for a whole window. The step
// function of how many are idle says when that cannot be; the masks say whether it is the same ones
// that are. Steps stand in blocks that know the most pools idle at any of their steps, so that what
// is full is passed over by blocks.
//
// Invariants
//   1. A timeline is a cache: it follows every grant and is no part of the state.
//   2. A pool is busy while a job holds it or a pool above it, or touches it or a pool below it.
//      Before the first step all are idle; neighbouring masks differ; the last is empty.
//
// Sketch: a bit a pool and 12 bytes a step, at most two steps a grant. A grant costs its pools, and
// for each step in its window their words; placing a step moves at most one block. first_fit costs
// the blocks that are too full, and for the others the steps of the windows that it tries, 64 pools
// to a word. At 1,000 nodes and 20,000 steps that is 2.6 MB and about 10 µs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "copse/shared.hpp"
#include "state/state.hpp"

namespace copse {

class IdleTimeline {
 public:
  using Word = std::uint64_t;
  struct Limits {
    std::size_t bytes_max = 64u << 20;
  };

  // Of these pools, interior and ascending; `place` has their index by interior number.
  IdleTimeline(const ResourceGraph& graph, const State& state, std::span<const PoolId> pools,
               std::span<const std::uint32_t> place, Limits limits);
  IdleTimeline(const ResourceGraph& graph, const State& state, std::span<const PoolId> pools,
               std::span<const std::uint32_t> place)
      : IdleTimeline(graph, state, pools, place, Limits{}) {}
  // The same for copies of graph and state; blocks are shared until one of the two writes there.
  IdleTimeline(const ResourceGraph& graph, const State& state, const IdleTimeline& other)
      : graph_(graph),
        state_(state),
        pools_(other.pools_),
        place_(other.place_),
        words_(other.words_),
        limits_(other.limits_),
        usable_(other.usable_),
        steps_(other.steps_),
        blocks_(other.blocks_),
        held_(words_, 0) {}

  [[nodiscard]] std::size_t steps() const { return steps_; }
  // False once it became too large: it is then empty, and follows nothing.
  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] std::size_t words() const { return words_; }

  // The first start t' >= t at which at least `count` pools that are not in `excluded` are idle for
  // the whole duration; `busy` then has the others, and those in `excluded`.
  // REQUIRES usable(), count > 0, excluded.size() == words() or 0.
  [[nodiscard]] std::optional<std::int64_t> first_fit(std::int64_t count,
                                                      std::span<const Word> excluded,
                                                      std::int64_t t, std::int64_t duration_s,
                                                      std::vector<Word>& busy) const;

  // After a selection was applied (sign 1) or taken back (-1) over [start, end), the state with it.
  void applied(const Selection& selection, std::int64_t start, std::int64_t end, int sign);

 private:
  static constexpr std::size_t kBlockSteps = 128;
  struct Block {
    std::vector<std::int64_t> times;
    std::vector<std::uint32_t> idle;  // how many pools are
    std::vector<Word> busy;           // words_ for each step
    std::uint32_t most_idle = 0;
  };
  struct At {  // a step
    std::size_t block, step;
    bool operator==(const At&) const = default;
  };

  [[nodiscard]] At end() const { return {blocks_.size(), 0}; }
  [[nodiscard]] std::int64_t time(At a) const { return blocks_[a.block]->times[a.step]; }
  [[nodiscard]] const Word* mask(At a) const {
    return blocks_[a.block]->busy.data() + a.step * words_;
  }
  [[nodiscard]] Word* own_mask(At a) {
    return blocks_[a.block].own().busy.data() + a.step * words_;
  }
  [[nodiscard]] At next(At a) const {
    return a.step + 1 < blocks_[a.block]->times.size() ? At{a.block, a.step + 1}
                                                       : At{a.block + 1, 0};
  }
  [[nodiscard]] At before(At a) const {
    return a.step > 0 ? At{a.block, a.step - 1}
                      : At{a.block - 1, blocks_[a.block - 1]->times.size() - 1};
  }
  [[nodiscard]] At in_force(std::int64_t time) const;  // end(): none yet
  [[nodiscard]] At with_idle(At a, std::uint32_t count) const;
  At make_step(std::int64_t time);
  void drop_step(std::int64_t time);
  void set_idle(At a, std::uint32_t idle);
  void change(std::span<const Word> bits, bool to_busy, std::int64_t start, std::int64_t end);
  void clear_if_idle(PoolId p, std::int64_t start, std::int64_t end);
  void add(std::vector<Word>& mask, PoolId p) const;
  void check_size();

  const ResourceGraph& graph_;
  const State& state_;
  SharedColumn<PoolId> pools_;
  SharedColumn<std::uint32_t> place_;
  std::size_t words_;
  Limits limits_;
  bool usable_ = true;
  std::size_t steps_ = 0;
  std::vector<Shared<Block>> blocks_;
  std::vector<Word> held_;           // scratch of applied
  std::vector<std::int64_t> alike_;  // scratch of change: steps that may change nothing
};

}  // namespace copse
