// SPDX-License-Identifier: Apache-2.0
//
// Text in lines of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace copse {

// The columns of a text in UTF-8: characters such as "…" are one each.
[[nodiscard]] std::size_t columns_of(std::string_view text);

// Text in lines from column `left` to `right`, where the first line has reached `left`. Words that are
// longer stay whole.
[[nodiscard]] std::string wrap_text(std::string_view text, std::size_t left, std::size_t right);

// "  name      its meaning": the meaning begins at column `left`, on a new line after a long name.
[[nodiscard]] std::string help_row(const std::string& name, std::string_view about,
                                   std::size_t left, std::size_t right);

}  // namespace copse
