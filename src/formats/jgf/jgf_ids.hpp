// SPDX-License-Identifier: Apache-2.0
//
// JgfIds: the outer ids of a JGF document ("0", "1", …, any string) and the number of each node.
//
// Ids are numbers in nearly every file, small and in no order; they index a table. It has at most
// an entry for every 32 bytes of the text (a node has more), so no id makes it larger than an
// eighth of the text. Other ids are hashed, with a seed of the reader's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <xxhash.h>

#include "base/scan_text.hpp"

namespace copse {

class JgfIds {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // REQUIRES that ids stay readable as long as this exists.
  explicit JgfIds(std::size_t text_bytes) : numbers_max_(text_bytes / 32 + 64) {}

  // False if the id is taken. O(1) amortized.
  [[nodiscard]] bool add(std::string_view id, std::uint32_t node) {
    const auto number = small_number(id);
    if (!number) return others_.emplace(id, node).second;
    if (*number >= by_number_.size()) by_number_.resize(*number + 1, kNone);
    if (by_number_[*number] != kNone) return false;
    by_number_[*number] = node;
    return true;
  }

  [[nodiscard]] std::uint32_t find(std::string_view id) const {
    const auto number = small_number(id);
    if (number) return *number < by_number_.size() ? by_number_[*number] : kNone;
    auto it = others_.find(id);
    return it == others_.end() ? kNone : it->second;
  }

 private:
  struct Hash {
    std::size_t operator()(std::string_view id) const {
      return XXH3_64bits_withSeed(id.data(), id.size(), seed);
    }
    std::uint64_t seed;
  };

  // Only what is written as numbers are: "7", not "07", which is another id.
  [[nodiscard]] std::optional<std::size_t> small_number(std::string_view id) const {
    if (id.empty() || id[0] < '0' || id[0] > '9' || (id[0] == '0' && id.size() > 1)) return {};
    const auto number = parse_number<std::size_t>(id);
    return number && *number < numbers_max_ ? number : std::nullopt;
  }

  std::size_t numbers_max_;
  std::vector<std::uint32_t> by_number_;
  std::unordered_map<std::string_view, std::uint32_t, Hash> others_{
      0, Hash{reinterpret_cast<std::uintptr_t>(this)}};
};

}  // namespace copse
