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
// by its first character: a digit. There are no blanks anywhere. A name may repeat: whoever knows
// the resources adds up the counts, or has an alternative for each.
#pragma once

#include <string>
#include <string_view>

#include "copse/request.hpp"

namespace copse {

inline constexpr std::size_t kHresTextBytesMax = 64u << 10;
inline constexpr std::size_t kHresItemsMax = 1000;

// Parses a request string; `place` is where it stands: an error has the line of it and the column
// of the fault, counted on from its column. If it has none, both are counted from 1.
// Errors: invalid, limit (length, items). O(length).
[[nodiscard]] Result<HresRequest> parse_hres_request(std::string_view text,
                                                     SourceLocation place = {});

// What a job has, as Engine::charges_text() and Slurm write it: "flat:2;natural(node[01-32]):5".
//   shares = share *( ("," | ";") share )
//   share  = name [ "(" hostlist ")" ] [ (":" | "=") (count | variable) ]
// Errors: as parse_hres_request. O(length).
[[nodiscard]] Result<std::vector<HresShare>> parse_hres_shares(std::string_view text,
                                                               SourceLocation place = {});

// Whether a request can say this: one character or more, all of them allowed in a name (blanks and
// control characters are those of ASCII). A variable must not begin with a digit, either.
// O(length).
[[nodiscard]] bool is_hres_name(std::string_view name);

// The string again: items in order, separators ";" or "|", counts always written.
[[nodiscard]] std::string hres_text(const HresRequest& request);

}  // namespace copse
