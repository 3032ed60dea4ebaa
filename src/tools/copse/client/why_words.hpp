// SPDX-License-Identifier: Apache-2.0
//
// The answers of a service about a job, in the words of `copse plan --why --table` and of Flux's
// `flux copse why`. Times are in the time zone of the reader.
#pragma once

#include <cstdint>
#include <string>

#include "text/tree/tree.hpp"

namespace copse {

// Of an answer to `why`. Three or four lines. `whole`: the whole sentence, not the short cause.
[[nodiscard]] std::string why_words(TreeView answer, std::int64_t now_s, bool whole);
// The short cause of that answer, with the start that is promised or expected.
[[nodiscard]] std::string cause_words(TreeView answer, std::int64_t now_s);
// Of an answer to `when`, a line: "2026-11-22T12:00:00Z (promised)".
[[nodiscard]] std::string when_words(TreeView answer);
// Of a job that no longer waits, a line: "job 7 has been running since 2026-11-22T12:00:00Z". "": it waits.
[[nodiscard]] std::string past_words(TreeView job);

}  // namespace copse
