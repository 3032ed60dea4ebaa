// SPDX-License-Identifier: Apache-2.0
//
// Explanation: why a request gets nothing now, as plain data.
//
//   auto why = engine.explain(*request);
//   if (why && why->verdict == copse::Verdict::insufficient) show(why->findings.front());
//
// The verdict is the engine's own; findings say where it comes from. The first finding is the one
// to read first: the deepest part of the request that is short wherever it is looked for. Amounts
// are units of the finding's type (slots, where that is "slot"); candidates are pools. Amounts that
// no 64-bit number holds are shown as the largest number.
// src/explain/explanation.hpp writes it in words and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "copse/error.hpp"

namespace copse {

enum class Verdict : std::uint8_t {
  fits,          // it would be granted now
  insufficient,  // not now: it fits the empty machine
  infeasible,    // never: it does not fit even the empty machine
  invalid,       // the request itself is wrong
};

enum class Cause : std::uint8_t {
  too_few,       // of a type: in the machine, under one pool, or of those that are free
  deeper,        // it is below such pools, but not directly, as the request has it
  not_together,  // each part of it is there, but not all under one pool
  whole_pools,   // the units are there, but pools are taken whole, and the sizes do not work out
  unequal,       // nothing simple: pools of unequal sizes do not work out
  siblings,      // two parts side by side that the same pools would fit
  slot_rule,     // a slot with nothing in it, or directly in a slot; an xor_slot
  count_zero,    // a count of 0, which a match never meets
  exclusive_in_part,  // `exclusive: false` below something exclusive
  nothing_exclusive,  // no part of the request is exclusive: there is nothing to grant
  duration,           // not a duration that can be planned
  capacity,           // one of an auxiliary subsystem has too little left: `where` is its path
  capacity_down,      // it, or a pool on the way to it, is not usable
  no_capacity,        // there is none on the way up from `where`
  supply,             // layers of a hierarchical resource have too little
  supply_apart,       // its layers have enough, and pools are free, but not below such layers
};

// Pools of the finding's type (places for a slot), by the first reason that keeps each from being
// chosen. Invariant: all is the sum of the others.
struct Candidates {
  std::uint64_t all = 0;
  std::uint64_t fit = 0;
  std::uint64_t too_small = 0;    // even when empty
  std::uint64_t excluded = 0;     // by the constraint, or below such a pool
  std::uint64_t down = 0;         // not usable, or below such a pool
  std::uint64_t held = 0;         // exclusively, it or a pool above it
  std::uint64_t busy = 0;         // jobs use a part of it, and the rest is not enough
  std::uint64_t lacking = 0;      // no job is in it, and what is below it still does not do
  std::uint64_t passed_over = 0;  // would do, but the policy never chooses it (a score below 1)
};

// A job that has some of the candidates, at some time of the window.
struct Holder {
  static constexpr std::int64_t kWithoutEnd = INT64_MAX;
  std::uint64_t job = 0;
  // A start after the time asked for: a reservation. An end of kWithoutEnd: none before the clock's.
  std::int64_t start = 0, end = 0;
  std::int64_t units = 0;  // of the finding's type, that it has in whole or in part
  bool operator==(const Holder&) const = default;
};

struct Finding {
  static constexpr std::size_t kHoldersMax = 10;
  static constexpr std::size_t kDownBytesMax = 200;  // of `down`

  Cause cause = Cause::too_few;
  std::string path{};      // "rack[1] > slot[2] > node[1] > core[36]"; empty: the whole request
  SourceLocation place{};  // of that resource in the jobspec
  std::string type{};      // what is short
  std::string unit{};      // of its pools, "GiB"; empty if they are counted
  bool counted = true;     // pools have one unit each

  std::int64_t needed = 0;
  std::vector<std::int64_t> factors{};  // their product is `needed`; outermost first
  struct Part {
    std::string type;
    std::int64_t units;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> each{};  // what one unit of it must have below it
  std::string where{};       // "chassis": all of it under one of these; empty: in the whole machine
  std::int64_t most_has = 0;   // under one of these, or in the machine: used or not, fitting or not
  std::int64_t most_fits = 0;  // of that, what fits (verdict infeasible: what fits if all is empty)

  Candidates candidates{};
  // For supply and supply_apart: `path` is "hres > flat:5", `type` the resource, `where` the nodes
  // of the layer that is the tightest, `most_has` what it has (its count less all base),
  // `most_fits` what of that is left over the time asked for; `factors` are the count and, in mode
  // 3, the nodes that pay it; `candidates` are nodes: those that fit are served by enough layers.
  std::vector<Holder>
      holders{};  // of candidates that are held or busy; soonest end first, then by job
  std::uint64_t more_holders = 0;  // beyond these

  // Why candidates are down: nodes as a hostlist (RFC 29), which are down or have what is; above
  // nodes the paths of pools, such as "/cluster0/rack[0-1]". In the order of the machine.
  std::string down{};
  std::uint64_t more_down = 0;  // beyond these
};

struct Explanation {
  Verdict verdict = Verdict::fits;
  std::int64_t at = 0, until = 0;  // asked for [at, until), seconds
  std::vector<Finding> findings;   // none if it fits; at most kFindingsMax
  // Sentences about the request that hold whatever runs: "no node has the property \"fastt\"".
  std::vector<std::string> remarks{};
  static constexpr std::size_t kFindingsMax = 16;
};

// Stable words: "insufficient", "too_few", …
[[nodiscard]] const char* word(Verdict verdict);
[[nodiscard]] const char* word(Cause cause);

}  // namespace copse
