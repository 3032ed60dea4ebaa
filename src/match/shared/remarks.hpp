// SPDX-License-Identifier: Apache-2.0
//
// Remarks of a walk, as values, and their text. The texts of the reference's log are only here in
// match/.
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
    siblings_conflict,     // a pool that fits two siblings of the request
    displaced_slot,        // sibling slots request different things of one type
    slots_not_all_tried,   // alternative slots: the search reached its limit
  };
  Kind kind;
  PoolId pool = kNoPool;
  TypeId type = kNoType;               // of siblings_conflict
  const std::string* label = nullptr;  // of the request, which must outlive this
  bool operator==(const Remark&) const = default;
};

[[nodiscard]] std::string remark_text(const Remark& remark, const ResourceGraph& graph);
// The text for siblings_conflict without a pool.
[[nodiscard]] std::string siblings_conflict_text(std::string_view type);

// Adds a remark unless it exists, up to 16 remarks.
void add_remark(std::vector<Remark>& remarks, const Remark& remark);

// Why no request with such vertices can match.
inline constexpr std::string_view kXorSlotElsewhere = "xor_slot needs the flexible traverser";
inline constexpr std::string_view kEmptySlot = "a slot must have something in it";
inline constexpr std::string_view kSlotInSlot =
    "a slot directly inside a slot is nowhere to be found";
inline constexpr std::string_view kUnknownType =
    "Value of \"type\" must be a resource type known to fluxion";

}  // namespace copse
