// SPDX-License-Identifier: Apache-2.0
//
// The text of --help: at most 80 columns, names on the left and their meaning on the right, the
// options of the command before those of the machine and of the service.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/options/option_table.hpp"

namespace copse {

inline constexpr std::size_t kHelpColumns = 80;

// The meaning of an option, with "(required)" and, if it does not name it, "(needs --running)".
[[nodiscard]] std::string about_option(const OptionRow& row);
// "copse r encode [OPTION...] IDS...".
[[nodiscard]] std::string usage_of(const OptionTable& table, std::string_view command);
// REQUIRES that the table has the command; "" is the program itself.
[[nodiscard]] std::string help_text(const OptionTable& table, std::string_view command);

}  // namespace copse
