// SPDX-License-Identifier: Apache-2.0
//
// Paths of pools while a recipe is generated, for ASSOCIATE_BY_PATH_IN.
//
// A path is kept as its last name's hash on top of its parent's: paths share their beginnings, and
// equal texts have equal hashes (128 bits; a made-up collision would only join pools of the recipe
// that made it up). A path never changes once made; a pool that is associated again gets another.
//
// Invariants: paths_[0] is the empty path and its own parent; a parent's number is below its
// child's.
//
// Sketch: 28 bytes a path, 4 bytes for each pool made so far and subsystem compared. One path for
// each pool and association in a compared subsystem, kPathsMax at most: 1.8 GB.
#pragma once

#include <xxhash.h>

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "graph/graph_builder.hpp"

namespace copse::grug {

class Paths {
 public:
  using Handle = GraphBuilder::Handle;
  using Number = std::uint32_t;  // of a path; 0 is the empty one
  static constexpr std::size_t kPathsMax = 64u << 20;

  explicit Paths(const std::vector<std::string_view>& subsystems)
      : subsystems_(subsystems), of_pool_(subsystems.size()) {}

  // The column for a subsystem, -1 if its paths are not compared. O(subsystems), 16 at most.
  [[nodiscard]] int column(std::string_view subsystem) const {
    for (std::size_t i = 0; i < subsystems_.size(); ++i) {
      if (subsystems_[i] == subsystem) return static_cast<int>(i);
    }
    return -1;
  }

  [[nodiscard]] bool is_full() const { return paths_.size() >= kPathsMax; }

  // The pool's path becomes its parent's path, "/" and `name`. REQUIRES !is_full().
  void set_below(int column, Handle parent, Handle pool, std::string_view name) {
    assert(!is_full());
    add(column, of(column, parent), pool, name);
  }
  // The pool's path becomes "/" and `name`. REQUIRES !is_full().
  void set_root(int column, Handle pool, std::string_view name) {
    assert(!is_full());
    add(column, 0, pool, name);
  }

  // The pool's path without its last `levels` names. O(levels), or O(depth) if that is less.
  [[nodiscard]] Number stripped(int column, Handle pool, std::int64_t levels) const {
    Number at = of(column, pool);
    if (levels >= paths_[at].depth) return 0;
    while (levels-- > 0) at = paths_[at].parent;
    return at;
  }
  [[nodiscard]] std::uint32_t depth_max() const { return depth_max_; }

  // What two paths share exactly if their texts are equal.
  struct Key {
    std::uint64_t low = 0, high = 0;
    bool operator==(const Key&) const = default;
  };
  [[nodiscard]] Key key(Number path) const { return paths_[path].key; }

 private:
  struct Path {
    Key key;
    Number parent = 0;
    std::uint32_t depth = 0;  // names in it
  };

  [[nodiscard]] Number of(int column, Handle pool) const {
    const auto& numbers = of_pool_[static_cast<std::size_t>(column)];
    return pool < numbers.size() ? numbers[pool] : 0;
  }

  void add(int column, Number parent, Handle pool, std::string_view name) {
    auto& numbers = of_pool_[static_cast<std::size_t>(column)];
    if (pool >= numbers.size()) numbers.resize(std::size_t{pool} + 1, 0);
    const Key& above = paths_[parent].key;
    const XXH128_hash_t of_name = XXH3_128bits(name.data(), name.size());
    const std::uint64_t words[] = {above.low, above.high, of_name.low64, of_name.high64};
    const XXH128_hash_t hash = XXH3_128bits(words, sizeof words);
    const std::uint32_t depth = paths_[parent].depth + 1;
    depth_max_ = depth > depth_max_ ? depth : depth_max_;
    numbers[pool] = static_cast<Number>(paths_.size());
    paths_.push_back({{hash.low64, hash.high64}, parent, depth});
  }

  std::vector<std::string_view> subsystems_;
  std::vector<std::vector<Number>> of_pool_;  // by column, then by pool
  std::vector<Path> paths_{Path{}};
  std::uint32_t depth_max_ = 0;
};

// Numbers distinct keys 0, 1, 2, … in order of their first add().
// Sketch: one array probed linearly, 8 to 16 bytes a key, and 16 bytes a distinct key: a recipe may
// compare 100 million paths, which a table of list nodes would take minutes for.
class KeyTable {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // REQUIRES that no more than `keys_max` keys are added, fewer than 2^31.
  explicit KeyTable(std::size_t keys_max) : slots_(std::bit_ceil(2 * keys_max + 2), kNone) {}

  std::uint32_t add(const Paths::Key& key) {
    std::uint32_t& slot = slots_[probe(key)];
    if (slot == kNone) {
      slot = size();
      keys_.push_back(key);
    }
    return slot;
  }
  // The key's number, kNone if it was never added.
  [[nodiscard]] std::uint32_t find(const Paths::Key& key) const { return slots_[probe(key)]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }

 private:
  // The slot that has the key, or the free one that it belongs into: half of all slots are free.
  [[nodiscard]] std::size_t probe(const Paths::Key& key) const {
    std::size_t at = key.low & (slots_.size() - 1);
    while (slots_[at] != kNone && keys_[slots_[at]] != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<std::uint32_t> slots_;
  std::vector<Paths::Key> keys_;
};

}  // namespace copse::grug
