// SPDX-License-Identifier: Apache-2.0
//
// ChannelAvailability: the amounts of the capacities of auxiliary subsystems that are left for one
// request over one window, while pools are chosen for it.
//
// A pool is eligible if each capacity on its paths has the amount that it needs. Taking the pool
// charges the accounts of all of them; the ledger undoes it. A pool on a path that is not usable
// gives nothing to the pools below it, nor does a capacity that is not usable.
//
// Invariants: writes nothing but itself, the ledger and the paths that Channels caches. Cost: begin
// O(1); eligible and take O(pools on the paths), the first time for each capacity a query of its
// planner.
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
  // `first_account` on. `empty`: without grants, and everything is usable.
  void begin(std::uint32_t first_account, std::int64_t start, std::int64_t end, bool empty);

  // Whether a pool could be chosen for a level with these needs, in addition to those that were
  // taken.
  [[nodiscard]] bool eligible(PoolId p, std::uint32_t level, Needs needs);
  // Takes the needs of a pool, if it is eligible. False: not eligible, nothing taken.
  bool take(PoolId p, std::uint32_t level, Needs needs);
  // Makes a pool ineligible for a level.
  void refuse(PoolId p, std::uint32_t level) { refused_.insert(key(p, level)); }

  // Whether the capacity at the root of the channel has less than that: then no choice of pools is
  // possible.
  [[nodiscard]] bool lacks(const ChannelNeed& all);
  // Appends what was taken, by capacity, root first.
  void charges(std::vector<CapacityCharge>& out) const;

  // Why a pool was refused: the first of the refusals nearest to a root.
  enum class Cause : std::uint8_t { none, no_capacity, down, too_little };
  struct Refusal {
    Cause cause = Cause::none;
    std::uint32_t channel = 0;
    std::uint32_t level = 0;
    std::uint32_t depth = UINT32_MAX;
    PoolId by = kNoPool;              // the refused pool; kNoPool: the request as a whole
    PoolId pool = kNoPool;            // the (first) capacity, or the pool that is down
    std::uint32_t more = 0;           // further capacities
    std::int64_t free = 0, size = 0;  // of all capacities; free: before anything was taken
    std::int64_t wanted = 0;          // the sum of what was taken and this pool's need, or less
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
  // Notes that the capacities at a pool of the path have too little; sets them in `why`.
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
