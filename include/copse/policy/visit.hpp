// SPDX-License-Identifier: Apache-2.0
//
// Visit: what a visiting policy is called with, and what it may choose.
//
// A policy whose scores depend on what is free, or on what else runs, has a function `visit`. A match
// calls it after everything below a pool was visited, as a callback of Fluxion's traverser:
//
//   copse::Score high(copse::Visit& visit) {
//     for (const copse::WantedPools& wanted : visit.below()) {
//       if (wanted.takes == 0) return 0;  // too little was found
//       visit.choose_best(wanted.type, wanted.takes);
//     }
//     return visit.graph.id(visit.pool) + 2;
//   }
//
// The result is a score: the pool is offered to the pool above with it. 0 or less refuses the pool.
// A refusal may depend on anything, but queues take it to hold until something is released.
//
// A match with such a policy visits all pools that may have what is requested, and asks the policy
// about each: O(pools) calls (docs/reference/policies.md has figures). Spans and texts are valid until
// the function returns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "copse/policy.hpp"

namespace copse {

// A vertex of the request: type and count, as requested.
struct WantedPools {
  std::string_view type;  // "slot": a slot
  std::int64_t least = 1, most = 1;
  // Of what was found, the units that would be taken: the largest count that is possible. 0: too few.
  std::int64_t takes = 0;
  std::string_view label;  // of a slot
};

// A pool, or a slot, that was found below the visited pool.
struct FoundPools {
  PoolId pool;            // of a slot: the pool where it was formed
  std::string_view type;  // "slot": a slot
  Score score = 0;        // that the policy gave it
  std::int64_t units = 1;
};

// A job that has something of a pool, of a pool above it or below it, during the window.
struct JobOnPool {
  std::uint64_t job = 0;
  std::string_view user;  // "": not known
};

// A pool on the way up an auxiliary subsystem.
struct PoolAbove {
  std::string_view subsystem;
  PoolId pool;
  std::int64_t size = 0;  // units, of the pool or of its capacities
  std::int64_t free = 0;  // the least that they have left during the window
};

class Visit {
 public:
  enum class Event : std::uint8_t {
    pool,     // a pool that the request names
    slot,     // a slot that can be formed; `pool` is where. Its score decides which slots are taken
    request,  // the end, at the root: below() is the top level of the request
  };
  // What each function does, over the walk that the program has.
  struct Functions {
    std::span<const WantedPools> (*below)(void*);
    std::span<const FoundPools> (*found)(void*);
    bool (*choose)(void*, std::size_t);
    std::span<const PoolAbove> (*above)(void*);
    std::span<const JobOnPool> (*jobs)(void*, PoolId);
  };
  // The values that a call needs.
  struct Values {
    Event event = Event::pool;
    PoolId pool;
    WantedPools wanted{};
    Score score = 0;
    bool prefer_high = true;
    std::int64_t start = 0, end = 0;
    std::uint64_t job = 0;
    std::string_view user{};
    void* context = nullptr;
  };
  Visit(GraphView of, const Values& values, void* walk, const Functions& functions)
      : graph(of),
        event(values.event),
        pool(values.pool),
        wanted(values.wanted),
        score(values.score),
        prefer_high(values.prefer_high),
        start(values.start),
        end(values.end),
        job(values.job),
        user(values.user),
        context(values.context),
        walk_(walk),
        functions_(&functions) {}

  const GraphView graph;
  const Event event;
  const PoolId pool;
  const WantedPools wanted;  // the vertex of the request; of `request` without a type
  const Score score;       // of a pool: that of Policy::score; of a slot: 1 and those of its pools
  const bool prefer_high;  // of the policy
  const std::int64_t start, end;  // the window: seconds, without the end
  const std::uint64_t job;        // 0: a question without a job
  const std::string_view user;    // its user; "": not known
  void* const context;            // Policy::context

  // What the request names below `wanted`, each with what would be taken of it. O(it).
  [[nodiscard]] std::span<const WantedPools> below() { return functions_->below(walk_); }
  // What was found below the pool, in the order of the graph; of a slot: what is in it. O(it), once.
  [[nodiscard]] std::span<const FoundPools> found() { return functions_->found(walk_); }
  // Units of a type that were found below the pool.
  [[nodiscard]] std::int64_t units(std::string_view type) {
    std::int64_t sum = 0;
    for (const FoundPools& f : found()) {
      if (f.type == type) sum += f.units;
    }
    return sum;
  }
  // Chooses found()[number], after those chosen before. If something of a type is chosen, nothing else of
  // this type is taken; of other types, the best scores are. False: it was chosen before, or is in a slot.
  // What is chosen beyond the request's count is not taken.
  bool choose(std::size_t number) { return functions_->choose(walk_, number); }
  // Chooses the best of a type until they have `units`; returns what they have. O(found · log found).
  template <class Better>
  std::int64_t choose_best(std::string_view type, std::int64_t units, Better better) {
    const std::span<const FoundPools> all = found();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].type == type) order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (better(all[a], all[b])) return true;
      return !better(all[b], all[a]) && a < b;
    });
    std::int64_t chosen = 0;
    for (std::size_t i = 0; i < order.size() && chosen < units; ++i) {
      if (choose(order[i])) chosen += all[order[i]].units;
    }
    return chosen;
  }
  // The same by score: the highest first, or the lowest, as the policy prefers.
  std::int64_t choose_best(std::string_view type, std::int64_t units) {
    return choose_best(type, units, [&](const FoundPools& a, const FoundPools& b) {
      return prefer_high ? a.score > b.score : a.score < b.score;
    });
  }
  // The pools on the way from this one up each auxiliary subsystem of the engine (EngineOptions::auxiliary)
  // that have a capacity, from the lowest to the root. O(them and their children there).
  [[nodiscard]] std::span<const PoolAbove> above() { return functions_->above(walk_); }
  // The other jobs that have something of a pool during the window, each once. O(depth + pools in use
  // below it).
  [[nodiscard]] std::span<const JobOnPool> jobs(PoolId on) { return functions_->jobs(walk_, on); }

 private:
  void* walk_;
  const Functions* functions_;
};

}  // namespace copse
