// SPDX-License-Identifier: Apache-2.0
//
// Promises: who runs until when, and who was promised which start. The one place of the queue that
// asks the engine for pools.
//
// A promise is of a time, not of nodes. Two forms, one at a time for all jobs:
//   counted  by NodeCounts, while all jobs of the queue ask for whole nodes, any of them: a job
//            gets its nodes when it starts. A move costs a logarithm, whatever the job's size.
//   held     by reservations of the engine, for all else.
// The change from one to the other keeps every promised start: in the order of their starts, each
// finds free nodes, see NodeCounts.
//
// Invariants
//   1. due() has exactly the jobs in state promised, by start.
//   2. counted: the engine has grants of running jobs only. held: each job in due() has a
//      reservation for start_s.
//   3. A job in state running has a grant, unless its nodes were taken from the machine.
//   4. ends_ has the end of each job that runs, unless that is the horizon.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "queue/job_kind_table.hpp"
#include "queue/job_table.hpp"
#include "queue/node_counts.hpp"

namespace copse::queue {

class Promises {
 public:
  enum class Outcome : std::uint8_t {
    started,   // it runs
    promised,  // start_s is promised
    waits,     // nothing now; or, where a promise was asked for, at no time as things are
    refused,   // it can never be asked for like this
  };
  struct StartResult {
    Outcome outcome = Outcome::waits;
    NoMatch error{};  // unless started or promised
  };
  using Due = std::tuple<std::int64_t, QueuePosition, Slot>;

  // The engine may have grants: then nothing is counted until they are over, or resumed.
  Promises(Engine& engine, JobTable& jobs, JobKindTable& kinds);

  // The same for a clone of the other's engine.
  Promises(const Promises& other, Engine& clone, JobTable& jobs, JobKindTable& kinds);

  // Starts the job now, if that breaks no promise.
  [[nodiscard]] StartResult start(Slot slot);
  // The same, or promises its earliest start.
  [[nodiscard]] StartResult promise(Slot slot);
  // Promises the earliest start, if that is earlier. REQUIRES counting(), state promised.
  bool move_earlier(Slot slot);
  // Promises an earlier start of [from, before), if there is one. REQUIRES !counting(), state
  // promised.
  bool move_earlier(Slot slot, std::int64_t from_s, std::int64_t before_s);
  // A job that has a promise has another place.
  void reorder(Slot slot, const QueuePosition& position);
  // The promise is taken back. REQUIRES state promised.
  void drop(Slot slot);
  // The job is over: what it has left is given back. REQUIRES state running.
  void end(Slot slot);
  // The same for some of what it has; true if nothing is left. Errors: as Engine::cancel_part.
  [[nodiscard]] Result<bool> end_part(Slot slot, std::span<const PoolId> pools);
  // It runs until then. Errors: as Engine::set_end; insufficient where promises, or others' grants,
  // are in the way. REQUIRES state running.
  [[nodiscard]] Result<void> set_end(Slot slot, std::int64_t end_s);
  // It runs with a grant that it got by other means. REQUIRES state waiting; that the form fits its
  // kind; counted: that it has nodes as its kind asks for.
  void start_granted(Slot slot) { (void)begun(slot, *engine_.grant(jobs_[slot].id)); }
  // As it was in a queue that is no more. REQUIRES state waiting, and of a job that runs that nothing
  // is counted yet. Without a grant it runs until `end_s`.
  void resume_running(Slot slot, std::int64_t start_s, std::int64_t end_s);
  // False: nothing is left at its start or before, and it waits.
  bool resume_promised(Slot slot, std::int64_t start_s);
  // The next that runs though its time is over at `now_s`; kNoSlot: there is none.
  [[nodiscard]] Slot overdue(std::int64_t now_s);
  [[nodiscard]] bool any_due() const {
    return !due_.empty() && std::get<0>(*due_.begin()) <= engine_.now();
  }
  // Starts the first that is due, if any is; kNoSlot if none. Its state is running then; or
  // waiting, if what it was promised is gone.
  [[nodiscard]] Slot start_due();

  // Counts, if all jobs allow it; holds, if not. Each keeps all promises.
  // Then some may be due.
  void choose_form();
  // Holds at once, and as long as `reserved`: particular nodes are somebody's later. Then some may
  // be due.
  void pin_for_reservations(bool reserved);
  // Somebody who is not in the queue has a grant, or has it no more.
  void outside_granted(JobId job) { outside_grants_.insert(job); }
  void outside_released(JobId job) { outside_grants_.erase(job); }
  // Holds, as long as there are such grants. Then some may be due.
  void pin_for_outside_grants() {
    if (counts_) begin_pinning();
  }
  // A job was added to the table, or taken from it.
  void joined(Slot slot) { uncounted_ += kinds_[jobs_[slot].kind].nodes == 0 ? 1 : 0; }
  void left(Slot slot) { uncounted_ -= kinds_[jobs_[slot].kind].nodes == 0 ? 1 : 0; }
  // Nodes went up or down. REQUIRES that nobody has a promise.
  void recount();
  // Nodes came or went, and kinds were prepared again. REQUIRES that nobody has a promise.
  void machine_changed();

  [[nodiscard]] const std::set<Due>& due() const { return due_; }
  [[nodiscard]] std::size_t running() const { return running_; }
  // Whose promise changed since clear_changed(): each may be there more than once, or have left.
  [[nodiscard]] const std::vector<Slot>& changed() const { return changed_; }
  void clear_changed() { changed_.clear(); }
  [[nodiscard]] bool counting() const { return counts_.has_value(); }
  // Whether pools may be somebody's from a later time on: what fits now may not fit for long.
  [[nodiscard]] bool pins_later() const {
    return !counts_ && (reserved_ || !due_.empty() || !outside_grants_.empty());
  }
  // Whether only jobs of the queue keep promises from being counted.
  [[nodiscard]] bool counts_without_them() const {
    return !reserved_ && outside_grants_.empty() && kinds_.nodes_alike();
  }
  [[nodiscard]] const NodeCounts& counts() const { return *counts_; }  // REQUIRES counting()

 private:
  [[nodiscard]] std::int64_t duration_of(const QueuedJob& job) const;
  [[nodiscard]] PreparedRequest& prepared(const QueuedJob& job);
  [[nodiscard]] MatchResult ask(Operation operation, const QueuedJob& job);
  [[nodiscard]] StartResult begun(Slot slot, const Grant& grant);
  void note(Slot slot, std::int64_t start_s, std::int64_t end_s);
  void note_moved(Slot slot, std::int64_t old_s);
  void count(QueuedJob& job, std::int64_t nodes);
  void begin_counting();
  void begin_pinning();
  void runs(Slot slot);
  void note_end(Slot slot);

  Engine& engine_;
  JobTable& jobs_;
  JobKindTable& kinds_;
  std::set<Due> due_;
  std::optional<NodeCounts> counts_;  // counted
  bool reserved_ = false;
  std::size_t uncounted_ = 0;  // jobs whose kind is not counted
  std::vector<Slot> changed_;
  // When those that run are to end: a heap. Who has ended, or has another end, is passed over.
  std::vector<std::pair<std::int64_t, JobId>> ends_;
  std::size_t running_ = 0;
  std::set<JobId> outside_grants_;  // that have grants beside the queue
};

}  // namespace copse::queue
