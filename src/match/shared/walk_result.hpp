// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "match/shared/eligibility.hpp"
#include "match/shared/remarks.hpp"

namespace copse {

// What one select of a walk learned, beside the selection.
struct WalkResult {
  bool found = false;
  std::uint64_t visits = 0;     // pools looked at
  std::vector<Remark> remarks;  // about conflicts, each once
  ChargedPools charged;         // pools chosen that draw something, in the order of the choice
};

}  // namespace copse
