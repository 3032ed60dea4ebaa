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

// When an R is used, in whole seconds of its own clock; an end of 0: it has none.
struct TakenTimes {
  std::int64_t start_s = 0, end_s = 0;
};
// Errors: those of read_r().
[[nodiscard]] Result<TakenTimes> read_times(std::string_view text, std::string_view file);

// The pools that a file of resources takes: JGF (its exclusive pools; with shorthand, and with R,
// as their formats say), told by its text unless `format` is given (jgf, jgf_shorthand, rv1exec).
struct TakenFile {
  TakenPools taken;
  TakenTimes times{};                  // what its R says
  std::vector<std::string> missing{};  // what the machine has not, if `format` is empty
};
[[nodiscard]] Result<TakenFile> read_taken(const ResourceGraph& graph, std::string_view text,
                                           std::string_view file, std::string_view format = {});

// The pools that a job gives back: those of an R's ranks (rv1exec), those that a JGF names. Errors:
// those of read_r(), read_jgf_set(), find_pool().
[[nodiscard]] Result<std::vector<PoolId>> read_given_back(const ResourceGraph& graph,
                                                          std::string_view format,
                                                          std::string_view text,
                                                          std::string_view path);

}  // namespace copse
