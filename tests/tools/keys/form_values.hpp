// SPDX-License-Identifier: Apache-2.0
//
// The forms of key_forms.hpp by the files that they are of, and what they share.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "tools/keys/key_forms.hpp"

namespace copse {

[[nodiscard]] std::vector<Form> jobspec_forms();
[[nodiscard]] std::vector<Form> supply_forms();       // files of hierarchical resources
[[nodiscard]] std::vector<Form> toml_forms();         // resource.config of Flux
[[nodiscard]] std::vector<Form> stream_forms();       // lines of jobs, events and reservations
[[nodiscard]] std::vector<Form> queue_table_forms();  // tables of queues

// Values of wrong_values() that are right for these keys: a scalar of any kind is a name.
[[nodiscard]] std::set<std::string> any_name(std::initializer_list<std::string> keys);
[[nodiscard]] std::set<std::string> both(std::set<std::string> a, const std::set<std::string>& b);

}  // namespace copse
