// SPDX-License-Identifier: Apache-2.0
//
// What most rows have in common: a machine is filled from empty, emptied in part by cancels in a
// random order, and filled again.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "machines.hpp"
#include "rig.hpp"

namespace copse::bench {

struct FillRow {
  std::string name;  // "row/policy/machine/nodes"
  std::string policy;
  Part (*machine)(std::int64_t nodes);
  std::int64_t nodes;
  std::vector<std::string> jobspecs;  // taken in turn
  bool refill = true;                 // false: from empty to full only
};

// Counters, each step the best of the benchmark's iterations:
//   empty_ns   a match, from empty to full
//   half_ns    a match, from half full to full, after half of the jobs was cancelled in random
//   order most_ns    a match, from 95 % to full, after a twentieth was cancelled in random order
//   cancel_ns  one of the cancels of a half
// The engine is new in each iteration: under `first` cancels do not give weights back, so that an
// engine emptied by cancels is not what it was.
void run_fill(benchmark::State& state, const FillRow& row);
// The same on any machine.
void run_fill(benchmark::State& state, const std::function<Rig()>& make_rig,
              const std::function<std::vector<PreparedRequest>(Rig&)>& prepare, bool refill = true);

void register_fill(const FillRow& row);

}  // namespace copse::bench
