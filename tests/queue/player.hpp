// SPDX-License-Identifier: Apache-2.0
//
// Player: a queue over the machine of a World, and its host. It tells the queue events as a host
// does: jobs end when their time is over, promised starts are not slept through. What it tells the
// queue, step by step, others can be told, too.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "formats/grug/grug.hpp"
#include "formats/hres/hres.hpp"
#include "queue/event_stream.hpp"
#include "queue/job_queue.hpp"
#include "request/constraint.hpp"
#include "request/hres.hpp"
#include "request/shape.hpp"

namespace copse::queue {

template <class T>
T must(Result<T> result) {
  if (!result) std::abort();
  return std::move(*result);
}

inline ResourceGraph graph_of(const World& world) {
  const auto edge = [](const char* from, const char* to, int count) {
    return std::string("<edge source=\"") + from + "\" target=\"" + to + "\"><data key=\"n\">" +
           std::to_string(count) + "</data></edge>";
  };
  std::string text = R"(<graphml>
  <key id="t" for="node" attr.name="type" attr.type="string"/>
  <key id="r" for="node" attr.name="root" attr.type="int"><default>0</default></key>
  <key id="n" for="edge" attr.name="multi_scale" attr.type="int"/>
  <graph edgedefault="directed">
    <node id="c"><data key="r">1</data><data key="t">cluster</data></node>
    <node id="n"><data key="t">node</data></node><node id="o"><data key="t">core</data></node>)";
  if (world.gpus > 0) text += R"(<node id="g"><data key="t">gpu</data></node>)";
  text += edge("c", "n", world.nodes) + edge("n", "o", world.cores);
  if (world.gpus > 0) text += edge("n", "g", world.gpus);
  return must(read_grug(text + "</graph></graphml>", "world"));
}

inline std::unique_ptr<Engine> engine_of(const World& world) {
  auto engine = must(Engine::create(graph_of(world),
                                    {.policy = *find_policy("low"), .counts_nodes_first = false}));
  const ResourceGraph& graph = engine->graph();
  const std::vector<PoolId> nodes = graph.of_type(graph.find_type("node"));
  for (int n = 0; n < world.fast; ++n) {
    engine->set_property(nodes[static_cast<std::size_t>(n)], "fast", "1");
  }
  if (world.licences > 0) {
    const std::string last = std::to_string(world.nodes - 1);
    const auto spec =
        must(read_hres("- {resource: licence, mode: MODE_1, layers: [{nodes: \"node[0-" + last +
                           "]\", count: " + std::to_string(world.licences) + "}]}\n",
                       "world"));
    if (!engine->add_resources(spec)) std::abort();
  }
  return engine;
}

inline Request request_of(const Ask& ask) {
  Request out = must(parse_shape(ask.shape()));
  if (!ask.among.any()) out.constraint = must(parse_constraint(ask.among.constraint()));
  if (ask.licences > 0) {
    out.hres = must(parse_hres_request("licence:" + std::to_string(ask.licences)));
  }
  return out;
}

inline std::string name_of_user(int user) { return "u" + std::to_string(user); }
inline std::string name_of_reservation(int name) { return "r" + std::to_string(name); }

inline ReservationSpec spec_of(const Booked& booked, std::int64_t now_s) {
  ReservationSpec out;
  out.name = name_of_reservation(booked.name);
  out.start_s = std::max<std::int64_t>(0, now_s + booked.in_s);
  out.duration_s = booked.duration_s;
  out.constraint = must(parse_constraint(booked.among.constraint()));
  if (booked.nodes > 0) out.request = request_of({.nodes = booked.nodes});
  if (booked.users >= 0) {
    out.users.emplace();
    for (int user = 0; user < 3; ++user) {
      if ((booked.users >> user & 1) == 1) out.users->push_back(name_of_user(user));
    }
  }
  out.every_s = booked.every_s;
  out.count = booked.count;
  return out;
}

inline std::vector<LineSpec> lines_of(const World& world) {
  std::vector<LineSpec> out;
  for (const LineWorld& line : world.lines) {
    LineSpec spec;
    spec.name = line.name;
    if (line.parent < 0) spec.discipline = *find_discipline(line.discipline);
    spec.discipline.reservation_depth = line.reservation_depth;
    spec.depth = line.depth;
    if (!line.among.any()) spec.constraint = must(parse_constraint(line.among.constraint()));
    if (line.parent >= 0) spec.parent = world.lines[static_cast<std::size_t>(line.parent)].name;
    out.push_back(std::move(spec));
  }
  return out;
}

inline PriorityRule rule_of(const World& world) {
  PriorityRule out{.age = world.rule.age,
                   .size = world.rule.size,
                   .fair_share = world.rule.fair_share,
                   .age_max_s = world.rule.age_max_s,
                   .half_life_s = world.rule.half_life_s,
                   .period_s = world.rule.period_s};
  for (std::size_t n = 0; n < world.rule.queues.size(); ++n) {
    out.queues[world.lines[n].name] = world.rule.queues[n];
  }
  for (std::size_t n = 0; n < world.rule.shares.size(); ++n) {
    out.shares[name_of_user(static_cast<int>(n))] = world.rule.shares[n];
  }
  return out;
}

// What a queue is told. `done`: it took it.
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
    work,
  };
  What what = What::work;
  const Event* event = nullptr;  // submit, and those of reservations
  JobId job = 0;
  std::int64_t number = 0;  // a priority, a time, a node
  bool up = false;          // node
  bool done = true;
};

class Player : private QueueSink {
 public:
  using Watch = std::function<void(const Step&)>;

  // `looks`: how much of a pass is one slice.
  explicit Player(const World& world, std::uint64_t looks = UINT64_MAX, Watch watch = {})
      : world_(world),
        looks_(looks),
        watch_(std::move(watch)),
        engine_(engine_of(world)),
        queue_(*engine_, lines_of(world), *this, rule_of(world)) {
    const ResourceGraph& graph = engine_->graph();
    nodes_ = graph.of_type(graph.find_type("node"));
  }

  Engine& engine() { return *engine_; }
  JobQueue& queue() { return queue_; }
  std::int64_t now_s() const { return engine_->now(); }
  const std::vector<PoolId>& nodes() const { return nodes_; }
  // What was said: "start 3", "plan 4 at 100", "unplan 4", "deny 5", "stuck 6".
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
  // Without letting the queue work after it; but time goes from event to event.
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
        booking(event, Step::What::reserve,
                queue_.reserve(spec_of(event.booked, now_s())).has_value());
        break;
      case Event::What::change_reservation:
        booking(event, Step::What::change_reservation,
                queue_.change_reservation(spec_of(event.booked, now_s())).has_value());
        break;
      case Event::What::cancel_reservation:
        booking(event, Step::What::cancel_reservation,
                queue_.cancel_reservation(name_of_reservation(event.booked.name)).has_value());
        break;
      case Event::What::set_end: set_end(event.job, now_s() + event.seconds); break;
      case Event::What::part:
        if (running_.contains(event.job)) give_back(event.job, event.seconds);
        break;
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
  // So many nodes of a job, or all that it has.
  void give_back(JobId job, std::int64_t count) {
    std::vector<PoolId> pools;
    for (const PoolId node : nodes_) {
      const auto has = [&](const Taken& taken) {
        return taken.first.v <= node.v && node.v < taken.first.v + taken.count;
      };
      const auto& taken = engine_->grant(job)->selection.taken;
      if (std::ssize(pools) < count && std::ranges::any_of(taken, has)) pools.push_back(node);
    }
    const auto gone = queue_.ended_part(job, pools);
    if (gone && *gone) running_.erase(job);
    step(Step::What::part, job, count, gone.has_value());
  }
  // From event to event, as a host does.
  void advance(std::int64_t until_s) {
    for (;;) {
      std::int64_t next_s = until_s;
      for (const auto& [job, end_s] : running_) next_s = std::min(next_s, end_s);
      if (const auto due_s = queue_.next_time()) next_s = std::min(next_s, *due_s);
      next_s = std::max(next_s, now_s());
      for (const auto& [job, end_s] : std::map(running_)) {
        if (end_s <= next_s) end(job, end_s);
      }
      step(Step::What::advance, 0, next_s, queue_.advance(next_s).has_value());
      work();
      if (next_s >= until_s) return;
    }
  }
  void work() {
    for (;;) {
      Slice slice{.looks = looks_};
      if (queue_.work(slice)) break;
    }
    queue_.check();
    if (watch_) watch_({.what = Step::What::work});
  }
  // Ends and cancels all that there is.
  void clear() {
    for (const auto& [job, end_s] : std::map(running_)) end(job, now_s());
    for (const auto& [job, event] : submitted_) (void)queue_.cancel(job);
    work();
  }

 private:
  void step(Step::What what, JobId job, std::int64_t number, bool done) {
    if (watch_) watch_({.what = what, .job = job, .number = number, .done = done});
  }
  void booking(const Event& event, Step::What what, bool done) {
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
                                   .held = event.held,
                                   .queue = world_.lines[event.line].name,
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
  void stuck(JobId job, const Error&) override { log_.push_back("stuck " + std::to_string(job)); }

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
