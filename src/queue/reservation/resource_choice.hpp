// SPDX-License-Identifier: Apache-2.0
//
// Which nodes, and which amounts of layers, a reservation gets for one of its times.
//
//   a constraint   all nodes for which it holds, whoever runs there
//   a request      what a match gives it at its start: first beside all that runs and is promised;
//                  else beside what runs; else beside other reservations alone. Of each node that
//                  it is given something of it gets the whole.
#pragma once

#include <functional>

#include "queue/reservation/reserved_nodes.hpp"

namespace copse::queue {

// The reservation that has a node at some time of the one that is to be booked; nullptr: none has.
using ReservedBy = std::function<const std::string*(PoolId node)>;

// Errors: invalid (no node is like that); exists (another reservation has one of the nodes);
// insufficient (the request does not fit at that time); unsupported (a machine without nodes, or a
// request for no node); those of Engine::prepare.
// Cost: O(nodes × size of the constraint); of a request up to three matches on a clone.
[[nodiscard]] Result<ReservedNodes::Resources> choose_resources(const Engine& engine,
                                                                const ReservationSpec& spec,
                                                                std::int64_t start_s,
                                                                std::int64_t end_s,
                                                                const ReservedBy& reserved_by);

}  // namespace copse::queue
