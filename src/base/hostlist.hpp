// SPDX-License-Identifier: Apache-2.0
//
// Hostlists: ordered lists of host names as text, "node[0-3,7],login1" (RFC 29).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "copse/error.hpp"

namespace copse {

// Expands RFC 29 text to host names in order, duplicates kept.
// Errors: invalid (with the column), limit (more than `hosts_max` hosts, checked before memory is
// allocated). Cost: O(length of the text + length of the result).
[[nodiscard]] Result<std::vector<std::string>> expand_hostlist(std::string_view text,
                                                               std::size_t hosts_max = 1u << 20);

// Compresses host names in their order: consecutive names with one prefix, equal number widths
// (leading zeros) share brackets, "node[0-3,7]"; nothing is sorted or removed, so equal names stay:
// node0, node0, node1 -> "node[0,0-1]". A number too large for 64 bits stays part of the name.
// Cost: O(total length).
[[nodiscard]] std::string compress_hostlist(const std::vector<std::string>& hosts);
void append_hostlist(std::string& out, const std::vector<std::string_view>& hosts);

// The first names, as many as fit into `bytes_max` but at least one, and the number of the others.
struct ShortHostlist {
  std::string text;
  std::size_t left = 0;
};
// O(total length × log of the number of names). REQUIRES a non-empty list.
[[nodiscard]] ShortHostlist compress_first_hosts(const std::vector<std::string>& hosts,
                                                 std::size_t bytes_max);

// Policies compute scores from node numbers, so these have the same bound as the numbers of a GRUG
// recipe.
inline constexpr std::int64_t kHostNumberMax = INT64_C(1) << 53;

// Splits a host name into the part before its last digits, and their number (-1: there are none).
// Errors: limit. O(length).
[[nodiscard]] Result<std::pair<std::string_view, std::int64_t>> split_host(std::string_view host);

}  // namespace copse
