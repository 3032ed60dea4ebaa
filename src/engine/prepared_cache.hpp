// SPDX-License-Identifier: Apache-2.0
//
// PreparedCache: prepared requests by the content of their text, bounded in number and in bytes. The
// least recently used one is evicted; its memory is reused. find O(text), insert the same.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include <xxhash.h>

#include "copse/engine.hpp"

namespace copse {

class PreparedCache {
 public:
  // At least one is kept.
  PreparedCache(std::size_t entries_max, std::size_t bytes_max)
      : entries_max_(entries_max), bytes_max_(bytes_max) {}
  // The index has places of the entries, which a copy would not have.
  PreparedCache(const PreparedCache&) = delete;
  PreparedCache& operator=(const PreparedCache&) = delete;
  PreparedCache(PreparedCache&&) = default;
  PreparedCache& operator=(PreparedCache&&) = default;
  // nullptr: not known. Valid until the next insert().
  [[nodiscard]] PreparedRequest* find(std::string_view text);
  // REQUIRES that the text is not known. `pools`: of the machine; a request with a constraint has a bit for
  // each of them.
  PreparedRequest* insert(std::string_view text, PreparedRequest request, std::size_t pools);

  // Of all texts and sets of pools.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string text{};
    PreparedRequest request{};
    std::size_t bytes = 0;
  };
  struct TextHash {
    std::size_t operator()(std::string_view text) const {
      return XXH3_64bits(text.data(), text.size());
    }
  };

  std::size_t entries_max_, bytes_max_, bytes_ = 0;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator, TextHash> index_;
};

}  // namespace copse
