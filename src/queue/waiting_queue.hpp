// SPDX-License-Identifier: Apache-2.0
//
// WaitingQueue: one of the queues over an engine, with its discipline; and the pass over it.
//
// A pass looks at the jobs that wait, in order:
//   1. promises that the discipline no longer gives are taken back;
//   2. promised jobs of all lines move to earlier starts, where something was freed (Compression);
//   3. those that the discipline promises something get it, or start;
//   4. the others start if they fit beside all promises (BackfillOrder). With a depth, so many of those
//      that go on waiting are looked at; who starts counts no more.
// It can be left after any job and gone on with later, so that no host waits for its end.
//
// Invariants, between passes
//   1. order_ has all jobs that wait (promised ones, too); promised_ those with a promise.
//   2. A job in order_ and not in promised_ stands in the list of its kind.
//   3. new_jobs_ has those that came since the last pass promise_ended.
//
// Cost: a pass in which nothing was freed O(fresh jobs); else O(promised + kinds) matches and
// O(waiting) steps.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "copse/discipline.hpp"
#include "queue/pass/backfill_order.hpp"
#include "queue/pass/treatment.hpp"
#include "queue/shared_parts.hpp"
#include "queue/work_budget.hpp"

namespace copse::queue {

class WaitingQueue {
 public:
  WaitingQueue(std::string name, std::uint16_t number, Discipline discipline, std::size_t depth,
               const SharedParts& shared)
      : name_(std::move(name)),
        number_(number),
        discipline_(std::move(discipline)),
        depth_(depth),
        shared_(shared) {}

  // The same line of another queue.
  WaitingQueue(const WaitingQueue& other, const SharedParts& shared);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t waiting() const { return order_.size(); }
  // Whether the first that waits stops all others, as fcfs has it.
  [[nodiscard]] bool blocked_by_first() const;
  [[nodiscard]] const std::set<Waiter>& order() const { return order_; }
  [[nodiscard]] const std::set<Waiter>& promised() const { return promised_; }  // in that order
  [[nodiscard]] const Discipline& discipline() const { return discipline_; }
  [[nodiscard]] std::size_t depth() const { return depth_; }
  // Whether it was found to fit at no time, as things are.
  [[nodiscard]] bool unplaceable(const QueuePosition& position) const {
    return unplaceable_.contains({position, {}, {}});
  }

  // Of those before a place. O(these).
  [[nodiscard]] std::size_t unplaceable_before(const QueuePosition& position) const;

  void insert(Slot slot);
  // A job that has a promise, from a queue that is no more.
  void resume(Slot slot);
  void erase(Slot slot);
  // Another place for a job that waits; a promise stays until the next pass looks at it.
  void set_position(Slot slot, const QueuePosition& position);
  // What was promised to all is taken back; the next pass promises anew.
  void drop_promises();
  // A promised job started, or lost what it was promised.
  void promise_ended(Slot slot);
  // What was promised to a job is taken back. REQUIRES state promised.
  void drop_promise(Slot slot);

  // Nobody in it starts, or is promised anything, until it goes on.
  void stop(bool stopped);
  [[nodiscard]] bool stopped() const { return stopped_; }
  // Promises stay where this one gives them, too.
  void set_discipline(Discipline discipline, std::size_t depth);
  void abandon_pass();  // before it is over
  // Jobs have other priorities, as `minus_priority` says; promises stay where the discipline still gives
  // them. REQUIRES that no pass goes on. O(waiting · log waiting).
  void reorder(const std::function<std::int64_t(const QueuedJob&)>& minus_priority);

  // The first step of a pass, for all lines before the others: true if a promise was taken back.
  bool revoke_excess();
  // Something was freed: jobs that fitted at no time may do so now. Before begin().
  void retry_unplaceable();
  // The others begin. `freed`: something was given back since the last pass.
  void begin(bool freed);
  // Goes on with it: true if it is over. REQUIRES that it promise_ended.
  bool run(WorkBudget& budget);
  // Whether promises may be others' since revoke_excess().
  [[nodiscard]] bool order_changed() const { return order_changed_; }
  void check() const;

 private:
  enum class Phase : std::uint8_t { promise, new_jobs, backfill, over };

  void reorder(std::set<Waiter>& waiters) const;
  [[nodiscard]] JobView view_of(const Waiter& waiter, std::size_t position,
                                std::size_t promises) const;
  [[nodiscard]] Treatment treat(const Waiter& waiter, std::size_t position,
                                std::size_t promises) const {
    return treatment_of(view_of(waiter, position, promises), name_, shared_.sink);
  }
  bool give_promises(WorkBudget& budget);
  bool start_new_jobs(WorkBudget& budget);
  bool backfill(WorkBudget& budget);
  [[nodiscard]] bool may_fit(Slot slot) const;
  bool try_now(Slot slot);
  bool promise(Slot slot);
  void deny(Slot slot, const Error& error);
  void started(Slot slot);

  const std::string name_;
  const std::uint16_t number_;
  Discipline discipline_;
  std::size_t depth_;
  SharedParts shared_;

  std::set<Waiter> order_, promised_, unplaceable_;
  std::vector<Waiter> new_jobs_;
  bool stopped_ = false;
  bool order_changed_ = false;  // somebody came, or has a promise, before a promised job

  // The pass
  Phase phase_ = Phase::over;
  std::vector<Waiter> pass_new_jobs_;  // that came before it promise_ended
  bool freed_ = false;
  bool complete_ = false;  // the last pass came to its end: without anything freed, only fresh ones
  bool phase_begun_ = false;  // cursor_ is the position of the last job looked at in this phase
  QueuePosition cursor_{};
  std::size_t position_ = 0, promises_ = 0;
  bool any_left_ = false;  // somebody did, in this round of the filling
  BackfillOrder backfill_order_;
};

}  // namespace copse::queue
