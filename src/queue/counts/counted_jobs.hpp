// SPDX-License-Identifier: Apache-2.0
//
// CountedJobs: the running and promised jobs of a queue in NodeCounts, and the nodes that they get.
//
// Counts begin and end with the form of promises (promises.hpp). Groups are made of what the jobs in
// the table request, and of the reserved times.
//
// Invariants, while it is active
//   1. `counted` of each job that runs or has a promise is in the counts, for its time.
//   2. busy_ has the nodes of running jobs, unless one number is all (NodeGroups::is_one).
//   3. outside_uses_, of the nodes of outside_times_, are in the counts: of grants outside the queue
//      (OutsideGrants), but those that were to begin later when groups were made, which are reserved
//      times of these.
// Cost: begin() that of NodeGroups::make, and O(nodes of running and promised jobs · log nodes). A grant
// outside the queue O(its nodes), whatever others there are.
#pragma once

#include <cassert>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "queue/counts/node_counts.hpp"
#include "queue/counts/outside_grants.hpp"
#include "queue/job_kind_table.hpp"
#include "queue/job_table.hpp"

namespace copse::queue {

class CountedJobs {
 public:
  using Nodes = std::vector<std::uint32_t>;

  CountedJobs(Engine& engine, JobTable& jobs, JobKindTable& kinds)
      : engine_(engine), jobs_(jobs), kinds_(kinds) {}
  // The same for a clone of the other's engine.
  CountedJobs(const CountedJobs& other, Engine& clone, JobTable& jobs, JobKindTable& kinds);

  // --- What the jobs of the queue ask
  // A job was added to the table, or removed from it.
  void joined(Slot slot);
  void left(Slot slot) { uncounted_ -= kinds_[jobs_[slot].kind].counted ? 0 : 1; }
  // Kinds were read again. REQUIRES that it is not active.
  void kinds_changed();
  // Nodes that are reserved; nullopt: not all are known, or amounts of layers are reserved.
  void set_reserved(std::optional<std::vector<ReservedTime>> times);
  [[nodiscard]] bool any_reserved() const { return !reserved_ || !reserved_->empty(); }
  // A grant outside the queue was made, or has other pools; or it has ended, perhaps early.
  void outside_changed(JobId id);
  void outside_ended(JobId id, bool early);
  void forget_ended_outside();
  [[nodiscard]] const OutsideGrants& outside() const { return outside_; }
  // Whether numbers decide for all of them.
  [[nodiscard]] bool possible() const;
  // Counts of the machine without jobs, if only jobs prevent it; nullopt also: too many groups.
  [[nodiscard]] std::optional<NodeCounts> counts_without_jobs() const;

  // --- Counts
  [[nodiscard]] bool is_active() const { return counts_.has_value(); }
  // Whether begin() would make other groups than there are, or than there were too many of.
  [[nodiscard]] bool groups_changed() const { return groups_changed_; }
  // Counts all running jobs, and promised ones, which get these nodes. False: there are too many
  // groups; nothing changes then, and is tried again only for other groups.
  bool begin(std::span<const Slot> promised, std::span<const Nodes> nodes);
  void end() {
    counts_.reset();
    groups_changed_ = true;
  }
  // There are too many groups.
  void give_up() { groups_changed_ = false; }

  // The following REQUIRE is_active().
  [[nodiscard]] const NodeCounts& counts() const { return *counts_; }
  [[nodiscard]] NodeCounts& mutable_counts() { return *counts_; }
  // nullptr: the groups do not know it yet.
  [[nodiscard]] const NodeCounts::Need* find_need(std::uint32_t kind) const {
    return kind < needs_.size() && needs_[kind] ? &*needs_[kind] : nullptr;
  }
  // REQUIRES that groups were made since the first job of the kind joined.
  [[nodiscard]] const NodeCounts::Need& need(std::uint32_t kind) const {
    assert(find_need(kind) != nullptr);
    return *needs_[kind];
  }
  void add(QueuedJob& job, CountedUse use);
  void remove(const QueuedJob& job) { counts_->remove(job.start_s, job.end_s, job.counted); }
  // A promise takes other groups.
  void exchange(QueuedJob& job, CountedUse use) {
    counts_->exchange({job.start_s, job.end_s, job.counted}, use);
    job.counted = std::move(use);
  }
  // A job runs with its grant, perhaps not on all nodes that it requested; it has just started, on
  // all; its nodes are free again.
  void add_running(QueuedJob& job);
  void add_started(QueuedJob& job);
  void remove_running(const QueuedJob& job);
  // Whether promises are kept if a grant outside the queue gets this now.
  [[nodiscard]] bool outside_fits(const Match& match);
  // What grants outside the queue have, as it is counted. O(their times).
  [[nodiscard]] std::vector<NodeCounts::Start> outside_use() const;
  // Matches the job now; it gets `use`.
  [[nodiscard]] MatchResult start(const QueuedJob& job, PreparedRequest& request,
                                  const CountedUse& use) const;
  // Whether layers have what the job needs until then on any of these nodes, next to promises: a
  // reservation that admits it knows only the engine. O(nodes · layers).
  [[nodiscard]] bool layers_serve(const QueuedJob& job, std::int64_t end_s,
                                  std::span<const PoolId> nodes) const;

  void check() const;  // asserts the invariants; O(jobs)

  // --- Nodes
  [[nodiscard]] Nodes nodes_of(JobId job) const;  // of its grant
  // By the order of starts, the nodes that each promise gets. Empty: only a match can tell, because
  // layers are a number of nodes. REQUIRES is_active().
  [[nodiscard]] std::vector<Nodes> nodes_of_promised(std::span<const Slot> promised) const;
  // The request, restricted to these nodes, for a match right after.
  [[nodiscard]] Result<PreparedRequest> on_nodes(PreparedRequest& request,
                                                 const Nodes& nodes) const;

 private:
  [[nodiscard]] bool machine_allows() const;
  // Of the jobs in the table; nullptr: too many.
  [[nodiscard]] std::shared_ptr<const NodeGroups> make_groups() const;
  void set_busy(const Nodes& nodes, bool busy);
  [[nodiscard]] Nodes idle_nodes(const CountedUse& use) const;
  struct OutsideTime {
    std::int64_t from_s = 0, until_s = 0;
    auto operator<=>(const OutsideTime&) const = default;
  };
  using NodesByTime = std::map<OutsideTime, Nodes>;
  // Counts these nodes again, as grants outside the queue have them now.
  void count_outside(const Nodes& nodes);
  void change_outside(const OutsideTime& time, const Nodes& nodes, int sign);
  [[nodiscard]] std::optional<CountedUse> use_of_outside(const Nodes& nodes) const;

  Engine& engine_;
  JobTable& jobs_;
  JobKindTable& kinds_;
  std::optional<NodeCounts> counts_;
  std::vector<std::optional<NodeCounts::Need>> needs_;  // by kind
  std::vector<bool> busy_;                              // by node
  std::optional<std::vector<ReservedTime>> reserved_{std::in_place};
  OutsideGrants outside_;
  std::set<JobId> outside_reserved_;  // those that groups have as reserved times
  std::unordered_map<std::uint32_t, OutsideTime> outside_times_;  // by node
  std::map<OutsideTime, CountedUse> outside_uses_;                // of all its nodes
  bool groups_changed_ = true;
  std::size_t uncounted_ = 0;  // jobs whose kind cannot be counted
};

}  // namespace copse::queue
