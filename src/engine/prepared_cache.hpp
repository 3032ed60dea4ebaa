// SPDX-License-Identifier: Apache-2.0
//
// PreparedCache: prepared requests by the content of their text, bounded in number and in bytes. The
// least recently used one is evicted; its memory is reused. find O(text), insert the same.
//
// An entry has not been near the processor for long when it is evicted. So the index is one array with
// the hashes: a text that is not known, and an eviction, read no entry to go through it. Its buckets are
// probed one after another, and at most half of them are used. 16 bytes a bucket.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <vector>

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
  PreparedRequest* insert(std::string_view text, PreparedRequest&& request, std::size_t pools);

  // Of all texts and sets of pools.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string text{};
    std::size_t hash = 0;
    PreparedRequest request{};
    std::size_t bytes = 0;
    std::list<Entry>::iterator self{};
  };
  struct Bucket {
    std::size_t hash = 0;
    Entry* entry = nullptr;  // nullptr: it is free
  };

  [[nodiscard]] std::size_t home(std::size_t hash) const { return hash & (buckets_.size() - 1); }
  [[nodiscard]] std::size_t after(std::size_t bucket) const { return home(bucket + 1); }
  void add_to_index(Entry& entry);
  void remove_from_index(const Entry& entry);

  std::size_t entries_max_, bytes_max_, bytes_ = 0;
  std::list<Entry> entries_;                               // most recently used first
  std::vector<Bucket> buckets_ = std::vector<Bucket>(16);  // a power of 2 of them
};

}  // namespace copse
