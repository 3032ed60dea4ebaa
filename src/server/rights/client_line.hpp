// SPDX-License-Identifier: Apache-2.0
//
// ClientLine: a line of the journal about a client of a service:
//
//   {"grant": 7, "owner": "ada", "request_digest": "9f86…"}         the owner of a grant
//   {"idempotency_key": "KEY", "owner": "ada", "request_digest": "9f86…", "at": 17, "answer": "…"}
//                                                                  an answer that is replayed
//
// A reader skips unknown members. It also reads the older names "once" and "asked" of the key and
// the digest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse::server {

struct ClientLine {
  std::optional<std::int64_t> grant{};
  std::string idempotency_key{}, owner{}, request_digest{}, answer{};
  std::int64_t at = 0;
};

// Appends the line with its newline.
void append_line(std::string& out, const ClientLine& line);
// Errors: invalid, with the column.
[[nodiscard]] Result<ClientLine> read_client_line(std::string_view text);

}  // namespace copse::server
