// SPDX-License-Identifier: Apache-2.0
//
// Reads an R of Fluxion's C API: Rv1 with or without a graph, or only a graph in JGF.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"

namespace copse::reapi {

struct Booking {
  std::vector<PoolId> pools{};
  bool has_root = true;  // it can be written as a match
  std::int64_t start_s = 0;
  std::int64_t duration_s = 0;  // 0: unlimited
};

// The pools and times of an R. `bare_shorthand`: JGF without an R is shorthand. Errors: invalid (the text
// is neither form, or its writer is unknown); not_found (a pool that the machine does not have).
[[nodiscard]] Result<Booking> read_booking(const ResourceGraph& graph, std::string_view r,
                                           bool bare_shorthand);

// The pools to free: those in the graph of R; without a graph, all pools of its ranks. Errors: as
// read_booking().
[[nodiscard]] Result<std::vector<PoolId>> read_freed(const ResourceGraph& graph,
                                                     std::string_view r);

}  // namespace copse::reapi
