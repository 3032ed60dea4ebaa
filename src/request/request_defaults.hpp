// SPDX-License-Identifier: Apache-2.0
//
// RequestDefaults: what a queue gives requests that do not say it: memory for their cores, and whole
// nodes. The host that accepts a job adds it once, before the request is prepared.
//
//   slot=4/core=2          4,000 for each core      slot=4/[core=2;memory=8000]
//   node=2/slot=4/core=2   64,000 for each node     node=2/slot=4/[core=2;memory=16000]
//   node=2/slot=4/core=2   whole nodes              node=2{x}/slot=4/core=2
//
// Rules
//   1. A request that names memory, at any depth, gets none. Nor do slots without cores.
//   2. Memory is in the nodes of a slot that have cores; for other cores of a slot, in the slot.
//      Nodes that are taken whole have their memory anyway.
//   3. Slots below a node share the memory of that node. Slots without a node share that of one node.
//   4. Of a count with several values, the least counts.
//   5. Memory that was added has a place without a line: `default of queue "batch"`. Explanations
//      show it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "copse/request.hpp"

namespace copse {

// Amounts are in the unit of the machine's memory. At most one of them is above 0.
struct RequestDefaults {
  std::int64_t memory_of_core = 0, memory_of_node = 0;
  bool whole_nodes = false;

  [[nodiscard]] bool empty() const {
    return memory_of_core == 0 && memory_of_node == 0 && !whole_nodes;
  }
  bool operator==(const RequestDefaults&) const = default;
};

// The place of what the defaults of a queue added; "": those of all queues.
[[nodiscard]] std::string place_of_defaults(std::string_view queue);
// Whether a place is of something that defaults added, and not of a text.
[[nodiscard]] bool is_of_defaults(const SourceLocation& place);
// That of the memory which was added to the request; "": none was.
[[nodiscard]] std::string_view place_of_default_memory(const Request& request);

// Those of the defaults that change the request. O(vertices of the request), as the following.
[[nodiscard]] RequestDefaults that_apply(const RequestDefaults& defaults, const Request& request);

// Adds them. Errors: invalid (whole nodes for a request with a slot outside of nodes); then the
// request is unchanged.
[[nodiscard]] Result<void> add_defaults(Request& request, const RequestDefaults& defaults,
                                        std::string_view queue);

// Removes memory that was added, so that other defaults can be.
void remove_default_memory(Request& request);

}  // namespace copse
