// SPDX-License-Identifier: Apache-2.0
//
// Strong ids: small dense numbers that cannot be mixed up. `.v` is the number itself, for indexing.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace copse {

template <class Tag, class Rep>
struct Id {
  using rep = Rep;
  Rep v = 0;
  constexpr Id() = default;
  constexpr explicit Id(Rep value) : v(value) {}
  constexpr auto operator<=>(const Id&) const = default;
};

using PoolId = Id<struct PoolTag, std::uint32_t>;           // a pool's number, see graph.hpp
using TypeId = Id<struct TypeTag, std::uint16_t>;           // an interned resource type
using UnitId = Id<struct UnitTag, std::uint16_t>;           // an interned unit ("GB"); 0 is ""
using NameId = Id<struct NameTag, std::uint32_t>;           // an interned basename or host name
using SubsystemId = Id<struct SubsystemTag, std::uint8_t>;  // a subsystem, in order of interning
using RelationId = Id<struct RelationTag, std::uint16_t>;   // an interned edge relation

// The job of a grant. The caller chooses the number; 0 means none.
using JobId = std::uint64_t;

inline constexpr PoolId kNoPool{std::numeric_limits<std::uint32_t>::max()};
inline constexpr TypeId kNoType{std::numeric_limits<std::uint16_t>::max()};

}  // namespace copse
