// SPDX-License-Identifier: Apache-2.0
//
// Saturating sums and products of counts >= 0: the result is at most INT64_MAX, which is more than
// any machine has.
#pragma once

#include <cstdint>

namespace copse {

[[nodiscard]] inline std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? INT64_MAX : out;
}
[[nodiscard]] inline std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? INT64_MAX : out;
}

}  // namespace copse
