// SPDX-License-Identifier: Apache-2.0
//
// ReservedJobs: the jobs that wait for one reservation, and the pass over them.
//
// Invariants
//   1. Those that wait are in state waiting, and enqueue in no line.
//   2. A kind in failed_ did not fit since something inside was freed, for that long or longer; if it
//      draws from layers, since this pass began.
//   3. prepared_ has requests for the nodes of the first time that is not over alone.
//
// Cost: a job that is looked at: a match, and what ReservedNodes::admit costs.
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

  // Something inside was freed: who did not fit may fit now.
  void recheck();
  // The nodes are others, or the engine is.
  void forget_prepared() { prepared_.clear(); }
  // No job has this kind any more.
  void forget_kind(std::uint32_t kind);

  // Whether nodes of the first time could serve a job of this kind, if they had nothing else to do.
  [[nodiscard]] bool could_fit(const SharedParts& shared, const ReservedNodes& nodes,
                               std::uint32_t kind);

  // --- A pass
  [[nodiscard]] bool needs_recheck() const {
    return needs_recheck_;
  }  // there is somebody to look at
  void begin();
  // Goes on with it, in what lasts now; true if it is over. `next_id`: see ReservedNodes::book.
  bool run(const SharedParts& shared, const ReservationSpec& spec, ReservedNodes& nodes,
           JobId& next_id, WorkBudget& budget);

 private:
  [[nodiscard]] PreparedRequest* prepared(const SharedParts& shared, const ReservedNodes& nodes,
                                          std::uint32_t kind);
  void start(const SharedParts& shared, ReservedNodes& nodes, JobId& next_id, Slot slot);

  std::set<Waiter> waiting_;
  std::map<std::uint32_t, std::int64_t> failed_;                      // by kind
  std::vector<std::uint32_t> drawing_;                                // that failed, and draw
  std::map<std::uint32_t, std::optional<PreparedRequest>> prepared_;  // none: there is none
  bool needs_recheck_ = false;                                        // the next pass looks at them
  bool passing_ = false;                                              // this one does
  std::optional<QueuePosition> cursor_;
};

}  // namespace copse::queue
