// SPDX-License-Identifier: Apache-2.0
//
// LineWords: what a line of a stream says of a request, so that a stream can be written as lines again
// (job_reader.hpp).
//
// Invariant: the line with these words has a request that is matched in the same way. What no shape can
// say (shape_text(), request/shape.hpp) is refused when the line is read. Cost: O(request).
#pragma once

#include <cstdint>
#include <string>

#include "plan/job.hpp"

namespace copse::plan {

struct LineWords {
  std::int64_t nodes = 0, cores = 0;  // 0: the line does not have it
  std::string shape{};                // "": nodes and cores say it all
  std::string constraint{};           // JSON; "": none
  std::string hres{};
};

[[nodiscard]] LineWords line_words(const Request& request);
// "afterok:a,afterany:b"; "": it waits for no job.
[[nodiscard]] std::string dependency_text(const Jobs& jobs, const Job& job);

}  // namespace copse::plan
