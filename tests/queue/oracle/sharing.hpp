// SPDX-License-Identifier: Apache-2.0
//
// Where a job fits that is planned by numbers, if promises may take nodes of other groups. All is
// computed again from the jobs, time by time.
#pragma once

#include <map>
#include <optional>

#include "queue/oracle/machine.hpp"

namespace copse::queue_oracle {

struct Found {
  Time at = kNever;
  std::optional<Share> own{};    // none: promises are not by numbers
  std::map<Id, Share> others{};  // promises with other groups from now on
  bool shared = false;
};

// The earliest start of a job in [from, before): one at which it fits next to others as they are;
// or the first at which the sets of nodes have enough in all, if all promises and the job find
// nodes, each when it starts.
[[nodiscard]] Found find_start(const Machine& machine, const Job& job, Time from, Time before);

}  // namespace copse::queue_oracle
