// SPDX-License-Identifier: Apache-2.0
//
// TOML by toml++, which a build may lack (COPSE_HAS_TOML). Included by readers of a grammar only:
// it is large.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "copse/error.hpp"

#define TOML_EXCEPTIONS 0
#include <toml++/impl/preprocessor.h>
// "[{" breaks what the parser takes for granted of a table's name: it aborts, or, without
// assertions, may be compiled to anything. Behind each of these lines an error is set as well.
#undef TOML_ASSERT
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT(expr) static_assert(true)
#define TOML_ASSERT_ASSUME(expr) static_assert(true)
#include <toml++/toml.h>

namespace copse {

inline constexpr std::size_t kTomlBytesMax = 64u << 20;

[[nodiscard]] inline Place place_of(const toml::node& node, std::string_view file) {
  const toml::source_position at = node.source().begin;
  return {std::string(file), at.line, at.column};
}

// Errors: invalid with line and column; limit.
[[nodiscard]] inline Result<toml::table> parse_toml(std::string_view text, std::string_view file) {
  if (text.size() > kTomlBytesMax) {
    return fail(ErrorCode::limit,
                fmt::format("the text has {} bytes; the limit is {}", text.size(), kTomlBytesMax),
                {std::string(file)});
  }
  toml::parse_result parsed = toml::parse(text);
  if (parsed) return std::move(parsed).table();
  const auto& [at, end, path] = parsed.error().source();
  return fail(ErrorCode::invalid, fmt::format("this is not TOML: {}", parsed.error().description()),
              {std::string(file), at.line, at.column});
}

}  // namespace copse
