// SPDX-License-Identifier: Apache-2.0
//
// Promises: the ends of running jobs, and promised starts. Of all parts of the queue, only this one
// allocates and reserves pools in the engine.
//
// A promise is about a time, not about nodes. It has one of two forms, the same for all jobs:
//   counted  by NodeCounts, while all jobs of the queue request whole nodes, no matter which of a
//            set (CountedRequest): a job gets its nodes when it starts. A move takes logarithmic
//            time, whatever the size of the job.
//   pinned   by reservations of the engine, which bind it to particular pools, in all other cases.
// A change of the form keeps every promised start: in the order of their starts, each finds free
// nodes (choose_nodes).
//
// A counted promise keeps no group of nodes: where one more job could start if others took
// other groups, they do (PromiseSharing).
//
// A counted job that starts gets as many nodes of each group as NodeCounts::use() says, so that
// promises of others keep theirs. If that is one group, the policy chooses among its nodes; of
// several it gets the lowest ones.
//
// Invariants
//   1. due() has exactly the jobs in state promised, by start.
//   2. counted: the engine has grants of running jobs and of reservations only. pinned: each job in
//      due() has a reservation for start_s.
//   3. A job in state running has a grant, unless its nodes were removed from the machine.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "queue/counts/counted_jobs.hpp"
#include "queue/counts/promise_form.hpp"
#include "queue/counts/promise_sharing.hpp"
#include "queue/job_kind_table.hpp"
#include "queue/job_table.hpp"
#include "queue/limits/running_limits.hpp"
#include "queue/priorities.hpp"
#include "queue/running_ends.hpp"

namespace copse::queue {

class Promises {
 public:
  enum class Outcome : std::uint8_t {
    started,   // it runs
    promised,  // start_s is promised
    waits,     // not possible now; where a promise was requested, at no time in the present state
    refused,   // such a request can never be served
  };
  struct StartResult {
    Outcome outcome = Outcome::waits;
    NoMatch error{};         // unless started or promised
    bool longer_too = true;  // it waits: so do longer jobs of its kind, until something is freed
  };
  using Due = DuePromise;

  // The engine may have grants: promises are not counted until they end or are resumed.
  Promises(Engine& engine, JobTable& jobs, JobKindTable& kinds, const Priorities& users,
           RunningLimits limits);

  // The same for a clone of the other's engine.
  Promises(const Promises& other, Engine& clone, JobTable& jobs, JobKindTable& kinds,
           const Priorities& users);

  // Why the waiting job may neither start nor get a promise, next to those that do; "": it may.
  [[nodiscard]] std::string limit_reached(Slot slot) const;
  [[nodiscard]] bool is_limited(Slot slot) const {
    return limits_.any() && !limit_reached(slot).empty();
  }
  [[nodiscard]] const RunningLimits& limits() const { return limits_; }
  // To count grants outside the queue.
  [[nodiscard]] RunningLimits& mutable_limits() { return limits_; }

  // As CountedJobs::layers_serve; true while promises are pinned.
  [[nodiscard]] bool layers_serve(Slot slot, std::int64_t end_s,
                                  std::span<const PoolId> nodes) const {
    return !counting() || counted_.layers_serve(jobs_[slot], end_s, nodes);
  }
  // Starts the job now, if that breaks no promise.
  [[nodiscard]] StartResult start(Slot slot);
  // The same, or promises the earliest start.
  [[nodiscard]] StartResult promise(Slot slot);
  // Moves the promise to the earliest start, if that is earlier. REQUIRES counting(), state
  // promised.
  bool move_earlier(Slot slot);
  // Moves the promise to a start in [from, before), if there is one. REQUIRES !counting(), state
  // promised.
  bool move_earlier(Slot slot, std::int64_t from_s, std::int64_t before_s);
  // Changes the position of a promised job.
  void reorder(Slot slot, const QueuePosition& position);
  // Revokes the promise. REQUIRES state promised.
  void drop(Slot slot);
  // The job has ended: its remaining resources are freed. REQUIRES state running.
  void end(Slot slot);
  // The same for some of its pools; true if none is left. Errors: as Engine::cancel_part.
  [[nodiscard]] Result<bool> end_part(Slot slot, const PoolChoice& pools);
  // Changes its end. Errors: as Engine::set_end; insufficient if promises, or grants of others,
  // conflict. REQUIRES state running.
  [[nodiscard]] Result<void> set_end(Slot slot, std::int64_t end_s);
  // The job runs with a grant that the engine already has. REQUIRES state waiting; that the form
  // fits its kind; counted: that its nodes are those that its kind requests.
  void start_granted(Slot slot) { (void)begun(slot, *engine_.grant(jobs_[slot].id)); }
  // Withdraws the promise, to make room for others that are before the job: restore() follows.
  // REQUIRES state promised.
  void withdraw(Slot slot);
  // Makes a withdrawn promise again, if a start is possible: the same one, else the earliest, which
  // may be now: it is due then. Returns true if others have what they had before, because it has
  // the same start, and the same numbers are counted. REQUIRES state waiting.
  bool restore(Slot slot);
  // Restores the state in a former queue. REQUIRES state waiting and, for a running job, that
  // promises are not counted yet. Without a grant it runs until `end_s`.
  void resume_running(Slot slot, std::int64_t start_s, std::int64_t end_s);
  // False: no resources are free at its start or before, and it waits.
  bool resume_promised(Slot slot, std::int64_t start_s);
  // The ends of running jobs.
  [[nodiscard]] RunningEnds& ends() { return ends_; }
  [[nodiscard]] bool any_due() const {
    return !due_.empty() && std::get<0>(due_.front()) <= engine_.now();
  }
  // Starts the first job that is due; kNoSlot if none is. Its state is running then, or waiting if
  // its resources are no longer available.
  [[nodiscard]] Slot start_due();

  // Counts promises if all jobs allow it, else pins them. Either keeps all promises. Some may be
  // due afterwards. True: particular nodes, or groups of nodes, prevent other starts than before.
  bool choose_form();
  // Pins promises until the next pass: nodes are about to be reserved, or granted outside the queue. Some
  // may be due afterwards.
  void pin_for_others() {
    if (counting()) form().begin_pinning();
  }
  // Nodes that are reserved; nullopt: not all occurrences are booked, or amounts of layers are, so
  // promises have to be pinned. Some may be due afterwards.
  void set_reserved(std::optional<std::vector<ReservedTime>> times);
  // A grant outside the queue was made, or has other pools; was released before its end; has ended.
  void outside_granted(JobId job) { counted_.outside_changed(job); }
  void outside_released(JobId job) { counted_.outside_ended(job, true); }
  void outside_ended(JobId job) { counted_.outside_ended(job, false); }
  // Whether a grant outside the queue that would get this now breaks no promise; false also: only the
  // engine can tell, if it knows promises. REQUIRES counting().
  [[nodiscard]] bool outside_fits(const Match& match) { return counted_.outside_fits(match); }
  // A job was added to the table, or removed from it.
  void joined(Slot slot) { counted_.joined(slot); }
  void left(Slot slot) { counted_.left(slot); }
  // Properties or layers have changed. REQUIRES that no job has a promise.
  void count_again();
  // Nodes failed or returned. REQUIRES that no job has a promise.
  void recount();
  // Nodes were added or removed, and kinds compiled again. REQUIRES that no job has a promise, and
  // forget_counts() before.
  void machine_changed();
  // Pools may have other numbers. REQUIRES that no job has a promise.
  void forget_counts();

  [[nodiscard]] const DuePromises& due() const { return due_; }
  [[nodiscard]] std::size_t running() const { return running_; }
  // Counts starts and ends of running jobs, and changes of their ends.
  [[nodiscard]] std::uint64_t running_changes() const { return running_changes_; }
  // Jobs whose promise changed since clear_changed(): each may be listed several times, or have
  // left.
  [[nodiscard]] const std::vector<Slot>& changed() const { return changed_; }
  void clear_changed() { changed_.clear(); }
  void begin_pass() { sharing_.begin_pass(); }
  void check() const;  // asserts the invariants; O(jobs)
  [[nodiscard]] bool counting() const { return counted_.is_active(); }
  // Whether pools may be reserved for later: what fits now may not fit for long.
  [[nodiscard]] bool pins_later() const {
    return !counting() && (counted_.any_reserved() || !due_.empty() || counted_.outside().any());
  }
  // Whether counts, if there are any, know all jobs; else choose_form() comes before decisions.
  [[nodiscard]] bool form_holds() const {
    return !counting() || (counted_.possible() && !counted_.groups_changed());
  }
  // Counts of what a machine with no jobs has, if only jobs of the queue prevent counting.
  [[nodiscard]] std::optional<NodeCounts> counts_without_jobs() const {
    return counted_.counts_without_jobs();
  }
  [[nodiscard]] const OutsideGrants& outside() const { return counted_.outside(); }
  // The following REQUIRE counting().
  [[nodiscard]] const NodeCounts& counts() const { return counted_.counts(); }
  [[nodiscard]] std::vector<NodeCounts::Start> outside_use() const {
    return counted_.outside_use();
  }
  // nullptr: the groups of nodes do not know it yet.
  [[nodiscard]] const NodeCounts::Need* find_need(std::uint32_t kind) const {
    return counted_.find_need(kind);
  }

 private:
  [[nodiscard]] std::int64_t duration_of(const QueuedJob& job) const;
  [[nodiscard]] PreparedRequest& prepared(const QueuedJob& job);
  [[nodiscard]] MatchResult ask(Operation operation, const QueuedJob& job);
  // Next to other promises, which may take other groups for it (NodeSharing).
  [[nodiscard]] std::optional<NodeCounts::Start> earliest(Slot slot, std::int64_t from_s,
                                                          std::int64_t before_s);
  [[nodiscard]] NodeCounts::ShareOut sharing(Slot slot);
  [[nodiscard]] StartResult begun(Slot slot, const Grant& grant);
  bool promise_counted(Slot slot, std::int64_t start_s, bool or_later);
  void note(Slot slot, std::int64_t start_s, std::int64_t end_s);
  void note_moved(Slot slot, std::int64_t old_s);
  [[nodiscard]] PromiseForm form() {
    return {engine_,  jobs_,
            counted_, due_,
            changed_, [this](const QueuedJob& job) -> PreparedRequest& { return prepared(job); }};
  }
  void runs(Slot slot);
  void waits(QueuedJob& job);
  void count_limits(const QueuedJob& job, bool more);

  Engine& engine_;
  JobTable& jobs_;
  JobKindTable& kinds_;
  const Priorities& users_;
  RunningLimits limits_;  // with the jobs that run or have a promise
  DuePromises due_;
  CountedJobs counted_;  // active: promises are counted
  std::vector<Slot> changed_;
  RunningEnds ends_;
  std::size_t running_ = 0;
  std::uint64_t running_changes_ = 0;
  PromiseSharing sharing_;
};

}  // namespace copse::queue
