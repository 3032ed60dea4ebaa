// SPDX-License-Identifier: Apache-2.0
//
// NodeKind: nodes with the same leaves in the same places and the same layout share one.
//
// The cores of a node are the bits of a mask, by ascending id, and so are its GPUs; what is free of
// a node is such a pair of masks, cores first, and a locality domain or an affinity group is one as
// well. Groups are what a slot should lie in: level by level, the finest first, as the layout's
// domains give them, and the whole node last.
//
// Invariants
//   1. Every level has a group; the last one has one group, the whole node. Nothing else of a node
//      is missing there: what no domain names is a group of the finest level (RFC 49 lets a domain
//      have resources of its own beside those of the domains in it).
//   2. No group and no domain is empty; ids that the node does not have are in none.
//   3. Masks keep only the words between their first and last bit.
//
// Sketch: 8 bytes for 64 cores of a group, 12 bytes a leaf. Layouts whose groups come to more than
// kWordsMax words and bits, of all kinds together, are refused.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "copse/layout.hpp"

namespace copse {

using Word = std::uint64_t;

// A part of a mask: words [first, first + count) of the whole.
struct MaskPart {
  std::uint32_t first = 0, count = 0;
  std::size_t at = 0;      // of its words, in NodeKind::words
  std::uint32_t bits = 0;  // that are set
};

struct Group {
  MaskPart cores, gpus;  // gpus.first counts from the first word of the GPUs
};

struct KindDomain {
  std::string name;
  std::uint32_t number = 0;  // of the name, see TreePool
  std::uint32_t end = 0;     // domains inside it are those up to here
  std::uint32_t group = 0;   // all of it
};

// A leaf pool of the node.
struct KindLeaf {
  std::uint32_t offset;  // its pool's number less the node's
  bool follows = false;  // the pool before it in the mask is its neighbour: one run of leaves
};

struct NodeKind {
  static constexpr std::size_t kWordsMax = std::size_t{1} << 24;

  std::vector<KindLeaf> cores, gpus;  // by bit
  // By offset from the node: 0 is neither, else bit + 1, GPUs counting on behind the cores.
  std::vector<std::uint32_t> bit_at;
  std::uint32_t core_words = 0, gpu_words = 0;
  std::vector<Word> words;
  std::vector<Group> groups;
  struct Level {
    std::uint32_t first, count;  // groups
  };
  std::vector<Level> levels;
  std::vector<KindDomain> domains;  // preorder, without the node itself
  bool only_these = true;           // the node has no leaves but cores and GPUs
  const Layout* layout = nullptr;   // nullptr: none

  // Groups that stand in levels, the finest first.
  [[nodiscard]] std::span<const Group> groups_by_level() const {
    if (levels.empty()) return {};
    return {groups.data(), std::size_t{levels.back().first} + levels.back().count};
  }
  [[nodiscard]] std::uint32_t word_count() const { return core_words + gpu_words; }
  [[nodiscard]] const Word* part_words(const MaskPart& part) const {
    return words.data() + part.at;
  }
  // Sets the bits of all leaves. REQUIRES room for word_count().
  void fill(Word* mask) const;
};

// Makes the kind of a node. `words_left` is what groups may still take, and is lessened.
// Errors: limit. O(leaves + bits of the groups).
[[nodiscard]] Result<NodeKind> make_kind(const ResourceGraph& graph, PoolId node, TypeId core,
                                         TypeId gpu, const Layout* layout, std::size_t& words_left);
// Whether two nodes have the same leaves, with the same ids, in the same places. O(leaves).
[[nodiscard]] bool same_leaves(const ResourceGraph& graph, PoolId a, PoolId b);

}  // namespace copse
