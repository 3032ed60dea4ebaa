// SPDX-License-Identifier: Apache-2.0
//
// prefetch: requests memory that is needed soon, so that cache misses overlap. It reads and changes
// nothing; any address is allowed.
//
// Cost: one instruction per cache line of 64 bytes.
#pragma once

#include <cstddef>

namespace copse {

inline void prefetch(const void* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 64) {
    __builtin_prefetch(static_cast<const char*>(from) + i);
  }
  // Without this, g++ 12 considers callers that only prefetch to have no effect, and removes the
  // calls.
  asm volatile("");
}

}  // namespace copse
