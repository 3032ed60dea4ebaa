// SPDX-License-Identifier: Apache-2.0
//
// The topologies of an instance's ranks, as their resource modules know them (hwloc XML): a machine
// in more detail than R, with sockets, NUMA nodes and caches.
#pragma once

#include <flux/core.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "copse/error.hpp"

namespace copse::flux {

// How long all of them are waited for.
inline constexpr double kTopologiesWait_s = 30;
// The most bytes of all texts together.
inline constexpr std::size_t kTopologyBytesMax = std::size_t{1} << 30;

// One text for each of the ranks 0 to `ranks` - 1. Waits. Errors: io, limit, with the rank and what to do.
// Cost: a message for each rank, 64 at a time.
[[nodiscard]] Result<std::vector<std::string>> topologies_of(flux_t* h, std::int64_t ranks);

}  // namespace copse::flux
