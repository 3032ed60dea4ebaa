// SPDX-License-Identifier: Apache-2.0
//
// Separates the channel resources of a request (amounts along auxiliary subsystems) from the pools
// that it chooses.
//
// A vertex whose type is a channel (hres/channels.hpp) is not a pool but an amount. Each pool that
// is chosen for the vertex above takes it:
//   node[5] > power[2000]                each of the five nodes takes 2,000
//   slot[2] > (node[1], power[2000])     in a slot with one pool: that pool takes it
//   node[1] > slot[4] > (core[2], power[100])
//                                        in a slot with several: the pool above the slot,
//                                        once for each slot
// At the top level, and in a slot there without other pools, it remains a resource type. The
// dominant subsystem does not have it, so the request finds nothing.
#pragma once

#include <memory>
#include <vector>

#include "copse/request.hpp"
#include "copse/traverser.hpp"
#include "hres/channels.hpp"

namespace copse {

// The resources with channel resources separated; nullptr if there are none. Errors, with the
// location: infeasible (an exclusive channel resource); invalid (a channel resource with children,
// or with a range as count; in a slot with several pools at the top level, or whose number is a
// range, or that is an alternative; of a type that several channels have); unsupported (the
// treepool traverser). Cost: O(request); the first time O(pools).
[[nodiscard]] Result<std::shared_ptr<const std::vector<Resource>>> split_channel_charges(
    const std::vector<Resource>& resources, Channels& channels, Traverser traverser);

}  // namespace copse
