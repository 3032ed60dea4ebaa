// SPDX-License-Identifier: Apache-2.0
//
// What a service says of a job that waits, in the words that `copse plan --why --table` and Flux's
// `flux copse why` have.
#pragma once

#include <string>

#include "text/tree/tree.hpp"

namespace copse {

// Of an answer to `why`. Three or four lines.
[[nodiscard]] std::string why_words(TreeView answer);
// Of an answer to `when`, a line: "2026-11-22T12:00:00Z (promised)".
[[nodiscard]] std::string when_words(TreeView answer);
// Of a job that waits no more, a line: "job 7 runs since 2026-11-22T12:00:00Z". "": it waits.
[[nodiscard]] std::string past_words(TreeView job);

}  // namespace copse
