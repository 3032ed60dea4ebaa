// SPDX-License-Identifier: Apache-2.0
//
// Flux passes its configuration as JSON; Copse reads configurations as TOML.
#pragma once

#include <jansson.h>

#include <string>

namespace copse::flux {

// A JSON object as TOML: a line for each member, nested values inline. Null members are left out; null in an
// array is "".
// REQUIRES an object. Nesting beyond kDepthMax is left out. O(size).
[[nodiscard]] std::string toml_of(const json_t* object);

inline constexpr int kDepthMax = 32;

}  // namespace copse::flux
