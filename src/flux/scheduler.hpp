// SPDX-License-Identifier: Apache-2.0
//
// Scheduler: the scheduler of a Flux instance, without Flux. Messages of the job manager and of the
// resource module are values (messages.hpp); answers to the job manager go to the interface
// JobManager. It has no clock: the caller passes the time to work().
//
//   auto scheduler = Scheduler::create({.inventory = r, .up = up, .now_s = now}, manager);
//   (*scheduler)->hello(job);                        // for each that has resources already
//   (*scheduler)->alloc(request);                    // manager.succeed, annotate, deny
//   while (!(*scheduler)->work(now, budget)) handle_messages();
//
// Each alloc is answered once: by succeed, deny or cancelled. A job that succeeded has its
// resources until all of its ranks were freed, whatever other messages arrive.
//
// A message about an unknown job, or about ranks that a job does not have, is logged
// (JobManager::complain) and changes nothing. Thread safety: none. Cost: O(log jobs) and the text of
// a message; an alloc parses its jobspec; see JobQueue for the rest.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "copse/engine.hpp"
#include "flux/allocated_r.hpp"
#include "flux/annotation_scheduler.hpp"
#include "flux/annotations.hpp"
#include "flux/inventory.hpp"
#include "flux/job_counters.hpp"
#include "flux/messages.hpp"
#include "flux/setup.hpp"
#include "fluxion/resource.hpp"
#include "formats/selection_set.hpp"
#include "queue/answers/answers.hpp"
#include "queue/config/queue_config.hpp"
#include "queue/job_queue.hpp"
#include "rset/rset.hpp"

namespace copse::flux {

class Scheduler final : private queue::QueueSink, public fluxion::EngineSharer {
 public:
  // REQUIRES that `manager` outlives it. Errors: as read_r(), graph_of_r() and Engine::create().
  [[nodiscard]] static Result<std::unique_ptr<Scheduler>> create(const Setup& setup,
                                                                 JobManager& manager);
  // Withdraws all promises; running jobs keep their resources.
  ~Scheduler() override;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // --- From the job manager
  // Errors: the resources of the job cannot be allocated to it. The job manager then raises an
  // exception for the job, and sends no free.
  [[nodiscard]] Result<void> hello(const HelloJob& job);
  // The jobs that have resources now, and the ranks that each has freed: as a later hello reports
  // them. A job that came with hello() and is not among them has ended, and freed its resources
  // before the job manager sent any free. Returns how many have.
  std::size_t confirm(const std::unordered_map<JobId, Idset>& held);
  void alloc(const AllocRequest& request);
  // The job frees these ranks. `last`: it has no others.
  void free(JobId job, const Idset& ranks, bool last);
  void cancel(JobId job);
  void prioritize(JobId job, std::int64_t priority);
  // Errors: not_found, invalid (it does not run; not in the future).
  [[nodiscard]] Result<void> set_expiration(JobId job, double expiration_s);
  // Whether the jobspec fits the machine if it is empty and all nodes are up. Errors: invalid (the
  // jobspec, an unknown queue), infeasible.
  [[nodiscard]] Result<void> feasible(std::string_view jobspec);

  // --- From the resource module
  void update(const ResourceUpdate& update);

  // --- From FluxionResource, which shares the engine: its jobs, which the job manager does not know
  // Allocates these pools to the job from now on. Errors: as JobQueue::adopt.
  [[nodiscard]] Result<void> add_outside_job(JobId job, std::span<const PoolId> pools,
                                             std::int64_t end_s);
  void end_outside_job(JobId job);
  // Releases some of its pools; true if the job has none left. Errors: as JobQueue::ended_part.
  [[nodiscard]] Result<bool> release_pools(JobId job, std::span<const PoolId> pools);
  // Running jobs beyond their limits, which have no known end. O(jobs).
  [[nodiscard]] std::vector<JobId> overdue() const;
  [[nodiscard]] bool is_outside_job(JobId job) const { return jobs_.at(job).outside; }
  // Changes of the machine. Errors: those of JobQueue.
  void properties_changed() override { queue_->set_status(std::span<const PoolId>(), Status::up); }
  void set_status(std::span<const PoolId> pools, Status status) override {
    queue_->set_status(pools, status);
  }
  [[nodiscard]] Result<void> attach(std::span<const NewSubtree> subtrees) override {
    return queue_->attach(subtrees);
  }
  [[nodiscard]] Result<std::vector<JobId>> remove(std::span<const PoolId> tops) override {
    return queue_->remove(tops);
  }

  // --- Hierarchical resources
  [[nodiscard]] std::string layers() const;  // {"layers": [...]}, as of `copse session`
  // Errors: as Engine::set_layer_count.
  [[nodiscard]] Result<void> set_layer(std::string_view resource, std::string_view nodes,
                                       std::int64_t count);

  // --- Work
  // The time with its fraction, for the R of jobs that start. Without it, R has whole seconds.
  void set_clock(double now_s) { clock_s_ = now_s; }
  // Continues within the slice; true if nothing is left to do until next_time() or a message.
  bool work(std::int64_t now_s, queue::WorkBudget& budget);
  [[nodiscard]] std::optional<std::int64_t> next_time() const;
  // Changes what can change without a new scheduler: disciplines and depths of queues. Errors, with
  // nothing changed: unsupported (queues were added or removed).
  [[nodiscard]] Result<void> configure(const queue::QueueConfig& queues);

  // With AnnotationLevel::starts: whether annotations have reasons, from the next change on.
  void report_reasons(bool on) { style_.simple_reasons = on; }

  // --- Answers
  // Three sets as sched.resource-status has them: {"all": R, "down": R, "allocated": R}.
  [[nodiscard]] std::string status() const { return inventory_.status(); }
  // The reason why a job waits, and its start, as text or JSON. Errors: not_found, invalid (it runs).
  // `name`, if not empty, is how the asker calls the job.
  [[nodiscard]] Result<std::string> why(JobId job, AnswerForm form, const std::string& name = {});
  [[nodiscard]] std::string stats() const;  // a JSON object
  [[nodiscard]] queue::QueueView view() { return queue_->view(); }
  [[nodiscard]] QueueCounts counts(const std::string& queue) const { return counters_.of(queue); }
  [[nodiscard]] const std::shared_ptr<Engine>& shared_engine() const { return engine_; }
  [[nodiscard]] const InstanceMachine& machine() const { return machine_; }
  [[nodiscard]] std::size_t waiting() const { return queue_->waiting(); }
  [[nodiscard]] std::size_t running() const { return queue_->running(); }
  [[nodiscard]] std::string summary() const { return inventory_.summary(); }
  [[nodiscard]] Idset ranks() const { return inventory_.all().ranks(); }
  void check() const;  // asserts the invariants; O(jobs)

 private:
  Scheduler(InstanceMachine machine, RSet all, const Setup& setup, JobManager& manager);

  struct Job {
    std::shared_ptr<const Request> request;  // nullptr: the job came with hello
    Annotations annotations{};
    bool runs = false;
    bool outside = false;  // see add_outside_job()
    bool adopted = false;  // it came with hello(), and confirm() has not been called since
    std::string queue{};
    std::optional<double> exact_s{};  // its duration, with fractions
    std::int64_t end_s = 0;           // of a running job, by its limit; 0: none
    [[nodiscard]] bool is_overdue(std::int64_t now_s) const {
      return runs && end_s != 0 && end_s <= now_s;
    }
  };
  static constexpr std::size_t kWithdrawnMax = 1000;

  void started(JobId job, const Grant& grant) override;
  void planned(JobId job, std::int64_t start_s) override;
  void unplanned(JobId job) override;
  void denied(JobId job, const Error& error) override;

  [[nodiscard]] Result<void> adopt(JobId job, const PoolChoice& has, std::int64_t end_s,
                                   const HelloJob& of, std::int64_t whole_nodes);
  [[nodiscard]] Idset ranks_of(JobId job);  // that it has
  void report(std::int64_t now_s, const queue::Answers::Brief& of);
  void annotate(JobId job, const std::string& text);  // unless the text is empty
  void refuse(JobId job, const std::string& note) {
    counters_.refused();
    manager_.deny(job, note);
  }
  void forget(JobId job);
  [[nodiscard]] bool has_types() const { return style_.level != AnnotationLevel::starts; }

  std::shared_ptr<Engine> engine_;
  InstanceMachine machine_;
  Inventory inventory_;
  JobManager& manager_;
  AllocatedR allocated_;
  std::unique_ptr<queue::JobQueue> queue_;
  std::unique_ptr<queue::Answers> answers_;
  std::unique_ptr<AnnotationScheduler> annotation_scheduler_;
  std::unordered_map<JobId, Job> jobs_;
  SelectionSet selections_;
  bool no_foreign_queues_ = false, has_hres_ = false;
  const JobNames names_;
  ReportStyle style_;
  std::optional<double> clock_s_{};  // see set_clock()
  // Cancelled: a job that is updated comes again at once, and lost its annotations.
  std::unordered_set<JobId> withdrawn_;
  // Jobs that started later than promised, with the end that gives them their whole duration.
  std::vector<std::pair<JobId, std::int64_t>> late_;
  JobCounters counters_;
};

}  // namespace copse::flux
