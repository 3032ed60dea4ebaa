// SPDX-License-Identifier: Apache-2.0
//
// The answers of a service about a job, in the words of `copse plan --why --table` and of Flux's
// `flux copse why`.
#pragma once

#include <string>

#include "request/tree/yaml_tree.hpp"

namespace copse {

// Of an answer to `why`. Three or four lines.
[[nodiscard]] std::string why_words(TreeView answer);
// Of an answer to `when`, a line: "2026-11-22T12:00:00Z (promised)".
[[nodiscard]] std::string when_words(TreeView answer);
// Of a job that no longer waits, a line: "job 7 has been running since 2026-11-22T12:00:00Z". "": it waits.
[[nodiscard]] std::string past_words(TreeView job);

}  // namespace copse
