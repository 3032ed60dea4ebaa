// SPDX-License-Identifier: Apache-2.0
//
// Texts compressed by gzip (RFC 1952), such as those of archives of traces.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse {

[[nodiscard]] bool is_gzip(std::string_view bytes);

// The text of all members, with kJsonPadding readable bytes behind it.
// Errors: invalid (damaged, cut short), limit (more than `bytes_max`). O(length of the text).
[[nodiscard]] Result<std::string> gunzip(std::string_view bytes, std::size_t bytes_max);

}  // namespace copse
