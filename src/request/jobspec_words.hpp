// SPDX-License-Identifier: Apache-2.0
//
// In which words a jobspec is refused. What is accepted is the same, but for this. Where other keys are
// passed over, our own words refuse one that is nearly one that is read, such as "duraton". They refuse
// a version that no RFC has, a task of a slot that is not there, and a property without a name.
#pragma once

#include <cstdint>
#include <string_view>

#include "copse/request.hpp"
#include "text/tree/tree.hpp"

namespace copse {

enum class JobspecWords : std::uint8_t {
  fluxion,  // sentences that people and scripts know from Fluxion
  own,      // they name what is wrong, and the nearest thing that there is
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
