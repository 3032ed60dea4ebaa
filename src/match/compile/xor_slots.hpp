// SPDX-License-Identifier: Apache-2.0
//
// The variants of a request whose lists have xor_slots: each list has everything that is not an
// xor_slot, and then one of its xor_slots, as a slot. (Fluxion's flexible traverser.)
//
// Order: lexicographic by the position of the choices in the text; the fixed parts of a list vary
// before its xor_slots.
#pragma once

#include <vector>

#include "copse/error.hpp"
#include "copse/request.hpp"

namespace copse {

inline constexpr std::size_t kVariantsMax = 1'000;
inline constexpr std::size_t kVariantVerticesMax = 200'000;  // of all variants together

[[nodiscard]] bool has_xor_slots(const std::vector<Resource>& resources);

// Errors: limit, before anything is copied. Cost: O(vertices of all variants). Depth of recursion:
// that of the request, which its parser bounds.
[[nodiscard]] Result<std::vector<std::vector<Resource>>> xor_variants(
    const std::vector<Resource>& resources);

}  // namespace copse
