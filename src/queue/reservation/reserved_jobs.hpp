// SPDX-License-Identifier: Apache-2.0
//
// ReservedJobs: the jobs that wait for one reservation, and the pass over them.
//
// Invariants
//   1. They are in state waiting, and in no queue.
//   2. A kind in failed_ did not fit since resources inside were freed, for that duration or
//      longer; if it charges layers, since this pass began.
//   3. prepared_ has requests restricted to the nodes of the first occurrence that has not ended.
//
// Cost: per job examined, a match and ReservedNodes::admit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "queue/reservation/reserved_nodes.hpp"
#include "queue/waiting_queue.hpp"

namespace copse::queue {

class ReservedJobs {
 public:
  [[nodiscard]] const std::set<Waiter>& waiting() const { return waiting_; }
  void insert(const Waiter& waiter);
  void erase(const Waiter& waiter) { waiting_.erase(waiter); }
  void clear() { waiting_.clear(); }

  // Resources inside were freed: jobs that did not fit may fit now.
  void recheck();
  // The nodes, or the engine, have changed.
  void forget_prepared() { prepared_.clear(); }
  // No job of this kind is left.
  void forget_kind(std::uint32_t kind);

  // Whether the nodes of the first occurrence could serve a job of this kind if they were free.
  [[nodiscard]] bool could_fit(const SharedParts& shared, const ReservedNodes& nodes,
                               std::uint32_t kind);

  // --- A pass
  void begin();
  // Continues the pass in the active occurrence; true if it is done. `next_id`: see
  // ReservedNodes::book.
  bool run(const SharedParts& shared, const ReservationSpec& spec, ReservedNodes& nodes,
           JobId& next_id, WorkBudget& budget);

 private:
  [[nodiscard]] PreparedRequest* prepared(const SharedParts& shared, const ReservedNodes& nodes,
                                          std::uint32_t kind);
  void start(const SharedParts& shared, ReservedNodes& nodes, JobId& next_id, Slot slot);

  std::set<Waiter> waiting_;
  std::map<std::uint32_t, std::int64_t> failed_;  // shortest duration that failed, by kind
  std::vector<std::uint32_t> drawing_;            // kinds that failed and charge layers
  std::map<std::uint32_t, std::optional<PreparedRequest>>
      prepared_;                // none: such a request cannot be prepared
  bool needs_recheck_ = false;  // the next pass examines them
  bool passing_ = false;        // this pass examines them
  std::optional<QueuePosition> cursor_;
};

}  // namespace copse::queue
