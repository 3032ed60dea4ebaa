// SPDX-License-Identifier: Apache-2.0
#include "match/few_racks/piece_search.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "match/few_racks/node_rooms.hpp"

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
  const std::uint32_t up_a = above(a), up_b = above(b);
  if (less_above(up_a, up_b)) return true;
  return !less_above(up_b, up_a) && a.number < b.number;
}

// Whether a rack has less room than another or, if they have as much, the rack above it.
bool PieceSearch::less_above(std::uint32_t a, std::uint32_t b) const {
  while (a != b) {
    if (field_.of_racks[a] != field_.of_racks[b]) return field_.of_racks[a] < field_.of_racks[b];
    if (a == 0 || b == 0) break;
    a = field_.tree->racks()[a].parent;
    b = field_.tree->racks()[b].parent;
  }
  return false;
}

// The first least value from `least` on, by a mask of values and, if that is not exact, the values.
template <class ValueOf>
static std::int64_t least_in(std::uint64_t mask, std::int64_t least, std::uint32_t first,
                             std::uint32_t end, ValueOf value_of) {
  const std::uint64_t enough = mask & ~(NodeRooms::bit(least) - 1);
  if (enough == 0) return INT64_MAX;
  const int value = std::countr_zero(enough);
  if (value < 63) return value;
  std::int64_t out = INT64_MAX;
  for (std::uint32_t k = first; k < end; ++k) {
    if (value_of(k) >= least) out = std::min<std::int64_t>(out, value_of(k));
  }
  return out;
}

// The node of the whole machine with the least rest that has room for all; room 0: there is none.
PieceSearch::Piece PieceSearch::node_by_masks(std::int64_t parts) const {
  if (parts > 1 && !field_.several) return {};
  const auto runs = field_.tree->node_runs();
  const auto rest_of = [&](std::uint32_t n) {
    return field_.of_nodes[n] > 0 ? std::int64_t{field_.rests[n]} : -1;
  };
  std::int64_t best = INT64_MAX;
  const LevelTree::NodeRun* in = nullptr;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const std::int64_t rest =
        least_in(field_.node_masks[k], parts, runs[k].first, runs[k].end, rest_of);
    if (rest == INT64_MAX || rest > best) continue;
    if (rest == best && !less_above(runs[k].above, in->above)) continue;
    best = rest;
    in = &runs[k];
  }
  if (in == nullptr) return {};
  for (std::uint32_t n = in->first; n < in->end; ++n) {
    if (rest_of(n) == best) return node_piece(n);
  }
  return {};
}

// The best item below a rack with room for all; room 0: there is none.
PieceSearch::Piece PieceSearch::lowest_item(const Piece& in, std::int64_t parts) const {
  const LevelTree::Rack& rack = field_.tree->racks()[in.number];
  Piece best;
  const auto offer = [&](const Piece& piece) {
    if (piece.room >= parts && (best.room == 0 || better(piece, best, parts))) best = piece;
  };
  if (in.number == 0 && !field_.node_masks.empty() && !field_.keep_large) {
    return node_by_masks(parts);
  }
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

// The rack of a height with least room for all, of the whole machine; room 0: there is none.
PieceSearch::Piece PieceSearch::lowest_by_masks(std::uint32_t height, std::int64_t parts) const {
  const LevelTree& tree = *field_.tree;
  const auto racks = tree.of_height(height);
  const auto runs = tree.runs(height);
  const auto masks = field_.masks.subspan(tree.first_run(height), runs.size());
  std::int64_t best = INT64_MAX;
  const LevelTree::Run* in = nullptr;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const std::int64_t room = least_in(masks[k], parts, runs[k].first, runs[k].end,
                                       [&](std::uint32_t r) { return field_.of_racks[racks[r]]; });
    if (room == INT64_MAX || room > best) continue;
    if (room == best && !less_above(runs[k].parent, in->parent)) continue;
    best = room;
    in = &runs[k];
  }
  if (in == nullptr) return {};
  for (std::uint32_t r = in->first; r < in->end; ++r) {
    if (field_.of_racks[racks[r]] == best) return rack_piece(racks[r]);
  }
  return {};
}

// The rack of a height below `in` with least room for all; room 0: there is none.
PieceSearch::Piece PieceSearch::lowest_rack(const Piece& in, std::uint32_t height,
                                            std::int64_t parts) const {
  const LevelTree& tree = *field_.tree;
  if (in.number == 0 && !field_.masks.empty() && !field_.keep_large) {
    return lowest_by_masks(height, parts);
  }
  const std::uint32_t end = tree.racks()[in.number].end;
  const auto racks = tree.of_height(height);
  Piece best;
  for (auto r = std::ranges::lower_bound(racks, in.number); r != racks.end() && *r < end; ++r) {
    const std::int64_t room = field_.of_racks[*r];
    if (room < parts) continue;
    if (best.room != 0 && !field_.keep_large && room > best.room) continue;
    const Piece piece = rack_piece(*r);
    if (piece.height != 0 && (best.room == 0 || better(piece, best, parts))) best = piece;
  }
  return best;
}

// The lowest piece in a rack with room for all, itself included.
PieceSearch::Piece PieceSearch::lowest(const Piece& in, std::int64_t parts) const {
  if (in.height == 0) return in;
  if (!field_.alike) {
    if (const Piece item = lowest_item(in, parts); item.room > 0) return item;
  }
  for (std::uint32_t height = 1; height < in.height; ++height) {
    if (const Piece rack = lowest_rack(in, height, parts); rack.room > 0) return rack;
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
  if (field_.keep_large) {
    parts = take_small(left, parts, out);
  } else {
    parts = take_large(left, parts, out);
  }
  Piece best;
  for (const Piece& child : left) {
    if (child.room < parts) continue;
    if (best.room != 0 && child.height == 0 && best.height == 0 && child.rest > best.rest) continue;
    const Piece piece = lowest(child, parts);
    if (best.room == 0 || better(piece, best, parts)) best = piece;
  }
  place(best, parts, out);
}

// Takes the pieces with most room, of nodes then those with least left over, until one of the others
// has room for the rest. Returns the rest, and leaves the others.
std::int64_t PieceSearch::take_large(std::vector<Piece>& left, std::int64_t parts,
                                     std::vector<Taken>& out) const {
  for (std::size_t k = 0; k < left.size(); ++k) left[k].order = static_cast<std::uint32_t>(k);
  const auto after = [](const Piece& a, const Piece& b) {
    return std::tuple(a.room, -a.rest, -std::int64_t{a.order}) <
           std::tuple(b.room, -b.rest, -std::int64_t{b.order});
  };
  std::ranges::make_heap(left, after);
  while (left.front().room < parts) {
    take_all(left.front(), out);
    parts -= left.front().room;
    std::ranges::pop_heap(left, after);
    left.pop_back();
  }
  return parts;
}

// The same, but of as many pieces those with as little room as possible.
std::int64_t PieceSearch::take_small(std::vector<Piece>& left, std::int64_t parts,
                                     std::vector<Taken>& out) const {
  std::ranges::stable_sort(left, [](const Piece& a, const Piece& b) {
    return std::tuple(-a.room, a.rest) < std::tuple(-b.room, b.rest);
  });
  std::size_t count = 0, first = 0;
  for (std::int64_t sum = 0; sum < parts; ++count) sum += left[count].room;
  const auto sum_from = [&](std::size_t from) {
    std::int64_t sum = 0;
    for (std::size_t k = from; k < from + count; ++k) sum += left[k].room;
    return sum;
  };
  while (first + count < left.size() && sum_from(first + 1) >= parts) ++first;
  std::size_t next = first;
  for (; left[next].room < parts; ++next) {
    take_all(left[next], out);
    parts -= left[next].room;
  }
  left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(next));
  return parts;
}

void PieceSearch::choose(const Field& field, std::uint32_t rack, std::int64_t parts,
                         std::vector<Taken>& out) {
  field_ = field;
  if (field_.keep_large) note_largest();
  place(lowest(rack_piece(rack), parts), parts, out);
}

}  // namespace copse
