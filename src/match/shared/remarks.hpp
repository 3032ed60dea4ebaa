// SPDX-License-Identifier: Apache-2.0
//
// What a walk remarks on, as values, and the words for them. The words of the reference's log stand
// here and nowhere else in match/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "copse/graph.hpp"

namespace copse {

struct Remark {
  enum class Kind : std::uint8_t {
    exclusivity_conflict,  // `exclusive: false` where all is exclusive
    siblings_conflict,     // a pool that siblings of the request both fit
    displaced_slot,        // slots side by side ask for different things in one type
    slots_not_all_tried,   // alternative slots: more ways than the search looks at
  };
  Kind kind;
  PoolId pool = kNoPool;
  TypeId type = kNoType;               // of siblings_conflict
  const std::string* label = nullptr;  // of the request, which must live
  bool operator==(const Remark&) const = default;
};

[[nodiscard]] std::string remark_text(const Remark& remark, const ResourceGraph& graph);
// The words for siblings_conflict where no pool is at hand.
[[nodiscard]] std::string siblings_conflict_text(std::string_view type);

// Adds a remark that is not there yet, up to a bound of 16.
void add_remark(std::vector<Remark>& remarks, const Remark& remark);

// Why no request with such vertices can match.
inline constexpr std::string_view kXorSlotElsewhere = "xor_slot needs the flexible traverser";
inline constexpr std::string_view kEmptySlot = "a slot must have something in it";
inline constexpr std::string_view kSlotInSlot =
    "a slot directly inside a slot is nowhere to be found";
inline constexpr std::string_view kUnknownType =
    "Value of \"type\" must be a resource type known to fluxion";

}  // namespace copse
