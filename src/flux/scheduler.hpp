// SPDX-License-Identifier: Apache-2.0
//
// Scheduler: the scheduler of a Flux instance, without Flux. Messages of the job manager and of the
// resource module come in as values (messages.hpp); what the job manager is told goes out of
// JobManager. It has no clock: each turn is told the time.
//
//   auto scheduler = Scheduler::create({.inventory = r, .up = up, .now_s = now}, manager);
//   (*scheduler)->hello(job);                        // for each that has resources already
//   (*scheduler)->alloc(request);                    // manager.succeed, annotate, deny
//   while (!(*scheduler)->work(now, budget)) handle_messages();
//
// Each alloc is answered once: by succeed, deny or cancelled. A job that succeeded has its
// resources until all of its ranks were freed, whatever else is told of it.
//
// What a message cannot mean (an unknown job, ranks that a job has not) is complained about, and
// changes nothing. Thread safety: none. Cost: of a message O(log jobs) and its text; an alloc a
// parse of its jobspec; see JobQueue for the rest.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "copse/engine.hpp"
#include "copse/formats.hpp"
#include "flux/allocated_r.hpp"
#include "flux/annotations.hpp"
#include "flux/inventory.hpp"
#include "flux/messages.hpp"
#include "flux/setup.hpp"
#include "flux/tally.hpp"
#include "flux/teller.hpp"
#include "formats/selection_set.hpp"
#include "queue/answers/answers.hpp"
#include "queue/config/queue_config.hpp"
#include "queue/job_queue.hpp"
#include "rset/rset.hpp"

namespace copse::flux {

class Scheduler final : private queue::QueueSink {
 public:
  // REQUIRES that `manager` lives as long. Errors: as read_r(), graph_of_r() and Engine::create().
  [[nodiscard]] static Result<std::unique_ptr<Scheduler>> create(const Setup& setup,
                                                                 JobManager& manager);
  // What it has promised is taken back; those that run keep what they have.
  ~Scheduler() override;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // --- From the job manager
  // Errors: the job cannot be given what it has: an exception is raised for it, and no free comes.
  [[nodiscard]] Result<void> hello(const HelloJob& job);
  void alloc(const AllocRequest& request);
  // These ranks are free again. `last`: then the job has nothing.
  void free(JobId job, const Idset& ranks, bool last);
  void cancel(JobId job);
  void prioritize(JobId job, std::int64_t priority);
  // Errors: not_found, invalid (it does not run; not in the future).
  [[nodiscard]] Result<void> set_expiration(JobId job, double expiration_s);
  // Whether the machine could ever do it, were it empty and all up. Errors: invalid (no jobspec, an
  // unknown queue), infeasible.
  [[nodiscard]] Result<void> feasible(std::string_view jobspec);

  // --- From the resource module
  void update(const ResourceUpdate& update);

  // --- From whoever shares the engine: jobs of theirs, which the job manager does not know
  // The job has these pools from now on. Errors: as JobQueue::adopt.
  [[nodiscard]] Result<void> take(JobId job, std::span<const PoolId> pools, std::int64_t end_s);
  // All of it, or these; true if nothing is left. Errors: as JobQueue::ended_part.
  void give_back(JobId job);
  [[nodiscard]] Result<bool> give_back(JobId job, std::span<const PoolId> pools);
  // The machine was changed, or is by this. Errors: as of JobQueue.
  void look_again() { queue_->set_status(std::span<const PoolId>(), Status::up); }
  void set_status(std::span<const PoolId> pools, Status status) {
    queue_->set_status(pools, status);
  }
  [[nodiscard]] Result<void> attach(std::span<const NewSubtree> subtrees) {
    return queue_->attach(subtrees);
  }
  [[nodiscard]] Result<std::vector<JobId>> remove(std::span<const PoolId> tops) {
    return queue_->remove(tops);
  }

  // --- Hierarchical resources
  [[nodiscard]] std::string layers() const;  // {"layers": [...]}, as of `copse session`
  // Errors: as Engine::set_layer_count.
  [[nodiscard]] Result<void> set_layer(std::string_view resource, std::string_view nodes,
                                       std::int64_t count);

  // --- Turns
  // Goes on with what is to be done; true if that is all until next_time(), or a message.
  bool work(std::int64_t now_s, queue::WorkBudget& budget);
  [[nodiscard]] std::optional<std::int64_t> next_time() const;
  // Queues are changed as far as they can be without a new scheduler: disciplines and depths.
  // Errors, all as it was: unsupported (other queues than there are now).
  [[nodiscard]] Result<void> configure(const queue::QueueConfig& queues);

  // Telling::starts: those who wait are told why, from the next change on.
  void tell_reasons(bool on) { reasons_ = on; }

  // --- Answers
  // Three sets as sched.resource-status has them: {"all": R, "down": R, "allocated": R}.
  [[nodiscard]] std::string status() const { return inventory_.status(); }
  // Why a job waits and when it starts, in words or as JSON. Errors: not_found, invalid (it runs).
  [[nodiscard]] Result<std::string> why(JobId job, bool as_json);
  [[nodiscard]] std::string stats() const;  // a JSON object
  [[nodiscard]] queue::QueueView view() { return queue_->view(); }
  [[nodiscard]] bool taken(JobId job) const { return jobs_.at(job).taken; }
  [[nodiscard]] QueueCounts counts(const std::string& queue) const { return tally_.of(queue); }
  [[nodiscard]] const std::shared_ptr<Engine>& shared_engine() const { return engine_; }
  [[nodiscard]] std::size_t waiting() const { return queue_->waiting(); }
  [[nodiscard]] std::size_t running() const { return queue_->running(); }
  [[nodiscard]] std::string summary() const { return inventory_.summary(); }
  [[nodiscard]] Idset ranks() const { return inventory_.all().ranks(); }
  void check() const;  // asserts what is always true; O(jobs)

 private:
  Scheduler(std::shared_ptr<Engine> engine, RSet all, const Setup& setup, JobManager& manager);

  struct Job {
    std::shared_ptr<const Request> request;  // none: of hello
    Annotations annotations{};
    bool runs = false;
    bool taken = false;  // by whoever shares the engine
    std::string queue{};
  };

  void started(JobId job, const Grant& grant) override;
  void planned(JobId job, std::int64_t start_s) override;
  void unplanned(JobId job) override;
  void denied(JobId job, const Error& error) override;

  [[nodiscard]] Result<void> adopt(JobId job, std::span<const PoolId> pools, std::int64_t end_s,
                                   const HelloJob& of, std::int64_t whole_nodes);
  [[nodiscard]] Result<GrantCharges> charges_of(std::string_view jobspec) const;
  void tell(std::int64_t now_s, const queue::Answers::Brief& of);
  void forget(JobId job);

  std::shared_ptr<Engine> engine_;
  Inventory inventory_;
  JobManager& manager_;
  AllocatedR allocated_;
  std::unique_ptr<queue::JobQueue> queue_;
  std::unique_ptr<queue::Answers> answers_;
  std::unique_ptr<Teller> teller_;
  std::unordered_map<JobId, Job> jobs_;
  SelectionSet selections_;
  bool no_foreign_queues_ = false, has_hres_ = false, reasons_ = false;
  Telling telling_ = Telling::everything;
  // A turn came after their promised starts: they have their whole time from then on.
  std::vector<std::pair<JobId, std::int64_t>> late_;
  Tally tally_;
};

}  // namespace copse::flux
