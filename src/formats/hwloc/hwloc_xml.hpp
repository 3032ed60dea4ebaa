// SPDX-License-Identifier: Apache-2.0
//
// What hwloc gets to see of a hwloc XML text: hwloc trusts what it reads (its parser asserts), so
// the text is parsed and checked here, and written again with the parts that the reader needs.
//
//   * Kept: the version; objects with their place in the tree, kind, index, size and sets; the
//     infos HostName, Size, LinuxDeviceID and Backend. All else is left out: distances, memory
//     attributes, kinds of CPUs, user data.
//   * Every OS device gets an info kPlaceInfo with its line and column in the text.
//
// Cost: O(length); pugixml's tree takes up to 16 times the length while this runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse::hwloc_xml {

struct Limits {
  std::size_t text_bytes_max = 64u << 20;
  std::size_t marks_max = 8u << 20;  // elements and attributes
  std::size_t objects_max = 1u << 17;
  std::uint32_t children_max = 1u << 13;  // of one object: hwloc's time is their number squared
  std::size_t set_words_max = 16u << 20;  // of 32 CPUs or memory nodes, in all sets together
  std::uint32_t depth_max = 100;
  std::uint32_t os_index_max = (1u << 20) - 1;  // of PUs and NUMA nodes: sets are as long
};

inline constexpr const char* kPlaceInfo = "CopsePlace";

// Errors, with line and column: invalid (no XML; no hwloc topology; an attribute that cannot be),
// unsupported (a version above 2), limit (the sentence has the bound).
[[nodiscard]] Result<std::string> rewrite(std::string_view text, std::string_view file,
                                          const Limits& limits = {});

}  // namespace copse::hwloc_xml
