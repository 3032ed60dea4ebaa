// SPDX-License-Identifier: Apache-2.0
//
// The variants of a request whose lists have xor_slots: of each list everything that is no
// xor_slot, and one xor_slot of it, as a slot and last. (Fluxion's flexible traverser.)
//
// Order: by what is chosen first in the text, then by what is chosen next; what a list always has
// is varied before its xor_slots are.
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
