// SPDX-License-Identifier: Apache-2.0
//
// Inventory: the ranks of an instance, as resource.acquire has told of them: all there are, which
// of them are up, and until when.
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

  [[nodiscard]] const RSet& all() const { return all_; }  // without what was shrunk
  [[nodiscard]] std::optional<double> expiration_s() const { return expiration_s_; }
  // The nodes of those of the ranks that there are. O(nodes × depth).
  [[nodiscard]] std::vector<PoolId> nodes_of(const Idset& ranks) const;

  // What is shrunk is gone for good. Errors: as JobQueue::remove(); all else has been done.
  [[nodiscard]] Result<void> update(const ResourceUpdate& update, queue::JobQueue& queue);

  // {"all": R, "down": R, "allocated": R}, as sched.resource-status has them. O(what jobs have).
  [[nodiscard]] std::string status() const;
  [[nodiscard]] std::string summary() const;  // "rank[0-3]/core[0-7]": what is up

 private:
  Engine& engine_;
  RSet all_;
  Idset up_;
  std::optional<double> expiration_s_;
};

}  // namespace copse::flux
