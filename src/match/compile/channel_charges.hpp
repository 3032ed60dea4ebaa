// SPDX-License-Identifier: Apache-2.0
//
// What a request draws along auxiliary subsystems, split off from what it chooses.
//
// A vertex whose type is that of a channel (hres/channels.hpp) is no pool to be chosen but an
// amount, drawn by each pool that is chosen for the vertex above it:
//   node[5] > power[2000]                each of the five nodes draws 2,000
//   slot[2] > (node[1], power[2000])     in a slot that holds one pool: that pool draws it
//   node[1] > slot[4] > (core[2], power[100])
//                                        in a slot that holds several: the pool above the slot,
//                                        once for each slot
// At the top level, and in a slot there that holds nothing else, it stays what it is: a type that
// the dominant subsystem does not have, so that nothing is found.
#pragma once

#include <memory>
#include <vector>

#include "copse/request.hpp"
#include "copse/traverser.hpp"
#include "hres/channels.hpp"

namespace copse {

// The resources with their draws split off; nullptr if there are none. Errors, with the place:
// infeasible, for a draw that is exclusive: nobody has an amount alone. Invalid, for a draw that
// has something below it, or a count that is a range; in a slot whose pools are several, at the top
// level, or where the number of such slots is a range or they are alternatives; of a type that
// several channels have; unsupported (the treepool traverser). Cost: O(request); the first time
// O(pools).
[[nodiscard]] Result<std::shared_ptr<const std::vector<Resource>>> split_channel_charges(
    const std::vector<Resource>& resources, Channels& channels, Traverser traverser);

}  // namespace copse
