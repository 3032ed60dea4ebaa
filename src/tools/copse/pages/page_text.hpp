// SPDX-License-Identifier: Apache-2.0
//
// The details of a command, for pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace copse::pages {

struct Details {
  std::vector<std::string> paragraphs{}, examples{};
};

// Lines that begin with two blanks are examples, others are paragraphs; "Examples:" is left out.
[[nodiscard]] Details split_details(std::string_view text);

}  // namespace copse::pages
