// SPDX-License-Identifier: Apache-2.0
//
// Inventory: the ranks of an instance as reported by resource.acquire, those that are up, and the
// expiration of the instance.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/idset.hpp"
#include "copse/engine.hpp"
#include "flux/messages.hpp"
#include "queue/job_queue.hpp"
#include "rset/rset.hpp"

namespace copse::flux {

class Inventory {
 public:
  // Nodes whose ranks are not `up` are set down. REQUIRES that the engine has all ranks.
  Inventory(Engine& engine, RSet all, Idset up);

  [[nodiscard]] const RSet& all() const { return all_; }  // without ranks that were removed
  [[nodiscard]] std::optional<double> expiration_s() const { return expiration_s_; }
  // The nodes of the ranks that exist. O(nodes × depth).
  [[nodiscard]] std::vector<PoolId> nodes_of(const Idset& ranks) const;

  // Shrunk ranks are removed permanently. Errors: as JobQueue::remove(); the other changes are made.
  [[nodiscard]] Result<void> update(const ResourceUpdate& update, queue::JobQueue& queue);

  // {"all": R, "down": R, "allocated": R}, for sched.resource-status. O(pools of jobs).
  [[nodiscard]] std::string status() const;
  [[nodiscard]] std::string summary() const;  // "rank[0-3]/core[0-7]": the ranks that are up

 private:
  Engine& engine_;
  RSet all_;
  Idset up_;
  std::optional<double> expiration_s_;
};

}  // namespace copse::flux
