// SPDX-License-Identifier: Apache-2.0
//
// Flux hands its configuration as JSON; those who wrote it, and Copse's reader, speak TOML.
#pragma once

#include <jansson.h>

#include <string>

namespace copse::flux {

// The same as TOML: each member of the object a line, what is below it inline. A member of null is left out,
// one of an array is "".
// REQUIRES an object. Nesting beyond kDepthMax is left out. O(size).
[[nodiscard]] std::string toml_of(const json_t* object);

inline constexpr int kDepthMax = 32;

}  // namespace copse::flux
