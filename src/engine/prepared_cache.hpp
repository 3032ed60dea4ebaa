// SPDX-License-Identifier: Apache-2.0
//
// PreparedCache: prepared requests by the content of their text. The least recently used one is
// evicted; its memory is reused. find O(text), insert the same.
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
  explicit PreparedCache(std::size_t max) : max_(max) {}
  [[nodiscard]] PreparedRequest* find(std::string_view text);
  PreparedRequest* insert(std::string_view text, PreparedRequest request);

 private:
  struct Entry {
    std::string text;
    PreparedRequest request;
  };
  struct TextHash {
    std::size_t operator()(std::string_view text) const {
      return XXH3_64bits(text.data(), text.size());
    }
  };

  std::size_t max_;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator, TextHash> index_;
};

}  // namespace copse
