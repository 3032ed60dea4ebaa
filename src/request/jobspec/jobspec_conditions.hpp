// SPDX-License-Identifier: Apache-2.0
//
// Keys of a jobspec's attributes.system that say when or where its job may start, besides what a Request
// holds: dependencies, begin-time and queue (RFC 14, RFC 26). Each program that reads a jobspec says
// which of them it honours; the others are not dropped without a word.
//
// cwd, environment, shell and other keys say how a job is run. They mean nothing to a program that starts
// no process, and these functions leave them out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "text/tree/tree.hpp"

namespace copse {

struct HonouredKeys {
  bool queue = false;
};

// The keys that are there, have a value and are not honoured: "attributes.system.dependencies". A
// begin-time up to `now_s` means nothing. O(keys).
[[nodiscard]] std::vector<std::string> conditions_not_honoured(TreeView jobspec,
                                                               HonouredKeys honoured,
                                                               double now_s = 0);
// The same of a text, in YAML or JSON; none if it is not valid. O(length of the text), and O(1) for a text
// in which the words are not found.
[[nodiscard]] std::vector<std::string> conditions_not_honoured(std::string_view jobspec,
                                                               HonouredKeys honoured,
                                                               double now_s = 0);

// For programs that start what they are given: an error if there are such keys. Errors: invalid. Cost as
// above.
[[nodiscard]] Result<void> refuse_conditions(std::string_view jobspec, HonouredKeys honoured,
                                             double now_s);

// The queue that a jobspec names, "" if it names none or is not valid. Cost as above.
[[nodiscard]] std::string queue_of_jobspec(std::string_view jobspec);

// "attributes.system.dependencies and attributes.system.queue": REQUIRES at least one.
[[nodiscard]] std::string list_of_keys(const std::vector<std::string>& keys);

}  // namespace copse
