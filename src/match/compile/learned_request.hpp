// SPDX-License-Identifier: Apache-2.0
//
// LearnedRequest: a compiled request, and what the searches of one engine have learned about it.
//
// A CompiledRequest never changes while it is searched for. What a search finds out, and a later one
// can use, is here. The engine forgets it when the graph or the layers change.
//
// Size: that of the compiled request, and 16 bytes for each pool where a slot of the top level can
// be formed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "match/compile/compiled.hpp"

namespace copse {

// If the top level is a slot: the pools where it can be formed (match/simple/top_slot_places.hpp).
struct LearnedPlaces {
  struct SlotPlace {
    std::int64_t bound;
    PoolId pool;
  };
  // Facts about a block of places.
  struct Block {
    std::uint64_t stamp = 0;  // of the state when it was computed; 0: unknown
    std::int64_t score = 0;   // the best possible score of a slot
    PoolId pool = kNoPool;    // the first pool with that score; kNoPool: there is none
  };

  std::optional<std::vector<SlotPlace>> places;  // best bound on its score first; nullopt: unknown
  std::size_t changes_seen = 0;                  // changes of the graph that `places` includes
  std::vector<Block> blocks;                     // of places, in their order
};

struct LearnedRequest : CompiledRequest {
  // Whether it fits the empty machine; nullopt: not searched yet.
  std::optional<bool> satisfiable{};
  bool satisfiable_unknown = false;     // a search for it reached its limit: assumed true
  bool order_unknown = false;           // the same, because pools have several parents
  std::string capacity_refusal{};       // why it is not satisfiable, if a capacity is the reason
  std::vector<LearnedPlaces> places{};  // of the request or, if it has variants, of each of them

  // REQUIRES that the number is that of a variant, or 0.
  [[nodiscard]] LearnedPlaces& places_of(std::size_t variant) {
    if (places.size() <= variant) places.resize(variant + 1);
    return places[variant];
  }
};

}  // namespace copse
