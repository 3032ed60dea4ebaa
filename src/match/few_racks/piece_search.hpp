// SPDX-License-Identifier: Apache-2.0
//
// PieceSearch: chooses nodes or racks with room for a number of parts, in few racks.
//
// A *piece* is a node or a rack. The rule, below one rack:
//   * the lowest piece with room for all; of these the one with least room, then the one whose
//     rack has least room, and so on up; then the first;
//   * if it is a rack, none of its children has room for all. They are taken whole, those with most
//     room first, until one of the others has room for the rest: there the rule begins again.
// To keep large pieces, of pieces of one height the one is taken that leaves the largest pieces, the
// highest level first; and of the racks that must be taken together those with least room.
//
// The number of racks is the least possible where racks are of one height and nodes below them have
// room for one part each.
//
// Size: nothing; scratch memory of 32 bytes per child of one rack. Cost: O(runs of racks + children of
// the chosen ones × log). O(nodes), if parts of nodes have several types; O(racks) for named racks, and
// O(racks + nodes) to keep large pieces.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "match/few_racks/level_tree.hpp"

namespace copse {

class PieceSearch {
 public:
  // The room of pieces. Items are what is chosen: nodes, or racks with one part each.
  struct Field {
    const LevelTree* tree = nullptr;
    std::span<const std::int64_t> of_racks{};  // the sum of the items below or, of an item, its own
    // Of nodes; empty: racks are the items.
    std::span<const std::int32_t> of_nodes{}, rests{};
    std::span<const std::uint8_t> items{};        // of racks: whether it is one
    std::span<const std::int64_t> rack_rests{};   // of racks that are items: what is free in them
    std::span<const std::uint64_t> masks{};       // see NodeRooms::masks; empty: unknown
    std::span<const std::uint64_t> node_masks{};  // see NodeRooms::node_masks
    bool several = false;                         // nodes may have room for several parts
    bool alike = false;                           // all nodes with room are equal
    bool keep_large = false;
  };
  struct Taken {
    bool node = false;
    std::uint32_t number = 0;  // of a node or of a rack
    std::int64_t parts = 0;
  };

  // Appends pieces below `rack` (or itself) with room for `parts`. REQUIRES that it has as much room.
  void choose(const Field& field, std::uint32_t rack, std::int64_t parts, std::vector<Taken>& out);

 private:
  struct Piece {
    bool node = false;
    std::uint32_t number = 0, height = 0;
    std::int64_t room = 0, rest = 0;
    std::uint32_t order = 0;  // among the children of a rack
  };
  [[nodiscard]] Piece node_piece(std::uint32_t node) const;
  [[nodiscard]] Piece rack_piece(std::uint32_t rack) const;
  [[nodiscard]] std::uint32_t above(const Piece& piece) const;
  [[nodiscard]] bool better(const Piece& a, const Piece& b, std::int64_t parts) const;
  [[nodiscard]] int compare_left(const Piece& a, const Piece& b, std::int64_t parts) const;
  [[nodiscard]] std::int64_t largest_left(std::uint32_t height, const Piece& piece,
                                          std::int64_t parts) const;
  [[nodiscard]] Piece lowest(const Piece& in, std::int64_t parts) const;
  [[nodiscard]] Piece lowest_item(const Piece& in, std::int64_t parts) const;
  [[nodiscard]] Piece node_by_masks(std::int64_t parts) const;
  [[nodiscard]] Piece lowest_rack(const Piece& in, std::uint32_t height, std::int64_t parts) const;
  [[nodiscard]] Piece lowest_by_masks(std::uint32_t height, std::int64_t parts) const;
  [[nodiscard]] bool less_above(std::uint32_t a, std::uint32_t b) const;
  void note_largest();
  void place(const Piece& at, std::int64_t parts, std::vector<Taken>& out);
  void fill(std::uint32_t rack, std::int64_t parts, std::vector<Taken>& out);
  std::int64_t take_large(std::vector<Piece>& left, std::int64_t parts,
                          std::vector<Taken>& out) const;
  std::int64_t take_small(std::vector<Piece>& left, std::int64_t parts,
                          std::vector<Taken>& out) const;
  void fill_alike(std::uint32_t rack, std::int64_t parts, std::vector<Taken>& out) const;
  void take_all(const Piece& piece, std::vector<Taken>& out) const;
  [[nodiscard]] std::vector<Piece> children(std::uint32_t rack) const;

  // The largest rooms of each height.
  struct Largest {
    std::int64_t first = 0, second = 0;
    std::uint32_t rack = 0;  // that has the first
  };

  Field field_;
  std::vector<Largest> largest_;
};

}  // namespace copse
