// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 digests, used as identities of texts.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace copse::server {

[[nodiscard]] std::string hexadecimal(std::span<const unsigned char> bytes);
// 64 hexadecimal digits. O(bytes).
[[nodiscard]] std::string sha256_text(std::string_view text);

}  // namespace copse::server
