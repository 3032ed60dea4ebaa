// SPDX-License-Identifier: Apache-2.0
//
// KeptUsage: what a queue knows of its users in addition to their jobs, to be stored with these: the usage that
// decides fair shares (Priorities), the grants of users outside the queue, which count for their usage
// and their limits, and the priorities of waiting jobs, if these change with time.
//
// Invariant: changes, put over an earlier state one after the other, make the state. A user's usage is
// what was used up to a time; jobs and grants that run then add to it from there on.
// Cost: O(users and grants that changed).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "copse/ids.hpp"
#include "queue/limits/running_limits.hpp"
#include "queue/queue_parts.hpp"

namespace copse::queue {

struct KeptUsage {
  struct OfUser {
    std::string user{};
    Priorities::Used used{};
  };
  // A grant outside the queue, while it lasts.
  struct OfGrant {
    JobId id = 0;
    bool ended = false;  // in a list of changes
    std::string user{};
    double cores = 0;
    RunningSize size{};
  };

  std::vector<OfUser> users{};
  std::optional<Priorities::Used> all{};  // of all users together
  std::vector<OfGrant> grants{};

  // The priorities of waiting jobs, as they were computed last.
  std::vector<std::pair<JobId, std::int64_t>> priorities{};
  // When all were computed together; in a list of changes: then these are all. None: not since then.
  std::optional<std::int64_t> prioritized_s{};
};

// What has changed since the last call.
[[nodiscard]] KeptUsage take_usage_changes(QueueParts& parts);
// Restores what was kept, apart from priorities (Resumption), before jobs are resumed; from then on,
// changes are noted. Grants that the engine does not have are skipped.
void resume_usage(QueueParts& parts, const KeptUsage& kept);

}  // namespace copse::queue
