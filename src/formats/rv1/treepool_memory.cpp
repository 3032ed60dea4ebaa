// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/treepool_memory.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace copse {

namespace {

// GiB of a unit that storage may have.
std::optional<double> gib_of(std::string_view unit) {
  constexpr std::array<std::string_view, 5> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  const auto* at = std::ranges::find(kUnits, unit);
  if (at == kUnits.end()) return {};
  return std::ldexp(1.0, 10 * (static_cast<int>(at - kUnits.begin()) - 2));
}

struct Pieces {  // of one node
  std::int64_t memory = 0, storage = 0;
};

std::unexpected<Error> too_many(std::int64_t piece_gib) {
  return fail(
      ErrorCode::limit,
      fmt::format("memory and storage of a node come to more than {} pieces of {} GiB; take "
                  "larger ones",
                  kPiecesMax, piece_gib));
}

// Gives the domains of a layout their ids.
Result<Pieces> number(Layout& layout, std::int64_t piece_gib) {
  Pieces out;
  for (Domain& domain : layout.domains) {
    const std::int64_t pieces = domain.memory_gib / piece_gib;
    if (pieces > kPiecesMax - out.memory) return too_many(piece_gib);
    if (pieces > 0) domain.memory = {{out.memory, out.memory + pieces - 1}};
    out.memory += pieces;
  }
  for (const Storage& storage : layout.storage) {
    const auto unit_gib = gib_of(storage.unit);
    if (!unit_gib) {
      return fail(ErrorCode::invalid,
                  fmt::format("the unit of storage {} is none of KiB, MiB, GiB, TiB and PiB",
                              storage.path));
    }
    const double pieces = std::floor(storage.capacity * *unit_gib / static_cast<double>(piece_gib));
    if (pieces > static_cast<double>(kPiecesMax - out.memory - out.storage)) {
      return too_many(piece_gib);
    }
    out.storage += static_cast<std::int64_t>(pieces);
  }
  if (out.storage > 0 && !layout.domains.empty()) {
    layout.domains[0].storage = {{0, out.storage - 1}};
  }
  return out;
}

// The ranks of an entry by their layout; those without one have the last number.
std::map<std::uint32_t, Idset> by_layout(const Idset& ranks, const Layouts& layouts) {
  const auto none = static_cast<std::uint32_t>(layouts.layouts.size());
  std::map<std::uint32_t, Idset> out;
  for (const auto& [first, last] : ranks.ranges()) {
    auto at = std::ranges::lower_bound(layouts.ranks, first, {}, &Layouts::Ranks::last);
    for (std::int64_t rank = first; rank <= last;) {
      const bool known = at != layouts.ranks.end() && at->first <= last;
      if (known && at->first <= rank) {
        const std::int64_t end = std::min(at->last, last);
        out[at->layout].add_range(rank, end);
        rank = end + 1;
        ++at;
      } else {
        const std::int64_t end = known ? at->first - 1 : last;
        out[none].add_range(rank, end);
        rank = end + 1;
      }
    }
  }
  return out;
}

}  // namespace

Result<void> count_memory(RSet& r, std::int64_t piece_gib) {
  assert(piece_gib > 0);
  Layouts& layouts = r.layouts;
  for (const RSet::Entry& entry : r.entries) {
    for (const char* type : {"memory", "storage"}) {
      if (find_ids(entry.children, type) == nullptr) continue;
      return fail(ErrorCode::invalid,
                  fmt::format("R_lite has children of type {}, so that the layouts cannot say how "
                              "many there are",
                              type));
    }
  }
  std::vector<Pieces> pieces;
  for (Layout& layout : layouts.layouts) {
    const auto numbered = number(layout, piece_gib);
    if (!numbered) return std::unexpected(numbered.error());
    pieces.push_back(*numbered);
  }
  pieces.emplace_back();  // of ranks without a layout
  std::vector<RSet::Entry> entries;
  for (RSet::Entry& entry : r.entries) {
    for (auto& [layout, ranks] : by_layout(entry.ranks, layouts)) {
      RSet::Entry& made = entries.emplace_back(RSet::Entry{std::move(ranks), entry.children});
      auto add = [&](const char* type, std::int64_t count) {
        if (count == 0) return;
        Idset ids;
        ids.add_range(0, count - 1);
        made.children.emplace_back(type, std::move(ids));
      };
      add("memory", pieces[layout].memory);
      add("storage", pieces[layout].storage);
    }
  }
  r.entries = std::move(entries);
  layouts.piece_gib = piece_gib;
  return {};
}

}  // namespace copse
