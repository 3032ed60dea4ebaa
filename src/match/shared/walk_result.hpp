// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "match/shared/eligibility.hpp"
#include "match/shared/remarks.hpp"

namespace copse {

// The result of one select of a walk, in addition to the selection.
struct WalkResult {
  bool found = false;
  std::int64_t slots = 0;       // slots formed
  std::uint64_t visits = 0;     // pools visited
  std::uint64_t refused = 0;    // pools that a visiting policy refused
  std::vector<Remark> remarks;  // about conflicts, each once
  ChargedPools charged;         // chosen pools with charges, in order of choice
};

}  // namespace copse
