// SPDX-License-Identifier: Apache-2.0
//
// DirectGrants: grants beside a queue, of whom it knows no job. See JobQueue for each event and its
// errors.
//
// While there is one, promises are held by the engine, as reservations: so no match for others can
// take what was promised. Cost of the first, where promises were counted: a match for each promise.
#pragma once

#include <cstdint>
#include <span>

#include "queue/queue_parts.hpp"

namespace copse::queue {

class DirectGrants {
 public:
  explicit DirectGrants(QueueParts& parts) : p_(parts) {}
  [[nodiscard]] MatchResult grant(Operation operation, PreparedRequest& request, JobId id);
  [[nodiscard]] Result<void> free(JobId id);
  [[nodiscard]] Result<bool> free(JobId id, std::span<const PoolId> pools);
  // Those that end by then are over.
  void end_until(std::int64_t now_s);

 private:
  [[nodiscard]] Result<const Grant*> known(JobId id) const;
  void left(JobId id, std::int64_t end_s);

  QueueParts& p_;
};

}  // namespace copse::queue
