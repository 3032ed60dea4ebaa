// SPDX-License-Identifier: Apache-2.0
//
// Digests: texts by which other texts are known again. Nobody finds two that have the same.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace copse::server {

[[nodiscard]] std::string hexadecimal(std::span<const unsigned char> bytes);
// SHA-256, as 64 hexadecimal digits. O(bytes).
[[nodiscard]] std::string sha256_text(std::string_view text);

}  // namespace copse::server
