// SPDX-License-Identifier: Apache-2.0
//
// Explains which capacity of an auxiliary subsystem is too small for a failed request, as a
// sentence or as a finding.
#pragma once

#include <optional>
#include <string>

#include "copse/explain.hpp"
#include "hres/availability/channel_availability.hpp"
#include "hres/channels.hpp"
#include "start_search/start_search.hpp"
#include "state/grants.hpp"

namespace copse {

// "power: /panel0/power0 has 0 W left of 10000 W; at least 2000 W are needed". `empty`: of the empty
// machine.
[[nodiscard]] std::string refusal_text(const ResourceGraph& graph, const Channels& channels,
                                       const ChannelAvailability::Refusal& why, bool empty);

// The capacity that is the reason, if the request would fit without its charges to channels.
// `so_far` has the verdict and the window. Overwrites the result of the search. Cost: two walks.
[[nodiscard]] std::optional<Finding> find_short_capacity(const ResourceGraph& graph,
                                                         const Channels& channels,
                                                         const Grants& grants, StartSearch& search,
                                                         LearnedRequest& request,
                                                         const Explanation& so_far);

}  // namespace copse
