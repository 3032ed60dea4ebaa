// SPDX-License-Identifier: Apache-2.0
//
// Room behind a JSON text. simdjson reads in blocks, also beyond the end: a text without room behind
// it is copied first.
#pragma once

#include <cstddef>

namespace copse {

// Bytes behind a text that can be read, whatever their values. At least SIMDJSON_PADDING.
inline constexpr std::size_t kJsonPadding = 64;

}  // namespace copse
