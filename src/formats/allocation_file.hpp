// SPDX-License-Identifier: Apache-2.0
//
// The resources of a job, from a file in any of the formats that describe them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "formats/jgf/jgf_subtrees.hpp"

namespace copse {

// The validity of an R, in whole seconds of its own clock; an end of 0: no end.
struct AllocationTimes {
  std::int64_t start_s = 0, end_s = 0;
};
// Errors: those of read_r().
[[nodiscard]] Result<AllocationTimes> read_times(std::string_view text, std::string_view file);

// The pools that a file of resources allocates: a JGF (its exclusive pools; shorthand as its format
// defines it) or an R. The text decides unless `format` is given (jgf, jgf_shorthand, rv1exec).
struct AllocationFile {
  AllocatedPools taken;
  AllocationTimes times{};             // of its R
  std::vector<std::string> missing{};  // pools that the machine does not have, if `format` is empty
};
[[nodiscard]] Result<AllocationFile> read_allocation(const ResourceGraph& graph,
                                                     std::string_view text, std::string_view file,
                                                     std::string_view format = {});

// The pools that a job gives back: those of an R's ranks (rv1exec), those that a JGF names. Errors:
// those of read_r(), read_jgf_set(), find_pool().
[[nodiscard]] Result<AllocatedPools> read_given_back(const ResourceGraph& graph,
                                                     std::string_view format, std::string_view text,
                                                     std::string_view path);

}  // namespace copse
