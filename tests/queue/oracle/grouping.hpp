// SPDX-License-Identifier: Apache-2.0
//
// The groups of the nodes of the oracle's machine, as its jobs, reservations and grants outside the queue
// are now.
#pragma once

#include "queue/oracle/machine.hpp"

namespace copse::queue_oracle {

[[nodiscard]] Groups groups_of(const Machine& machine);

}  // namespace copse::queue_oracle
