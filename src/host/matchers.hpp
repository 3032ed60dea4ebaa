// SPDX-License-Identifier: Apache-2.0
//
// Fluxion's names for the subsystems that a match walks.
#pragma once

#include <string>
#include <vector>

namespace copse {

struct Matcher {
  const char* name;
  std::vector<std::string> subsystems;  // dominant first
};
[[nodiscard]] const std::vector<Matcher>& matchers();

// The subsystems of a matcher's name, in upper or lower case; empty if there is no such matcher.
[[nodiscard]] std::vector<std::string> matcher_subsystems(const std::string& name);

}  // namespace copse
