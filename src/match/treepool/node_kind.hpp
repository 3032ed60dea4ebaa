// SPDX-License-Identifier: Apache-2.0
//
// NodeKind: the structure of a node. Nodes with the same leaves at the same offsets and the same
// layout share one.
//
// The cores of a node are the bits of a mask, by ascending id, and so are its GPUs; The free
// resources of a node are such a pair of masks, cores first, and so are a locality domain and an
// affinity group. A slot should be inside one group. Groups are in levels, the finest first, by the
// layout's domains; the whole node is last.
//
// If memory and storage are pools (Layouts::piece_gib), their bits follow those of the GPUs; they
// are called *stocks*. Levels and groups depend on cores and GPUs only. A group or domain that has
// no stock of one kind, and no domain inside with one, uses that of the nearest enclosing domain.
//
// Invariants
//   1. Every level has a group; the last one has one group, the whole node. Resources that no
//        domain names form a group of the finest level (RFC 49: a domain may have resources in
//        addition to those of the domains in it).
//   2. No group and no domain is empty; ids that the node does not have are in none.
//   3. Masks store only the words between their first and last bit.
//
// Size: 8 bytes for 64 cores of a group, 12 bytes per leaf. Layouts whose groups come to more than
// kWordsMax words and bits, of all kinds together, are refused.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <string>
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
  std::uint32_t bits = 0;  // number of set bits
};

// The kinds of leaves with bits, in the order of their bits. The last two are the stocks.
enum LeafKind : std::size_t { kCore, kGpu, kMemory, kStorage };
inline constexpr std::size_t kLeafKinds = 4;
using LeafAmounts = std::array<std::int64_t, kLeafKinds>;  // cores, GPUs, pieces

struct AffinityGroup {
  std::array<MaskPart, kLeafKinds> parts;   // words are relative to the first one of their kind of
                                            // leaf
  std::array<bool, kLeafKinds> borrowed{};  // whether the stock is that of an enclosing domain
};

// The types of leaves with bits; kNoType if the machine has none.
using LeafTypes = std::array<TypeId, kLeafKinds>;

struct KindDomain {
  std::string name;
  std::uint32_t number = 0;  // of the name, see NodeKinds
  std::uint32_t end = 0;     // the end of the domains inside it
  std::uint32_t group = 0;   // the group of the whole domain
};

// A leaf pool of the node.
struct KindLeaf {
  std::uint32_t offset;  // its pool number minus that of the node
  bool follows = false;  // its pool directly follows the one before it in the mask: one run of
                         // leaves
};

struct NodeKind {
  static constexpr std::size_t kWordsMax = std::size_t{1} << 24;

  std::array<std::vector<KindLeaf>, kLeafKinds> leaves;    // by bit
  std::array<std::uint32_t, kLeafKinds + 1> first_word{};  // of a kind of leaf, and the end
  std::vector<std::uint32_t> bit_at;  // by offset from the node: its bit in the mask + 1; 0: none
  std::vector<Word> words;
  std::vector<AffinityGroup> groups;
  struct Level {
    std::uint32_t first, count;  // groups
    bool operator==(const Level&) const = default;
  };
  std::vector<Level> levels;
  std::vector<KindDomain> domains;  // preorder, without the node itself
  bool only_these = true;           // all leaves of the node have bits
  const Layout* layout = nullptr;   // nullptr: none

  // The groups in levels, the finest first.
  [[nodiscard]] std::span<const AffinityGroup> groups_by_level() const {
    if (levels.empty()) return {};
    return {groups.data(), std::size_t{levels.back().first} + levels.back().count};
  }
  [[nodiscard]] std::uint32_t word_count() const { return first_word[kLeafKinds]; }
  [[nodiscard]] std::uint32_t size(LeafKind of) const {
    return static_cast<std::uint32_t>(leaves[of].size());
  }
  [[nodiscard]] const Word* part_words(const MaskPart& part) const {
    return words.data() + part.at;
  }
  // --- Masks, of word_count() words each. `offset` is that of a pool from the node.
  [[nodiscard]] bool has_bit(std::uint32_t offset) const { return bit_at[offset] != 0; }
  // REQUIRES has_bit(offset).
  void set_bit(std::uint32_t offset, Word* mask) const {
    assert(has_bit(offset));
    mask[(bit_at[offset] - 1) / 64] |= Word{1} << ((bit_at[offset] - 1) % 64);
  }
  void clear_bit(std::uint32_t offset, Word* mask) const {
    assert(has_bit(offset));
    mask[(bit_at[offset] - 1) / 64] &= ~(Word{1} << ((bit_at[offset] - 1) % 64));
  }
  void fill(Word* mask) const;  // sets the bits of all leaves
  [[nodiscard]] std::uint32_t count(LeafKind of, const Word* mask) const;
  [[nodiscard]] bool has_all(const Word* mask) const;
};

// Makes the kind of a node. `words_left` is the rest of the limit for groups, and is reduced.
// Errors: limit. O(leaves + bits of the groups).
[[nodiscard]] Result<NodeKind> make_kind(const ResourceGraph& graph, PoolId node,
                                         const LeafTypes& types, const Layout* layout,
                                         std::size_t& words_left);

}  // namespace copse
