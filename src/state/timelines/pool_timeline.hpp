// SPDX-License-Identifier: Apache-2.0
//
// PoolTimeline: which pools of one type are open when, as bit masks over time. Open are pools that
// are idle, or that have at least the needed units free.
//
// Requests need the time at which a number of pools stay open together for a whole window. The
// number of open pools at each time does not tell whether they are the same ones; a MaskTimeline
// does.
//
// Invariants
//   1. A timeline is a cache: it follows every grant and is not part of the state.
//   2. Without needs, a pool is busy while a job has it or a pool above it exclusively, or uses it
//       or a pool below it. With needs, it is busy while a job has it or a pool above it
//       exclusively, or less than a need is free below it. An open pool may still fail: enough
//       units are free at all times, but perhaps not the same leaves. A pool
//      that has less than a need on the empty machine may be shown as either.
//
// Size: at most two steps per grant, see MaskTimeline. A grant costs O(its pools), one change of
// the timeline, and one for each pool that it shares. At 1,000 nodes and 20,000 steps that is 2.6
// MB. A new timeline costs O(S) for S spans of pools, and a change for each pair of times.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "copse/shared.hpp"
#include "state/state.hpp"
#include "state/timelines/mask_timeline.hpp"

namespace copse {

class PoolTimeline {
 public:
  using Word = MaskTimeline::Word;
  struct Limits {
    std::size_t bytes_max = 64u << 20;
  };

  // Units of a type that are free below a pool.
  struct Need {
    TypeId type;
    std::int64_t units;
    bool operator==(const Need&) const = default;
  };

  // For these pools, interior and ascending; `place` has their index by interior number.
  PoolTimeline(const ResourceGraph& graph, const State& state, std::span<const PoolId> pools,
               std::span<const std::uint32_t> place, std::vector<Need> needs, Limits limits);
  PoolTimeline(const ResourceGraph& graph, const State& state, std::span<const PoolId> pools,
               std::span<const std::uint32_t> place, std::vector<Need> needs = {})
      : PoolTimeline(graph, state, pools, place, std::move(needs), Limits{}) {}
  // The same for copies of graph and state; blocks are shared (copy on write).
  PoolTimeline(const ResourceGraph& graph, const State& state, const PoolTimeline& other)
      : graph_(graph),
        state_(state),
        pools_(other.pools_),
        place_(other.place_),
        needs_(other.needs_),
        limits_(other.limits_),
        usable_(other.usable_),
        busy_(other.busy_),
        held_(busy_.words(), 0),
        one_(busy_.words(), 0) {}

  [[nodiscard]] std::span<const Need> needs() const { return needs_; }
  [[nodiscard]] std::size_t steps() const { return busy_.steps(); }
  // False once it became too large: it is then empty, and no longer updated.
  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] std::size_t words() const { return busy_.words(); }

  // The first start t' >= t at which at least `count` pools that are not in `excluded` are idle for
  // the whole duration; `busy` then has the others, and those in `excluded`.
  // REQUIRES usable(), count > 0, excluded.size() == words() or 0.
  [[nodiscard]] std::optional<std::int64_t> first_fit(std::int64_t count,
                                                      std::span<const Word> excluded,
                                                      std::int64_t t, std::int64_t duration_s,
                                                      std::vector<Word>& busy) const {
    return busy_.first_fit(count, excluded, t, duration_s, busy);
  }

  // The first time after `time` at which the pools that are open change.
  [[nodiscard]] std::optional<std::int64_t> next_step(std::int64_t time) const {
    return busy_.next_step(time);
  }

  // After a selection was applied (sign 1) or removed (-1) over [start, end), and the state
  // updated.
  void applied(const Selection& selection, std::int64_t start, std::int64_t end, int sign);

 private:
  struct BusyPool {
    std::int64_t start, end;
    std::uint32_t bit;  // of the pool
  };
  void find_busy(std::uint32_t bit, std::vector<BusyPool>& found) const;
  void add_all(std::vector<BusyPool>& found);
  [[nodiscard]] bool closed(PoolId p, std::span<const std::int64_t> amounts) const;
  void follow(PoolId p, std::int64_t start, std::int64_t end);
  void add(std::vector<Word>& mask, PoolId p) const;
  void check_size();

  const ResourceGraph& graph_;
  const State& state_;
  SharedColumn<PoolId> pools_;
  SharedColumn<std::uint32_t> place_;
  std::vector<Need> needs_;
  Limits limits_;
  bool usable_ = true;
  MaskTimeline busy_;
  std::vector<Word> held_, one_;  // scratch of applied
};

}  // namespace copse
