// SPDX-License-Identifier: Apache-2.0
//
// Explanation: why a request gets nothing now, as plain data.
//
//   auto why = engine.explain(*request);
//   if (why && why->verdict == copse::Verdict::insufficient) show(why->findings.front());
//
// The verdict is that of a match; findings give the reasons. The first finding is the most
// specific: the deepest part of the request that is short wherever it could be. Amounts are units
// of the finding's type (slots, where that is "slot"); candidates are pools. Amounts beyond 64 bits
// are shown as the largest number. src/explain/explanation.hpp writes it as text and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "copse/error.hpp"

namespace copse {

enum class Verdict : std::uint8_t {
  fits,          // the request would be granted now
  insufficient,  // not now: it fits the empty machine
  infeasible,    // never: it does not fit even the empty machine
  invalid,       // the request itself is wrong
};

enum class Cause : std::uint8_t {
  too_few,       // too few units of a type: in the machine, under one pool, or among the free ones
  deeper,        // the type exists below such pools, but not directly below as the request has it
  not_together,  // each part exists, but not all parts under one pool
  whole_pools,   // there are enough units, but pools are taken whole, and their sizes do not add up
  unequal,       // no simple reason: pools of unequal sizes do not add up
  siblings,      // two siblings of the request fit the same pools
  slot_rule,     // an empty slot, a slot directly in a slot, or an xor_slot
  count_zero,    // a count of 0, which no match satisfies
  exclusive_in_part,  // `exclusive: false` below something exclusive
  nothing_exclusive,  // no part of the request is exclusive: there is nothing to grant
  duration,           // not a duration that can be planned
  capacity,       // a capacity of an auxiliary subsystem has too little left: `where` is its path
  capacity_down,  // the capacity, or a pool on the path to it, is not usable
  no_capacity,    // no capacity exists on the path up from `where`
  supply,         // layers of a hierarchical resource have too little
  supply_apart,   // layers have enough, and pools are free, but not below the same layers
};

// Pools of the finding's type (for a slot: where it can be formed), by the first reason that
// excludes each. Invariant: `all` is the sum of the others.
struct Candidates {
  std::uint64_t all = 0;
  std::uint64_t fit = 0;
  std::uint64_t too_small = 0;  // even when empty
  std::uint64_t excluded = 0;   // excluded by the constraint, or below such a pool
  std::uint64_t down = 0;       // not usable, or below such a pool
  std::uint64_t held = 0;       // allocated exclusively, or below such a pool
  std::uint64_t busy = 0;       // jobs use a part, and the rest is not enough
  std::uint64_t lacking = 0;    // no job uses it, but what is below it does not satisfy the request
  std::uint64_t passed_over = 0;  // suitable, but never chosen by the policy (a score below 1)
};

// A job that has some of the candidates, at some time of the window.
struct Holder {
  static constexpr std::int64_t kWithoutEnd = INT64_MAX;
  std::uint64_t job = 0;
  // A start after the requested time: a reservation. An end of kWithoutEnd: no end before the
  // horizon.
  std::int64_t start = 0, end = 0;
  std::int64_t units = 0;  // units of the finding's type that it has, in whole or in part
  bool operator==(const Holder&) const = default;
};

struct Finding {
  static constexpr std::size_t kHoldersMax = 10;
  static constexpr std::size_t kDownBytesMax = 200;  // of `down`

  Cause cause = Cause::too_few;
  std::string path{};        // "rack[1] > slot[2] > node[1] > core[36]"; empty: the whole request
  SourceLocation place{};    // of that resource in the jobspec
  std::string type{};        // what is short
  std::string properties{};  // "h200, nvlink": that pools of the type must have; empty: any pool
  std::string unit{};        // the unit of its pools, "GiB"; empty if they are counted
  bool counted = true;       // pools have one unit each

  std::int64_t needed = 0;
  std::vector<std::int64_t> factors{};  // their product is `needed`; outermost first
  struct Part {
    std::string type;
    std::int64_t units;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> each{};  // what each unit must have below it
  std::string where{};  // "chassis": all must be under one of these; empty: anywhere in the machine
  std::int64_t most_has = 0;   // the most that one of these, or the machine, has: used or not,
                               // suitable or not
  std::int64_t most_fits = 0;  // of that, what fits (verdict infeasible: on the empty machine)

  Candidates candidates{};
  // For supply and supply_apart: `path` is "hres > flat:5", `type` the resource, `where` the nodes
  // of the tightest layer, `most_has` its total (count less all bases),
  // `most_fits` what of that is left over the requested time; `factors` are the count and, in mode
  // 3, the number of nodes charged; `candidates` are nodes: those that fit are served by enough
  // layers.
  std::vector<Holder>
      holders{};  // jobs on candidates that are held or busy; soonest end first, then by job
  std::uint64_t more_holders = 0;  // beyond these

  // Which pools are down: nodes that are down or contain such a pool, as a hostlist (RFC 29); above
  // nodes paths of pools, such as "/cluster0/rack[0-1]". In the order of the machine.
  std::string down{};
  std::uint64_t more_down = 0;  // beyond these
};

struct Explanation {
  Verdict verdict = Verdict::fits;
  std::int64_t at = 0, until = 0;  // the requested window [at, until), seconds
  std::vector<Finding> findings;   // none if it fits; at most kFindingsMax
  // Sentences about the request that do not depend on the state: "no node has the property
  // \"fastt\"".
  std::vector<std::string> remarks{};
  static constexpr std::size_t kFindingsMax = 16;
};

// Stable words: "insufficient", "too_few", …
[[nodiscard]] const char* word(Verdict verdict);
[[nodiscard]] const char* word(Cause cause);

}  // namespace copse
