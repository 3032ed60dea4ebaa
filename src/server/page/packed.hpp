// SPDX-License-Identifier: Apache-2.0
//
// Bytes as they travel: gzip (RFC 1952) and base64 (RFC 4648).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace copse::server {

// 1: quick, for what is sent once; 9: small, for what is sent often.
enum class Effort : std::uint8_t { quick = 1, small = 9 };
// The same bytes for the same text, always: no time and no name is in it.
[[nodiscard]] std::string gzipped(std::string_view text, Effort effort);

// Appends; with "=" at the end.
void append_base64(std::string& out, std::string_view bytes);

// Whether a field Accept-Encoding (RFC 9110, 12.5.3) takes gzip.
[[nodiscard]] bool takes_gzip(std::string_view field);

}  // namespace copse::server
