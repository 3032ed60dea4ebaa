// SPDX-License-Identifier: Apache-2.0
//
// The words in which a jobspec is refused. Both accept the same texts, with these exceptions. Where
// other keys are skipped, Copse's own words refuse a key that is similar to a known one, such as
// "duraton". They refuse a task without a count, of an unknown slot, per a resource that its slot does
// not have, with an empty command or a number in it or as its distribution, and a property without a
// name. They read all counts that are text.
#pragma once

#include <cstdint>
#include <string_view>

#include "copse/request.hpp"
#include "text/tree/tree.hpp"

namespace copse {

enum class JobspecWords : std::uint8_t {
  fluxion,  // sentences that people and scripts know from Fluxion
  own,      // they name the fault, and the nearest known word
};

[[nodiscard]] constexpr TreeLimits tree_limits(const JobspecLimits& limits) {
  return {limits.text_bytes_max, limits.depth_max, limits.events_max};
}

// As parse_jobspec() and read_jobspec().
[[nodiscard]] Result<Request> parse_jobspec(std::string_view text, std::string_view file,
                                            JobspecWords words, const JobspecLimits& limits = {});
[[nodiscard]] Result<Request> read_jobspec(TreeView top, JobspecWords words,
                                           const JobspecLimits& limits = {});

}  // namespace copse
