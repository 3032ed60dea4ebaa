// SPDX-License-Identifier: Apache-2.0
//
// The topologies (hwloc XML) of the ranks of an instance, from their resource modules. They have more
// details than R: sockets, NUMA nodes and caches.
#pragma once

#include <flux/core.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "copse/error.hpp"

namespace copse::flux {

// The time limit for all answers.
inline constexpr double kTopologiesWait_s = 30;
// The limit for the bytes of all texts.
inline constexpr std::size_t kTopologyBytesMax = std::size_t{1} << 30;

// One text for each of the ranks 0 to `ranks` - 1. Waits. Errors: io, limit; the text names the rank and a remedy.
// Cost: a message for each rank, 64 at a time.
[[nodiscard]] Result<std::vector<std::string>> topologies_of(flux_t* h, std::int64_t ranks);

}  // namespace copse::flux
