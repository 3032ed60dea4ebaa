// SPDX-License-Identifier: Apache-2.0
//
// Named reservations of a service in words, from its answers.
#pragma once

#include <string>

#include "request/tree/yaml_tree.hpp"

namespace copse {

// A line, with the first of its times: "upkeep: 2033-01-01T08:00:00Z to … on node[0-1], weekly, for
// ada,bo, by root".
[[nodiscard]] std::string reservation_words(TreeView reservation);
// Lines: running jobs that overlap the added or tried reservation, and jobs with a moved promised start.
[[nodiscard]] std::string effect_words(TreeView answer);

}  // namespace copse
