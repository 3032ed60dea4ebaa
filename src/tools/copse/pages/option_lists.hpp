// SPDX-License-Identifier: Apache-2.0
//
// The tables of options in docs/. A page marks their places:
//
//   <!-- options of copse plan: Options
//   --queues: #several-queues
//   -->
//   | option | meaning |
//   …
//   <!-- end of options -->
//
// The first line names the command. After a colon, headings of its --help or names of options select
// rows. "without copse info" leaves out the options that the other command has, too. --help and arguments
// are always left out. The lines below are links of options.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "tools/options/option_table.hpp"

namespace copse::pages {

// The page with all of its tables made again. Errors: invalid (an unknown command, heading or option;
// a mark without its end), with the line.
[[nodiscard]] Result<std::string> with_option_lists(std::span<const OptionTable> programs,
                                                    std::string_view page, std::string_view file);

}  // namespace copse::pages
