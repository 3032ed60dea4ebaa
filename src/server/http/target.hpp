// SPDX-License-Identifier: Apache-2.0
//
// The target of a request: path and query (RFC 9110, *origin-form*).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "copse/error.hpp"

namespace copse::server {

struct Target {
  std::vector<std::string> path;                             // decoded parts
  std::vector<std::pair<std::string, std::string>> query{};  // decoded names and values

  // nullptr: absent.
  [[nodiscard]] const std::string* find(std::string_view name) const;
};

// Errors: invalid (not a path; a malformed escape; a NUL); limit (longer than 8 KiB).
[[nodiscard]] Result<Target> parse_target(std::string_view text);
// A whole number of a path or query. Errors: invalid, limit; the message names it `what`.
[[nodiscard]] Result<std::int64_t> parse_integer(std::string_view text, std::string_view what,
                                                 std::int64_t most = INT64_MAX);

}  // namespace copse::server
