// SPDX-License-Identifier: Apache-2.0
//
// Lines that a service writes down of its clients, beside those of jobs:
//
//   {"grant": 7, "owner": "ada", "asked": "9f86…"}                            whose a grant is
//   {"once": "KEY", "owner": "ada", "asked": "9f86…", "at": 17, "answer": "…"}   an answer to be given again
//
// "asked" is a digest of the request. Members that a reader does not know are passed over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse::server {

struct ClientLine {
  std::optional<std::int64_t> grant{};
  std::string once{}, owner{}, asked{}, answer{};
  std::int64_t at = 0;
};

// With its line end.
void append_line(std::string& out, const ClientLine& line);
// Errors: invalid, with the column.
[[nodiscard]] Result<ClientLine> read_client_line(std::string_view text);

}  // namespace copse::server
