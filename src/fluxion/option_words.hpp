// SPDX-License-Identifier: Apache-2.0
//
// The words that Fluxion's options for the machine format and the traverser accept.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "formats/machine_formats.hpp"
#include "match/option_names.hpp"

namespace copse::fluxion {

[[nodiscard]] inline bool is_load_format(std::string_view name) {
  const auto names = machine_format_names(FormatUser::fluxion);
  return std::ranges::find(names, name) != names.end();
}

// The traverser `treepool` needs the layouts of an R, which these options cannot give.
inline constexpr std::span<const std::string_view> kTraversers =
    std::span(kTraverserNames).first<3>();
[[nodiscard]] constexpr std::optional<Traverser> parse_traverser(std::string_view name) {
  const auto known = copse::parse_traverser(name);
  return known == Traverser::treepool ? std::nullopt : known;
}

}  // namespace copse::fluxion
