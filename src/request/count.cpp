// SPDX-License-Identifier: Apache-2.0
#include "copse/request.hpp"

namespace copse {
namespace {

// The larger count that follows `count` in a '*' or '^' range, or 0 if it is beyond `bound`.
// REQUIRES 2 <= operand, 1 <= count <= bound, and 2 <= count for '^'.
std::int64_t next_count(std::int64_t count, char op, std::int64_t operand, std::int64_t bound) {
  if (op == '*') return count <= bound / operand ? count * operand : 0;
  std::int64_t power = count;
  for (std::int64_t i = 1; i < operand; ++i) {  // ends after at most 62 doublings
    if (power > bound / count) return 0;
    power *= count;
  }
  return power;
}

}  // namespace

std::int64_t Count::effective(std::int64_t have) const {
  if (min < 0 || min > max || min > have) return 0;
  const std::int64_t bound = have < max ? have : max;
  if (op == '+') return operand < 1 ? min : bound - (bound - min) % operand;
  // Ranges that would stand still have one count; the parser refuses them.
  const std::int64_t min_that_grows = op == '*' ? 1 : 2;
  if (operand < 2 || min < min_that_grows) return min;
  std::int64_t count = min;
  while (const std::int64_t next = next_count(count, op, operand, bound)) count = next;
  return count;
}

}  // namespace copse
