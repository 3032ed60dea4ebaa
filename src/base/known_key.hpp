// SPDX-License-Identifier: Apache-2.0
//
// The keys that a reader knows, as a table. Readers look up keys in it, messages list it, and tests
// try every key.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest_word.hpp"

namespace copse {

struct KnownKey {
  // Types of values, as in JSON.
  enum Kind : unsigned {
    kText = 1,
    kNumber = 2,
    kTruth = 4,
    kNull = 8,
    kList = 16,
    kMapping = 32,
    kAny = 63,
    kTime = kText | kNumber,  // a number of seconds, or a text (base/duration.hpp)
  };
  std::string_view name;
  unsigned takes = 0;  // allowed types of values, or'ed
};
using KnownKeys = std::span<const KnownKey>;

[[nodiscard]] constexpr const KnownKey* find_key(KnownKeys keys, std::string_view name) {
  const auto at = std::ranges::find(keys, name, &KnownKey::name);
  return at == keys.end() ? nullptr : &*at;
}

[[nodiscard]] inline std::vector<std::string_view> names_of(KnownKeys keys) {
  std::vector<std::string_view> out;
  out.reserve(keys.size());
  for (const KnownKey& key : keys) out.push_back(key.name);
  return out;
}

// For readers that skip unknown keys: whether the name is a misspelt known key.
[[nodiscard]] inline bool is_misspelt(std::string_view name, KnownKeys keys) {
  return find_key(keys, name) == nullptr && !nearest_word(name, names_of(keys)).empty();
}

// As unknown_word().
[[nodiscard]] inline std::string unknown_key(std::string_view what, std::string_view name,
                                             KnownKeys keys) {
  return unknown_word(what, name, names_of(keys));
}

}  // namespace copse
