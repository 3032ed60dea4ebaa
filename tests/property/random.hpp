// SPDX-License-Identifier: Apache-2.0
//
// Random: helpers over std::mt19937_64 that give the same numbers on every platform (the
// distributions of the standard library do not). Cost: O(1) a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

namespace copse::property {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15u + 1) {}

  // In [0, n). REQUIRES n > 0. The bias of the remainder is below 2^-40 for the ranges used here.
  std::uint64_t below(std::uint64_t n) { return (engine_() >> 1) % n; }
  // In [low, high]. REQUIRES low <= high.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  bool chance(std::uint64_t percent) { return below(100) < percent; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  template <class T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[below(from.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace copse::property
