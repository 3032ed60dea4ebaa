// SPDX-License-Identifier: Apache-2.0
//
// The words that Fluxion's options for the machine format, the traverser and the matcher accept.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// The subsystems that a match walks, by their name.
struct Matcher {
  const char* name;
  std::vector<std::string> subsystems;  // dominant first
};
[[nodiscard]] const std::vector<Matcher>& matchers();

// The subsystems of a matcher's name, in upper or lower case; empty if there is no such matcher.
[[nodiscard]] std::vector<std::string> matcher_subsystems(const std::string& name);

}  // namespace copse::fluxion
