// SPDX-License-Identifier: Apache-2.0
//
// Sentences and names for places with little room. Characters are counted, not bytes, and none is
// cut. Pure functions, O(length).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace copse {

[[nodiscard]] std::size_t characters(std::string_view text);
// At most `most` characters of a name; an ellipsis replaces the rest. REQUIRES most > 0.
[[nodiscard]] std::string shortened(std::string_view name, std::size_t most);
// As many clauses of the text as fit. What is in parentheses is a part of its clause.
// REQUIRES most > 0.
[[nodiscard]] std::string first_clauses(std::string_view text, std::size_t most);

}  // namespace copse
