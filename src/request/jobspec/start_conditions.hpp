// SPDX-License-Identifier: Apache-2.0
//
// What a program does with a request's conditions on its start (StartConditions): no program of Copse
// honours them, and none drops them without a word.
//
// cwd, environment, shell and other keys say how a job is run. They mean nothing to a program that starts
// no process, so they are not listed.
#pragma once

#include <string>
#include <vector>

#include "copse/error.hpp"
#include "copse/request.hpp"

namespace copse {

// The keys of the jobspec: "attributes.system.dependencies". A begin-time up to `now_s` means nothing.
[[nodiscard]] std::vector<std::string> keys_without_effect(const StartConditions& conditions,
                                                           double now_s = 0);
// For programs that start what they are given: an error if there are such keys. Errors: invalid.
[[nodiscard]] Result<void> refuse_conditions(const StartConditions& conditions, double now_s);

// "attributes.system.dependencies and attributes.system.begin-time": REQUIRES at least one.
[[nodiscard]] std::string list_of_keys(const std::vector<std::string>& keys);

}  // namespace copse
