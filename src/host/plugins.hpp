// SPDX-License-Identifier: Apache-2.0
//
// Policies and disciplines that are not bundled: those of plugins (copse/plugin.hpp), from files
// that options name and that COPSE_PLUGINS lists.
//
// A plugin stays loaded until the program ends: policies point into it. Loading a file runs its
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

// The policies of one file, whose path is taken as it is. Errors: io (it cannot be read), unsupported
// (no plugin, or of another version), invalid (nothing in it, no name, a name twice).
[[nodiscard]] Result<std::vector<Policy>> load_plugin(const std::string& file);

// The policies of the files in COPSE_PLUGINS, separated by ":". Errors: those of load_plugin.
[[nodiscard]] Result<std::vector<Policy>> policies_of_environment();

// What -P names, and all policies that are not bundled. The word is a policy's name, words of
// parse_policy(), or a plugin: FILE.so with one policy, or FILE.so:NAME. A word with a "/" or with
// ".so" at its end is a file. `own` and then those of COPSE_PLUGINS go before bundled policies.
struct ChosenPolicy {
  Policy policy;
  std::vector<Policy> own;
};
// Errors: those of load_plugin and find_policy.
[[nodiscard]] Result<ChosenPolicy> choose_policy(std::string_view word,
                                                 std::span<const Policy> own = {});

// What --discipline names: a bundled one, one of COPSE_PLUGINS, or a plugin as above. Errors: those
// of load_plugin and find_discipline.
[[nodiscard]] Result<Discipline> choose_discipline(std::string_view word);
// Those of the files in COPSE_PLUGINS. Errors: those of load_plugin.
[[nodiscard]] Result<std::vector<Discipline>> disciplines_of_environment();

}  // namespace copse
