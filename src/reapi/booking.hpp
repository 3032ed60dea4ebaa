// SPDX-License-Identifier: Apache-2.0
//
// What an R of Fluxion's C API says: Rv1 with or without a graph, or a graph in JGF alone.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"

namespace copse::reapi {

struct Booking {
  std::vector<PoolId> pools{};
  bool shown = true;  // it can be shown as a match: it has the root
  std::int64_t start_s = 0;
  std::int64_t duration_s = 0;  // 0: no end
};

// What R takes. `bare_shorthand`: JGF alone is shorthand. Errors: invalid (neither, or a writer
// that is not known); not_found (what the machine does not have).
[[nodiscard]] Result<Booking> read_booking(const ResourceGraph& graph, std::string_view r,
                                           bool bare_shorthand);

// What R gives back: the pools that its graph names; without a graph all on its ranks. Errors: as
// read_booking().
[[nodiscard]] Result<std::vector<PoolId>> read_given_back(const ResourceGraph& graph,
                                                          std::string_view r);

}  // namespace copse::reapi
