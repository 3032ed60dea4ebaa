// SPDX-License-Identifier: Apache-2.0
//
// The target of a request: a path, and what was asked for behind "?" (RFC 9110, *origin-form*).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "copse/error.hpp"

namespace copse::server {

struct Target {
  std::vector<std::string> path;                             // its parts, decoded
  std::vector<std::pair<std::string, std::string>> query{};  // names and values, decoded

  // nullptr: it has none.
  [[nodiscard]] const std::string* find(std::string_view name) const;
};

// Errors: invalid (no such path; an escape that is none; a NUL); limit (of its length: 8 KiB).
[[nodiscard]] Result<Target> parse_target(std::string_view text);
// A whole number of a path or a query. Errors: invalid, which calls it `what`; limit.
[[nodiscard]] Result<std::int64_t> parse_whole(std::string_view text, std::string_view what,
                                               std::int64_t most = INT64_MAX);

}  // namespace copse::server
