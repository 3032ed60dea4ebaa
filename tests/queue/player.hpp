// SPDX-License-Identifier: Apache-2.0
//
// Player: a queue over the machine of a World, and its host. It reports events like a host: jobs
// end in time, and promised starts are not missed. Each step can be observed.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "queue/event_stream.hpp"
#include "queue/job_queue.hpp"
#include "queue/world_parts.hpp"

namespace copse::queue {

// A call of the queue. `done`: it was accepted.
struct Step {
  enum class What : std::uint8_t {
    submit,
    cancel,
    hold,
    release,
    priority,
    ended,
    node,
    advance,
    reserve,
    change_reservation,
    cancel_reservation,
    set_end,
    part,
    stop,
    discipline,
    grant,
    release_grant,
    work,
  };
  What what = What::work;
  const Event* event = nullptr;  // submit, and those of reservations and queues
  JobId job = 0;
  std::int64_t number = 0;  // a priority, a time, a node
  bool up = false;          // node
  bool done = true;
};

class Player : private QueueSink {
 public:
  using Watch = std::function<void(const Step&)>;

  // `looks`: the budget of one call, in jobs.
  explicit Player(const World& world, std::uint64_t looks = UINT64_MAX, Watch watch = {})
      : Player(world, looks, std::move(watch), specs_of(world)) {}
  Player(const World& world, std::uint64_t looks, Watch watch, std::vector<QueueSpec> queues)
      : world_(world),
        looks_(looks),
        watch_(std::move(watch)),
        engine_(engine_of(world)),
        queue_(*engine_, std::move(queues), *this, rule_of(world)) {
    const ResourceGraph& graph = engine_->graph();
    nodes_ = graph.of_type(graph.find_type("node"));
  }

  Engine& engine() { return *engine_; }
  JobQueue& queue() { return queue_; }
  std::int64_t now_s() const { return engine_->now(); }
  const std::vector<PoolId>& nodes() const { return nodes_; }
  // Decisions as words: "start 3", "plan 4 at 100", "unplan 4", "deny 5", "unplaceable 6".
  const std::vector<std::string>& log() const { return log_; }
  const std::map<JobId, std::int64_t>& planned_s() const { return planned_s_; }
  const std::map<JobId, std::int64_t>& running() const { return running_; }  // until when
  const std::map<JobId, std::int64_t>& started_s() const { return started_s_; }
  const std::map<JobId, Event>& submitted() const { return submitted_; }
  std::size_t denied() const { return denied_; }

  void play(const Event& event) {
    tell(event);
    if (event.what != Event::What::advance) work();
  }
  // Without letting the queue work afterwards; but time advances from event to event.
  void tell(const Event& event) {
    switch (event.what) {
      case Event::What::submit: submit(event); break;
      case Event::What::cancel:
        step(Step::What::cancel, event.job, 0, queue_.cancel(event.job).has_value());
        planned_s_.erase(event.job);
        break;
      case Event::What::hold:
        step(Step::What::hold, event.job, 0, queue_.hold(event.job).has_value());
        break;
      case Event::What::release:
        step(Step::What::release, event.job, 0, queue_.release(event.job).has_value());
        break;
      case Event::What::priority:
        step(Step::What::priority, event.job, event.priority,
             queue_.set_priority(event.job, event.priority).has_value());
        break;
      case Event::What::end:
        if (running_.contains(event.job)) end(event.job, now_s());
        break;
      case Event::What::node: {
        const PoolId node = nodes_[static_cast<std::size_t>(event.node)];
        const bool up = engine_->status(node) != Status::up;
        queue_.set_status(node, up ? Status::up : Status::down);
        if (watch_) watch_({.what = Step::What::node, .number = event.node, .up = up});
        break;
      }
      case Event::What::advance: advance(now_s() + event.seconds); break;
      case Event::What::reserve:
        told(event, Step::What::reserve,
             queue_.reserve(spec_of(event.booked, now_s())).has_value());
        break;
      case Event::What::change_reservation:
        told(event, Step::What::change_reservation,
             queue_.change_reservation(spec_of(event.booked, now_s())).has_value());
        break;
      case Event::What::cancel_reservation:
        told(event, Step::What::cancel_reservation,
             queue_.cancel_reservation(name_of_reservation(event.booked.name)).has_value());
        break;
      case Event::What::set_end: set_end(event.job, now_s() + event.seconds); break;
      case Event::What::part:
        if (running_.contains(event.job)) give_back(event.job, event.seconds);
        break;
      case Event::What::grant: grant(event); break;
      case Event::What::release_grant:
        step(Step::What::release_grant, event.job, 0,
             queue_.free_outside_queue(event.job).has_value());
        break;
      case Event::What::stop: {
        const std::string& name = world_.queues[event.queue].name;
        told(event, Step::What::stop, queue_.set_stopped(name, event.stopped).has_value());
        break;
      }
      case Event::What::discipline: {
        Discipline discipline = *find_discipline(event.rules.discipline);
        discipline.reservation_depth = event.rules.reservation_depth;
        const bool done = queue_
                              .set_discipline(world_.queues[event.queue].name,
                                              std::move(discipline), event.rules.depth)
                              .has_value();
        told(event, Step::What::discipline, done);
        break;
      }
    }
  }

  void end(JobId job, std::int64_t at_s) {
    running_.erase(job);
    step(Step::What::ended, job, at_s, queue_.ended(job, at_s).has_value());
  }
  void set_end(JobId job, std::int64_t end_s) {
    const bool done = queue_.set_end(job, end_s).has_value();
    if (done) running_[job] = end_s + late_s(job);
    step(Step::What::set_end, job, end_s, done);
  }
  // The job's nodes among the machine's first ones.
  void give_back(JobId job, std::int64_t nodes) {
    std::int64_t count = nodes;
    std::vector<PoolId> pools;
    for (const PoolId node : nodes_) {
      std::vector<PoolId> has = pools_in(job, node);
      if (has.empty() || count-- <= 0) continue;
      pools.insert(pools.end(), has.begin(), has.end());
    }
    const auto gone = queue_.ended_part(job, pools);
    if (gone && *gone) running_.erase(job);
    step(Step::What::part, job, nodes, gone.has_value());
  }
  // The pools of a node, itself and below, that a job has exclusively.
  std::vector<PoolId> pools_in(JobId job, PoolId node) const {
    const ResourceGraph& graph = engine_->graph();
    std::vector<PoolId> out;
    for (const SelectedPools& taken : engine_->grant(job)->selection.taken) {
      for (std::uint32_t v = taken.first.v; v < taken.first.v + taken.count; ++v) {
        const bool in_it = PoolId{v} == node || graph.parent(PoolId{v}) == node;
        if (taken.exclusive && in_it) out.push_back(PoolId{v});
      }
    }
    return out;
  }
  void grant(const Event& event) {
    PreparedRequest request = must(engine_->prepare(request_of(event.ask)));
    request.set_duration(event.seconds);
    const Operation operation =
        event.later ? Operation::allocate_orelse_reserve : Operation::allocate_with_satisfiability;
    const bool done = queue_.grant_outside_queue(operation, request, event.job, {}).has_value();
    if (watch_)
      watch_({.what = Step::What::grant, .event = &event, .job = event.job, .done = done});
  }
  void move_clock(std::int64_t now_s) {
    step(Step::What::advance, 0, now_s, queue_.advance(now_s).has_value());
  }
  // From event to event, like a host.
  void advance(std::int64_t until_s) {
    for (;;) {
      std::int64_t next_s = until_s;
      for (const auto& [job, end_s] : running_) next_s = std::min(next_s, end_s);
      if (const auto due_s = queue_.next_time()) next_s = std::min(next_s, *due_s);
      next_s = std::max(next_s, now_s());
      if (world_.ends_after) move_clock(next_s);
      for (const auto& [job, end_s] : std::map(running_)) {
        if (end_s <= next_s) end(job, end_s);
      }
      if (!world_.ends_after) move_clock(next_s);
      work();
      if (next_s >= until_s) return;
    }
  }
  void work() {
    for (;;) {
      WorkBudget budget{.jobs = looks_};
      if (queue_.work(budget)) break;
    }
    queue_.check();
    if (watch_) watch_({.what = Step::What::work});
  }
  // Ends and cancels all jobs.
  void clear() {
    for (const auto& [job, end_s] : std::map(running_)) end(job, now_s());
    for (const auto& [job, event] : submitted_) (void)queue_.cancel(job);
    work();
  }

 private:
  void step(Step::What what, JobId job, std::int64_t number, bool done) {
    if (watch_) watch_({.what = what, .job = job, .number = number, .done = done});
  }
  void told(const Event& event, Step::What what, bool done) {
    if (watch_) watch_({.what = what, .event = &event, .number = now_s(), .done = done});
  }
  void submit(const Event& event) {
    const std::string user = name_of_user(event.user);
    const std::string reservation =
        event.reservation < 0 ? "" : name_of_reservation(event.reservation);
    const Request request = request_of(event.ask);
    const std::string kind = event.ask.kind();
    const bool done = queue_
                          .submit({.id = event.job,
                                   .submit_s = now_s(),
                                   .duration_s = event.seconds,
                                   .priority = event.priority,
                                   .on_hold = event.held,
                                   .queue = world_.queues[event.queue].name,
                                   .user = user,
                                   .reservation = reservation,
                                   .kind = kind,
                                   .request = &request})
                          .has_value();
    submitted_.emplace(event.job, event);
    if (watch_) {
      watch_({.what = Step::What::submit,
              .event = &event,
              .job = event.job,
              .number = now_s(),
              .done = done});
    }
  }

  // The fuzzer submits jobs past the player as well: they end in time.
  [[nodiscard]] std::int64_t late_s(JobId job) const {
    const auto known = submitted_.find(job);
    return known == submitted_.end() ? 0 : known->second.late_s;
  }
  void started(JobId job, const Grant& grant) override {
    log_.push_back("start " + std::to_string(job));
    planned_s_.erase(job);
    running_[job] = grant.end + late_s(job);
    started_s_[job] = grant.start;
  }
  void planned(JobId job, std::int64_t start_s) override {
    log_.push_back("plan " + std::to_string(job) + " at " + std::to_string(start_s));
    planned_s_[job] = start_s;
  }
  void unplanned(JobId job) override {
    log_.push_back("unplan " + std::to_string(job));
    planned_s_.erase(job);
  }
  void denied(JobId job, const Error&) override {
    log_.push_back("deny " + std::to_string(job));
    planned_s_.erase(job);
    ++denied_;
  }
  void unplaceable(JobId job, const Error&) override {
    log_.push_back("unplaceable " + std::to_string(job));
  }

  const World world_;
  const std::uint64_t looks_;
  Watch watch_;
  std::unique_ptr<Engine> engine_;
  JobQueue queue_;
  std::vector<PoolId> nodes_;
  std::vector<std::string> log_;
  std::map<JobId, std::int64_t> planned_s_, running_, started_s_;
  std::map<JobId, Event> submitted_;
  std::size_t denied_ = 0;
};

}  // namespace copse::queue
