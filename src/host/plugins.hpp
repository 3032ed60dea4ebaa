// SPDX-License-Identifier: Apache-2.0
//
// Policies and disciplines from plugins (copse/plugin.hpp): files that options name, and files that
// COPSE_PLUGINS lists.
//
// A plugin stays loaded until the program ends, because policies point into it. Loading a file runs its
// code, so only files that the user named are loaded.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/discipline.hpp"
#include "copse/error.hpp"
#include "copse/policy.hpp"

namespace copse {

// The policies of one file. Errors: io (it cannot be read), unsupported (not a plugin, or of another
// version), invalid (it is empty; a name is missing or used twice).
[[nodiscard]] Result<std::vector<Policy>> load_plugin(const std::string& file);

// The policies of the files in COPSE_PLUGINS, separated by ":". Errors: those of load_plugin.
[[nodiscard]] Result<std::vector<Policy>> policies_of_environment();

// The policy that -P names, and all policies that are not bundled. The word is a policy's name, words of
// parse_policy(), or a plugin: FILE.so with one policy, or FILE.so:NAME. A word with a "/", or that ends
// in ".so", is a file. `own` and then those of COPSE_PLUGINS take precedence over bundled policies.
struct ChosenPolicy {
  Policy policy;
  std::vector<Policy> own;
};
// Errors: those of load_plugin and find_policy.
[[nodiscard]] Result<ChosenPolicy> choose_policy(std::string_view word,
                                                 std::span<const Policy> own = {});

// The discipline that --discipline names: a bundled one, one of COPSE_PLUGINS, or one of a plugin as
// above. Errors: those of load_plugin and find_discipline.
[[nodiscard]] Result<Discipline> choose_discipline(std::string_view word);
// The disciplines of the files in COPSE_PLUGINS. Errors: those of load_plugin.
[[nodiscard]] Result<std::vector<Discipline>> disciplines_of_environment();

}  // namespace copse
