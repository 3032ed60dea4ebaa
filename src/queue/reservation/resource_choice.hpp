// SPDX-License-Identifier: Apache-2.0
//
// The nodes, and the amounts of layers, of one occurrence of a reservation.
//
//   a constraint   all nodes that match it, in use or not
//   a request      the result of a match at its start: first next to all running and promised jobs;
//                  then next to running jobs; then next to other reservations only. A node of
//                  which it gets a part is reserved as a whole.
#pragma once

#include <functional>

#include "queue/reservation/reserved_nodes.hpp"

namespace copse::queue {

// The reservation that has a node at some time of the new one; nullptr: none has.
using ReservedBy = std::function<const std::string*(PoolId node)>;

// Errors: invalid (no node matches); exists (another reservation has one of the nodes);
// insufficient (the request does not fit at that time); unsupported (a machine without nodes, or a
// request without nodes); those of Engine::prepare.
// Cost: O(nodes × size of the constraint); for a request up to three matches on a clone.
[[nodiscard]] Result<ReservedNodes::Resources> choose_resources(const Engine& engine,
                                                                const ReservationSpec& spec,
                                                                std::int64_t start_s,
                                                                std::int64_t end_s,
                                                                const ReservedBy& reserved_by);

}  // namespace copse::queue
