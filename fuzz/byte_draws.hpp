// SPDX-License-Identifier: Apache-2.0
//
// ByteDraws: draws from bytes, as property::Random draws from a seed; 0 when there are no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace copse::fuzz {

class ByteDraws {
 public:
  ByteDraws(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  [[nodiscard]] bool over() const { return at_ >= size_; }
  // In [0, n). REQUIRES n > 0. A byte, or as many as n needs.
  std::uint64_t below(std::uint64_t n) {
    std::uint64_t out = 0;
    for (std::uint64_t most = n - 1; most > 0; most >>= 8) out = out << 8 | next();
    return out % n;
  }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  bool chance(std::uint64_t percent) { return below(100) < percent; }
  template <class T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[below(from.size())];
  }
  std::uint64_t next() { return over() ? 0 : data_[at_++]; }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

}  // namespace copse::fuzz
