// SPDX-License-Identifier: Apache-2.0
//
// LeafTimelines: which leaves below a pool are taken when, as bit masks over time.
//
// A planner knows how many units are free at each moment, not whether the same ones stay free for a
// whole window. A timeline knows it for a pool with at most kLeavesMax leaves below: steps in order
// of time, each with a mask of the leaves that are taken from then on, by their own span or that of
// a pool above. The leaves free over a window are those in none of its masks.
//
// Invariants
//   1. A timeline is a cache: it is made from the exclusive spans on first use, follows every grant
//      from then on, and is not part of the state.
//   2. Before the first step nothing is taken; neighbouring masks differ; the last is empty.
//
// Size: 10 bytes and a word per 64 leaves for each step, at most two steps per grant; 4 bytes per
// leaf. Building one: O(h log h) for h spans. A grant: O(steps) moves and O(steps in its window)
// words. first_fit visits the steps from `t` to the answer; if a window is too full, those of the
// window again: O(steps × steps in a window) words at worst, about O(steps) if most windows are too
// full at their beginning.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "state/exclusive_spans.hpp"

namespace copse {

class LeafTimelines {
 public:
  static constexpr std::size_t kLeavesMax = 512;

  LeafTimelines(const ResourceGraph& graph, const ExclusiveSpans& exclusive_spans)
      : graph_(graph), exclusive_spans_(exclusive_spans) {}

  // At least this many units of leaves of a type.
  struct Need {
    TypeId type;
    std::int64_t units;
  };
  // A start, and the latest start for which the same holds.
  struct Fit {
    std::int64_t from, until;
  };

  // The first start t' in [t, limit] at which, for the whole duration, leaves with all the needs
  // stay free (each of them, idle: all leaves); and the last start with the same set of steps.
  // nullopt if there is none. REQUIRES covers(p).
  [[nodiscard]] std::optional<Fit> first_fit(PoolId p, std::span<const Need> needs, bool idle,
                                             std::int64_t t, std::int64_t duration_s,
                                             std::int64_t limit);
  // Whether p has a timeline: it has leaves below, not too many, and of equal sizes within a type.
  [[nodiscard]] bool covers(PoolId p);

  // After a selection was applied (or taken back) over [start, end).
  void applied(const Selection& selection, std::int64_t start, std::int64_t end);
  void forget() { lines_.clear(); }  // after the graph changed

 private:
  using Word = std::uint64_t;
  struct Leaves {  // of a type that has only leaves below p
    TypeId type;
    std::int64_t size;
    std::vector<Word> mask;
  };
  struct Timeline {
    bool usable = true;
    std::size_t words = 0;
    std::vector<PoolId> leaves;  // in preorder; bit i is leaves[i]
    std::vector<Leaves> types;
    std::vector<std::int64_t> times;
    std::vector<std::uint16_t> free;  // leaves in no mask, for each of times
    std::vector<Word> masks;          // `words` for each of times
  };

  [[nodiscard]] Timeline& timeline(PoolId p);
  void make(PoolId p, Timeline& timeline) const;
  void mark(const Timeline& timeline, PoolId held, std::vector<Word>& mask) const;
  static void flip(Timeline& timeline, std::span<const Word> mask, std::int64_t start,
                   std::int64_t end);
  static std::size_t step_at(Timeline& timeline, std::int64_t time);
  static void drop_step(Timeline& timeline, std::size_t step);
  [[nodiscard]] bool set_wanted(const Timeline& timeline, std::span<const Need> needs, bool idle);
  static std::uint16_t free_in(const Timeline& timeline, std::size_t step);

  const ResourceGraph& graph_;
  const ExclusiveSpans& exclusive_spans_;
  std::unordered_map<std::uint32_t, Timeline> lines_;  // by pool
  // The needs of the current query, as numbers of leaves.
  struct Wanted {
    const Word* mask;
    std::uint32_t leaves;
  };
  std::vector<Wanted> wanted_;
  std::uint32_t least_ = 0;        // leaves that must be free
  std::vector<Word> busy_, mask_;  // scratch
};

}  // namespace copse
