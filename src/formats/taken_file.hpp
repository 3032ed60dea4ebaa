// SPDX-License-Identifier: Apache-2.0
//
// What a job has, out of a file in any form that says so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "formats/jgf/jgf_subtrees.hpp"

namespace copse {

// The pools that a file of resources takes: JGF (its exclusive pools; with shorthand, and with R,
// as their formats say), told by its text unless `format` is given (jgf, jgf_shorthand, rv1exec).
struct TakenFile {
  TakenPools taken;
  std::int64_t start_s = 0, end_s = 0;  // what its R says; an end of 0: nothing
  std::vector<std::string> missing{};   // what the machine has not, if `format` is empty
};
[[nodiscard]] Result<TakenFile> read_taken(const ResourceGraph& graph, std::string_view text,
                                           std::string_view file, std::string_view format = {});

}  // namespace copse
