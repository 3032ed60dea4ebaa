// SPDX-License-Identifier: Apache-2.0
//
// What a request asks of hierarchical resources: "flat:2,natural:1,power:full_node", or
// alternatives, "flat:2|natural:1" (Slurm's --licenses and --resources).
//
//   request = item *( ("," | ";") item )  /  item *( "|" item )
//   item    = name [ (":" | "=") (count | variable) ]
//
// Names and variables are any characters but blanks, control characters and , ; | : = ( ); a count
// is digits, up to 2^63 - 1; without one it is 1. Whether a word after the colon is a count is told
// by its first character: a digit. There are no blanks anywhere.
#pragma once

#include <string>
#include <string_view>

#include "copse/request.hpp"

namespace copse {

// Parses a request string; `place` is where it stands (errors add the column in it to its own).
// Errors: invalid, limit (64 KiB; 1,000 items). O(length).
[[nodiscard]] Result<HresRequest> parse_hres_request(std::string_view text, Place place = {});

// The string again: items in order, separators ";" or "|", counts always written.
[[nodiscard]] std::string hres_text(const HresRequest& request);

}  // namespace copse
