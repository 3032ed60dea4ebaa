// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <iterator>

#include "copse/request.hpp"

namespace copse {
namespace {

// The larger count that follows `count` in a '*' or '^' range, or 0 if it is beyond `bound`.
// REQUIRES 2 <= operand, 1 <= count <= bound, and 2 <= count for '^'.
std::int64_t next_count(std::int64_t count, char op, std::int64_t operand, std::int64_t bound) {
  assert(operand >= 2 && count >= (op == '^' ? 2 : 1) && count <= bound);
  if (op == '*') return count <= bound / operand ? count * operand : 0;
  std::int64_t power = count;
  for (std::int64_t i = 1; i < operand; ++i) {  // ends after at most 62 doublings
    if (power > bound / count) return 0;
    power *= count;
  }
  return power;
}

// The largest count of a set that is at most `bound`, which is at least its first.
std::int64_t largest_in(const Count::Ranges& set, std::int64_t bound) {
  const auto above =
      std::ranges::upper_bound(set, bound, {}, &std::pair<std::int64_t, std::int64_t>::first);
  return std::min(bound, std::prev(above)->second);
}

// The least count of a set that is above `count`, which is below its last.
std::int64_t least_above(const Count::Ranges& set, std::int64_t count) {
  const auto holds =
      std::ranges::upper_bound(set, count, {}, &std::pair<std::int64_t, std::int64_t>::second);
  return std::max(count + 1, holds->first);
}

}  // namespace

std::int64_t Count::effective(std::int64_t have) const {
  if (min < 0 || min > max || min > have) return 0;
  const std::int64_t bound = have < max ? have : max;
  if (op == '+') return operand < 1 ? min : bound - (bound - min) % operand;
  if (op == ',') return set ? largest_in(*set, bound) : min;
  // Ranges that do not grow have one count; the parser refuses them.
  const std::int64_t min_that_grows = op == '*' ? 1 : 2;
  if (operand < 2 || min < min_that_grows) return min;
  std::int64_t count = min;
  while (const std::int64_t next = next_count(count, op, operand, bound)) count = next;
  return count;
}

std::int64_t Count::after(std::int64_t count) const {
  if (count >= max) return 0;
  if (op == '+') return operand >= 1 && count <= max - operand ? count + operand : 0;
  if (op == ',') return set ? least_above(*set, count) : 0;
  const std::int64_t min_that_grows = op == '*' ? 1 : 2;
  return operand < 2 || count < min_that_grows ? 0 : next_count(count, op, operand, max);
}

bool Count::operator==(const Count& other) const {
  if (min != other.min || max != other.max || operand != other.operand || op != other.op) {
    return false;
  }
  return set == other.set || (set && other.set && *set == *other.set);
}

}  // namespace copse
