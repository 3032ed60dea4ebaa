// SPDX-License-Identifier: Apache-2.0
//
// prefetch: asks for memory that is needed soon, so that several cache misses are waited for at
// once. It changes nothing, and reads nothing: any address will do.
//
// Cost: an instruction for each line of 64 bytes.
#pragma once

#include <cstddef>

namespace copse {

inline void prefetch(const void* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 64) {
    __builtin_prefetch(static_cast<const char*>(from) + i);
  }
  // Without it g++ 12 finds that callers which only do this have no effect, and drops their calls.
  asm volatile("");
}

}  // namespace copse
