// SPDX-License-Identifier: Apache-2.0
//
// WaitingQueue: one of the queues over an engine, with its discipline; and the pass over it.
//
// A pass examines the waiting jobs, in order:
//   1. promises that the discipline no longer gives are revoked;
//   2. promised jobs of all queues move to earlier starts, where resources were freed
//      (Compression);
//   3. jobs to which the discipline gives a promise get it, or start;
//   4. the other jobs are backfilled: they start if they break no promise (BackfillOrder). With a
//      depth, that many jobs that continue to wait are examined; jobs that start do not count.
// A pass can be interrupted after any job, so no host waits for its end.
//
// Invariants, between passes
//   1. order_ has all waiting jobs, with or without a promise; promised_ those with a promise.
//   2. A job in order_ and not in promised_ is in the list of its kind.
//   3. new_jobs_ has the jobs that arrived since the last pass began.
//
// Cost: a pass O(new jobs) if no resources were freed; else O(promised + kinds) matches and
// O(waiting) steps.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "copse/discipline.hpp"
#include "queue/pass/backfill_order.hpp"
#include "queue/shared_parts.hpp"
#include "queue/work_budget.hpp"

namespace copse::queue {

// What the queue of a clone copies: everything but the parts that queues share.
struct WaitingQueueState {
  enum class Phase : std::uint8_t { promise, new_jobs, backfill, over };

  std::string name_;
  std::uint16_t number_ = 0;
  Discipline discipline_;
  std::size_t depth_ = 0;

  Waiters order_{}, promised_{}, unplaceable_{};
  std::vector<Waiter> new_jobs_{};
  bool stopped_ = false;
  bool order_changed_ = false;  // a job came, or got a promise, before a promised one

  // The pass under way.
  Phase phase_ = Phase::over;
  std::vector<Waiter> pass_new_jobs_{};  // that arrived before it began
  bool freed_ = false;
  bool complete_ =
      false;  // the last pass was completed: unless resources are freed, only new jobs may start
  bool phase_begun_ = false;  // cursor_ is the position of the last job examined in this phase
  QueuePosition cursor_{};
  std::size_t position_ = 0, promises_ = 0;
  bool any_left_ = false;  // a job left in this round of the backfill
  BackfillOrder backfill_order_{};
};

class WaitingQueue : private WaitingQueueState {
 public:
  WaitingQueue(std::string name, std::uint16_t number, Discipline discipline, std::size_t depth,
               const SharedParts& shared)
      : WaitingQueueState{.name_ = std::move(name),
                          .number_ = number,
                          .discipline_ = std::move(discipline),
                          .depth_ = depth},
        shared_(shared) {}

  // The same queue of a clone.
  WaitingQueue(const WaitingQueue& other, const SharedParts& shared)
      : WaitingQueueState(other), shared_(shared) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t waiting() const { return order_.size(); }
  // The first waiting job that passes examine; nullptr: none. O(jobs that are skipped before it).
  [[nodiscard]] const Waiter* first_examined() const;
  // Whether it blocks all others, as under fcfs (head-of-line blocking).
  [[nodiscard]] bool blocked_by_first() const;
  [[nodiscard]] const Waiters& order() const { return order_; }
  [[nodiscard]] const Waiters& promised() const { return promised_; }  // in that order
  [[nodiscard]] const Discipline& discipline() const { return discipline_; }
  [[nodiscard]] std::size_t depth() const { return depth_; }
  // Whether the job was found to fit at no time, in the present state.
  [[nodiscard]] bool unplaceable(const QueuePosition& position) const {
    return unplaceable_.contains({position, {}, {}});
  }

  // Unplaceable jobs before a position. O(these).
  [[nodiscard]] std::size_t unplaceable_before(const QueuePosition& position) const {
    return unplaceable_.index(unplaceable_.lower_bound({position, {}, {}}));
  }

  void insert(Slot slot);
  // Adds a job with a promise, from a former queue.
  void resume(Slot slot);
  void erase(Slot slot);
  // Moves a waiting job to another position; a promise stays until the next pass examines it.
  void set_position(Slot slot, const QueuePosition& position);
  // Revokes all promises; the next pass makes them again.
  void drop_promises();
  // A promised job started, or lost its promise.
  void promise_ended(Slot slot);
  // Withdraws the promises from this position on, and adds these jobs to `out`.
  void withdraw_from(const QueuePosition& position, std::vector<Slot>& out);
  // Makes a withdrawn promise again, if that is possible. Unless nothing has changed for others, its
  // old time is freed.
  void restore(Slot slot);

  // While it is stopped, none of its jobs starts, or is promised a start.
  void stop(bool stopped);
  [[nodiscard]] bool stopped() const { return stopped_; }
  // Promises stay if the new discipline gives them, too.
  void set_discipline(Discipline discipline, std::size_t depth);
  void abandon_pass() {  // before it is done
    phase_ = Phase::over;
    complete_ = false;
  }
  // Priorities have changed, as `minus_priority` returns them; promises stay where the discipline
  // still gives them. REQUIRES that no pass is under way. O(waiting · log waiting).
  void reorder(const std::function<std::int64_t(const QueuedJob&)>& minus_priority);

  // Revokes promises beyond those that the discipline gives; true if there was one. The first step
  // of a pass, for all queues before the other steps.
  bool revoke_excess();
  // Resources were freed: unplaceable jobs may fit. Before begin().
  void retry_unplaceable();
  // Begins the other steps. `freed`: resources were freed since the last pass.
  void begin(bool freed);
  // Continues the pass; true if it is done. REQUIRES begin().
  bool run(WorkBudget& budget);
  // Whether other jobs may have a right to the promises, since revoke_excess().
  [[nodiscard]] bool order_changed() const { return order_changed_; }
  void check() const;

 private:
  [[nodiscard]] Treatment treat(const Waiter& waiter, std::size_t position,
                                std::size_t promises) const {
    return treatment_of(view_of(shared_, discipline_, waiter.slot, position, promises), name_,
                        shared_.sink);
  }
  bool give_promises(WorkBudget& budget);
  bool start_new_jobs(WorkBudget& budget);
  bool backfill(WorkBudget& budget);
  [[nodiscard]] bool may_fit(Slot slot) const;
  bool try_now(Slot slot);
  bool promise(Slot slot);
  void has_promise(Slot slot);
  void deny(Slot slot, const Error& error);
  void started(Slot slot);

  SharedParts shared_;
};

}  // namespace copse::queue
