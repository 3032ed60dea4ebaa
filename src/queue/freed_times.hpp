// SPDX-License-Identifier: Apache-2.0
//
// FreedTimes: when the times begin that were given back, one after another, by how many nodes are
// free in them.
//
// Who wants many nodes need not look where a few became free. Numbers of nodes are told apart by
// their power of two. Of each, what counts are the beginnings that nothing later is before:
//
// Invariant: those of a power ascend, in the order in which they were given back and in time.
//
// Cost: add O(powers) on average, at most 21; least_from O(log n).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace copse::queue {

class FreedTimes {
 public:
  // At none of its times more than `nodes` are free. Costs O(1) on average for each power of two.
  void add(std::int64_t from_s, std::int64_t nodes) {
    const std::size_t powers = nodes <= 0 ? 0 : power_of(nodes) + 1;
    for (std::size_t power = 0; power < powers; ++power) {
      std::vector<Beginning>& of = by_power_[power];
      while (!of.empty() && of.back().from_s >= from_s) of.pop_back();
      of.push_back({count_, from_s});
    }
    ++count_;
  }
  // The least beginning of the times from number `first` on in which `nodes` may be free; INT64_MAX:
  // there is none. REQUIRES nodes > 0.
  [[nodiscard]] std::int64_t least_from(std::uint32_t first, std::int64_t nodes) const {
    assert(nodes > 0);
    const std::vector<Beginning>& of = by_power_[power_of(nodes)];
    const auto at = std::ranges::lower_bound(of, first, {}, &Beginning::number);
    return at == of.end() ? INT64_MAX : at->from_s;
  }

 private:
  struct Beginning {
    std::uint32_t number;
    std::int64_t from_s;
  };
  static constexpr std::size_t kPowers = 21;
  static std::size_t power_of(std::int64_t nodes) {
    const auto width = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(nodes)));
    return std::min(width - 1, kPowers - 1);
  }

  std::array<std::vector<Beginning>, kPowers> by_power_;
  std::uint32_t count_ = 0;  // added: the number of the next
};

}  // namespace copse::queue
