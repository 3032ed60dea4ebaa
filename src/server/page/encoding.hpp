// SPDX-License-Identifier: Apache-2.0
//
// Encodings of responses: gzip (RFC 1952) and base64 (RFC 4648).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace copse::server {

// 1: fast, for single responses; 9: small, for files that are sent often.
enum class Effort : std::uint8_t { quick = 1, small = 9 };
// Deterministic: the output contains no time and no name.
[[nodiscard]] std::string gzip(std::string_view text, Effort effort);

// Appends base64 with padding.
void append_base64(std::string& out, std::string_view bytes);

// Whether Accept-Encoding (RFC 9110, 12.5.3) allows gzip.
[[nodiscard]] bool accepts_gzip(std::string_view field);

}  // namespace copse::server
