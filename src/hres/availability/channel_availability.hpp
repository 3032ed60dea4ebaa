// SPDX-License-Identifier: Apache-2.0
//
// ChannelAvailability: what the capacities of auxiliary subsystems have for one request over one window,
// while pools are chosen for it.
//
// A pool is eligible if every capacity on its ways has what it draws, by itself; taking it takes
// from the accounts of them all, and the ledger gives back. A pool on a way that is not usable
// supplies nothing to those below it, and neither does a capacity that is not.
//
// Invariants: nothing is written but this, the ledger and the ways that Channels keeps. Cost: begin
// O(1); eligible and take O(stops of the pool's ways), the first time for each capacity a query of
// its planner.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "hres/availability/charge_ledger.hpp"
#include "hres/channels.hpp"
#include "state/state.hpp"

namespace copse {

class ChannelAvailability {
 public:
  ChannelAvailability(const ResourceGraph& graph, const State& state, Channels& channels,
                      ChargeLedger& ledger)
      : graph_(graph), state_(state), channels_(channels), ledger_(ledger) {}

  using Needs = std::span<const ChannelNeed>;

  // Starts over, after ledger.begin(). Capacities are accounts of the ledger by their numbers, from
  // `first_account` on. `empty`: nothing is drawn, and everything is usable.
  void begin(std::uint32_t first_account, std::int64_t start, std::int64_t end, bool empty);

  // Whether a pool could be chosen for a level that draws these, with those that were taken.
  [[nodiscard]] bool eligible(PoolId p, std::uint32_t level, Needs needs);
  // Takes what it draws, if it is eligible. False, and nothing taken: it is not.
  bool take(PoolId p, std::uint32_t level, Needs needs);
  // From now on a pool is not eligible for a level.
  void refuse(PoolId p, std::uint32_t level) { refused_.insert(key(p, level)); }

  // Whether the capacity at the root of the channel has less than that: then no choice helps.
  [[nodiscard]] bool lacks(const ChannelNeed& all);
  // What was taken, by capacity, root first: appended.
  void charges(std::vector<CapacityCharge>& out) const;

  // Why a pool was refused: of all refusals the one nearest to a root, the first of those.
  enum class Cause : std::uint8_t { none, no_capacity, down, too_little };
  struct Refusal {
    Cause cause = Cause::none;
    std::uint32_t channel = 0;
    std::uint32_t level = 0;
    std::uint32_t depth = UINT32_MAX;
    PoolId by = kNoPool;              // who was refused; kNoPool: the request as a whole
    PoolId pool = kNoPool;            // the capacity, the first of several; what is down
    std::uint32_t more = 0;           // capacities beside it
    std::int64_t free = 0, size = 0;  // of all of them; free before anything was taken
    std::int64_t wanted = 0;          // at least, of what was taken and this pool
  };
  [[nodiscard]] const Refusal& refusal() const { return refusal_; }

 private:
  struct Sums {
    std::int64_t free = 0, left = 0, size = 0;
  };

  static std::uint64_t key(PoolId p, std::uint32_t level) {
    return std::uint64_t{level} << 32 | p.v;
  }
  [[nodiscard]] const ChargeLedger::Account& account(std::uint32_t capacity);
  [[nodiscard]] bool usable(PoolId p) const { return empty_ || state_.usable(p); }
  [[nodiscard]] Sums sums(const Channels::PathPool& path_pool);
  [[nodiscard]] bool serves(PoolId p, std::uint32_t level, const ChannelNeed& need);
  // The capacities at a stop have too little; they are set in `why`.
  void note_too_little(const Channels::PathPool& path_pool, const Sums& have, Refusal why);
  void note(const Refusal& refusal);

  const ResourceGraph& graph_;
  const State& state_;
  Channels& channels_;
  ChargeLedger& ledger_;
  std::uint32_t first_account_ = 0;
  std::int64_t start_ = 0, end_ = 0;
  bool empty_ = false;
  std::unordered_set<std::uint64_t> refused_;
  Refusal refusal_;
};

}  // namespace copse
