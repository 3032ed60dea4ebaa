// SPDX-License-Identifier: Apache-2.0
//
// DividedPools: the units of divisible pools that jobs have, over time.
//
// Invariants
//   1. A pool has a planner while a job has units of it, or will have; else none.
//   2. A planner has one dimension: the sum of the units of all jobs, at most the pool's size.
//   3. Units that a job takes below a pool that it has exclusively are not here: the exclusive span
//      covers them.
//
// Cost: a query O(log pools in use among 1,024 neighbours), and one of the planner. A copy: 16 bytes
// for each 1,024 pools; the first write copies a pointer for each pool in use of these. Nothing
// on machines without divisible types.
#pragma once

#include <cstdint>
#include <vector>

#include "base/shared_chunks.hpp"
#include "copse/graph.hpp"
#include "copse/ids.hpp"
#include "copse/shared.hpp"
#include "time/planner.hpp"

namespace copse {

class DividedPools {
 public:
  // Pool numbers of the machine are below `pools`.
  void resize(std::uint32_t pools) { parts_.resize((pools + kPools - 1) / kPools); }

  // The most units of the pool that jobs have at any time of [start, end).
  [[nodiscard]] std::int64_t most_used(PoolId p, std::int64_t start, std::int64_t end) const {
    const Planner* const times = planner(p);
    return times == nullptr ? 0 : times->max_used(0, start, end);
  }
  [[nodiscard]] const Planner* planner(PoolId p) const;  // nullptr: no job has units of it
  // Adds units of a job over [start, end), or with sign -1 removes them.
  void apply(PoolId p, std::int64_t units, std::int64_t start, std::int64_t end, int sign);

  // Calls visit(PoolId, const Planner&) for each pool in use, in the order of numbers.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t n = 0; n < parts_.size(); ++n) {
      for (const Used& used : parts_[n].used) visit(used.pool, *used.planner);
    }
  }
  [[nodiscard]] std::uint64_t bytes() const;
  // Invariants, for this machine. O(chunks + steps).
  [[nodiscard]] bool check(const ResourceGraph& graph) const;

 private:
  static constexpr std::uint32_t kPools = 1024;
  struct Used {
    PoolId pool;
    Shared<Planner> planner;
  };
  struct Part {
    std::vector<Used> used;  // pools ascend
  };

  SharedChunks<Part, 1> parts_;  // by pool / kPools
};

}  // namespace copse
