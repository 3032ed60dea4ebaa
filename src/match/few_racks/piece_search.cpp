// SPDX-License-Identifier: Apache-2.0
#include "match/few_racks/piece_search.hpp"

#include <algorithm>
#include <tuple>

namespace copse {

PieceSearch::Piece PieceSearch::node_piece(std::uint32_t node) const {
  return {true, node, 0, field_.of_nodes[node], field_.rests[node]};
}

PieceSearch::Piece PieceSearch::rack_piece(std::uint32_t rack) const {
  const bool item = !field_.items.empty() && field_.items[rack] != 0;
  const std::int64_t room = field_.of_racks[rack];
  return {false, rack, item ? 0 : field_.tree->racks()[rack].height, room,
          item ? field_.rack_rests[rack] : room};
}

std::uint32_t PieceSearch::above(const Piece& piece) const {
  return piece.node ? field_.tree->nodes()[piece.number].above
                    : field_.tree->racks()[piece.number].parent;
}

// --- Keeping large pieces

void PieceSearch::note_largest() {
  const auto racks = field_.tree->racks();
  largest_.assign(racks[0].height, {});
  for (std::uint32_t r = 0; r < racks.size(); ++r) {
    Largest& of_height = largest_[racks[r].height - 1];
    const std::int64_t room = field_.of_racks[r];
    if (room > of_height.first) {
      of_height = {room, of_height.first, r};
    } else {
      of_height.second = std::max(of_height.second, room);
    }
  }
}

// The largest room of a height after `parts` were taken from the piece.
std::int64_t PieceSearch::largest_left(std::uint32_t height, const Piece& piece,
                                       std::int64_t parts) const {
  const auto racks = field_.tree->racks();
  std::uint32_t r = piece.node ? above(piece) : piece.number;
  while (racks[r].height < height && r != 0) r = racks[r].parent;
  const Largest& largest = largest_[height - 1];
  if (racks[r].height != height || largest.rack != r) return largest.first;
  return std::max(largest.first - parts, largest.second);
}

// Above 0: `a` leaves the larger pieces, the highest level first.
int PieceSearch::compare_left(const Piece& a, const Piece& b, std::int64_t parts) const {
  for (std::uint32_t height = field_.tree->racks()[0].height; height > 0; --height) {
    const std::int64_t of_a = largest_left(height, a, parts), of_b = largest_left(height, b, parts);
    if (of_a != of_b) return of_a > of_b ? 1 : -1;
  }
  return 0;
}

// --- Choosing one piece

// Of pieces with room for all parts.
bool PieceSearch::better(const Piece& a, const Piece& b, std::int64_t parts) const {
  if (a.height != b.height) return a.height < b.height;
  if (field_.keep_large) {
    if (const int left = compare_left(a, b, parts); left != 0) return left > 0;
  }
  if (a.rest != b.rest) return a.rest < b.rest;
  std::uint32_t up_a = above(a), up_b = above(b);
  while (up_a != up_b) {
    if (field_.of_racks[up_a] != field_.of_racks[up_b]) {
      return field_.of_racks[up_a] < field_.of_racks[up_b];
    }
    if (up_a == 0 || up_b == 0) break;
    up_a = field_.tree->racks()[up_a].parent;
    up_b = field_.tree->racks()[up_b].parent;
  }
  return a.number < b.number;
}

// The best item below a rack with room for all; room 0: there is none.
PieceSearch::Piece PieceSearch::lowest_item(const Piece& in, std::int64_t parts) const {
  const LevelTree::Rack& rack = field_.tree->racks()[in.number];
  Piece best;
  const auto offer = [&](const Piece& piece) {
    if (piece.room >= parts && (best.room == 0 || better(piece, best, parts))) best = piece;
  };
  if (!field_.of_nodes.empty()) {
    std::int32_t least = INT32_MAX;
    for (std::uint32_t n = rack.first_node; n < rack.end_node; ++n) {
      if (field_.of_nodes[n] < parts) continue;
      if (!field_.keep_large && field_.rests[n] > least) continue;
      least = field_.rests[n];
      offer(node_piece(n));
    }
    return best;
  }
  for (std::uint32_t r = in.number; r < rack.end; ++r) {
    if (field_.items[r] != 0) offer(rack_piece(r));
  }
  return best;
}

// The lowest piece in a rack with room for all, itself included.
PieceSearch::Piece PieceSearch::lowest(const Piece& in, std::int64_t parts) const {
  if (in.height == 0) return in;
  if (!field_.alike) {
    if (const Piece item = lowest_item(in, parts); item.room > 0) return item;
  }
  const LevelTree& tree = *field_.tree;
  const std::uint32_t end = tree.racks()[in.number].end;
  for (std::uint32_t height = 1; height < in.height; ++height) {
    const auto racks = tree.of_height(height);
    Piece best;
    for (auto r = std::ranges::lower_bound(racks, in.number); r != racks.end() && *r < end; ++r) {
      const std::int64_t room = field_.of_racks[*r];
      if (room < parts) continue;
      if (best.room != 0 && !field_.keep_large && room > best.room) continue;
      const Piece piece = rack_piece(*r);
      if (piece.height != 0 && (best.room == 0 || better(piece, best, parts))) best = piece;
    }
    if (best.room > 0) return best;
  }
  return in;
}

// --- Taking

void PieceSearch::take_all(const Piece& piece, std::vector<Taken>& out) const {
  if (piece.height == 0) {
    out.push_back({piece.node, piece.number, piece.room});
    return;
  }
  const LevelTree::Rack& rack = field_.tree->racks()[piece.number];
  if (field_.of_nodes.empty()) {
    for (std::uint32_t r = piece.number; r < rack.end; ++r) {
      if (field_.items[r] != 0 && field_.of_racks[r] > 0)
        out.push_back({false, r, field_.of_racks[r]});
    }
    return;
  }
  for (std::uint32_t n = rack.first_node; n < rack.end_node; ++n) {
    if (field_.of_nodes[n] > 0) out.push_back({true, n, field_.of_nodes[n]});
  }
}

void PieceSearch::place(const Piece& at, std::int64_t parts, std::vector<Taken>& out) {
  if (at.height == 0) {
    out.push_back({at.node, at.number, parts});
  } else {
    fill(at.number, parts, out);
  }
}

std::vector<PieceSearch::Piece> PieceSearch::children(std::uint32_t rack) const {
  const LevelTree& tree = *field_.tree;
  const auto racks = tree.racks();
  std::vector<Piece> out;
  for (std::uint32_t r = rack + 1; r < racks[rack].end; r = racks[r].end) {
    if (field_.of_racks[r] > 0) out.push_back(rack_piece(r));
  }
  if (field_.of_nodes.empty()) return out;
  for (const std::uint32_t n : tree.own(racks[rack])) {
    if (field_.of_nodes[n] > 0) out.push_back(node_piece(n));
  }
  return out;
}

// The first nodes of a rack without racks.
void PieceSearch::fill_alike(std::uint32_t rack, std::int64_t parts,
                             std::vector<Taken>& out) const {
  for (const std::uint32_t n : field_.tree->own(field_.tree->racks()[rack])) {
    if (parts == 0) break;
    if (field_.of_nodes[n] == 0) continue;
    out.push_back({true, n, 1});
    --parts;
  }
}

// None of the rack's children has room for all.
void PieceSearch::fill(std::uint32_t rack, std::int64_t parts, std::vector<Taken>& out) {
  if (field_.alike && field_.tree->racks()[rack].height == 1) return fill_alike(rack, parts, out);
  std::vector<Piece> left = children(rack);
  // Racks before nodes; those with most room first, of nodes then those with least left over.
  const auto order = [](const Piece& a, const Piece& b) {
    return std::tuple(-a.room, a.rest) < std::tuple(-b.room, b.rest);
  };
  std::stable_sort(left.begin(), left.end(), order);
  std::size_t next = 0;
  if (field_.keep_large) {
    // As many children as are needed, of those with as little room as possible.
    std::size_t count = 0;
    for (std::int64_t sum = 0; sum < parts; ++count) sum += left[count].room;
    const auto sum_from = [&](std::size_t first) {
      std::int64_t sum = 0;
      for (std::size_t k = first; k < first + count; ++k) sum += left[k].room;
      return sum;
    };
    while (next + count < left.size() && sum_from(next + 1) >= parts) ++next;
  }
  for (; left[next].room < parts; ++next) {
    take_all(left[next], out);
    parts -= left[next].room;
  }
  // Without those that were taken whole, and without larger ones that are to be kept.
  Piece best;
  for (std::size_t k = next; k < left.size() && left[k].room >= parts; ++k) {
    const Piece piece = lowest(left[k], parts);
    if (best.room == 0 || better(piece, best, parts)) best = piece;
  }
  place(best, parts, out);
}

void PieceSearch::choose(const Field& field, std::uint32_t rack, std::int64_t parts,
                         std::vector<Taken>& out) {
  field_ = field;
  if (field_.keep_large) note_largest();
  place(lowest(rack_piece(rack), parts), parts, out);
}

}  // namespace copse
