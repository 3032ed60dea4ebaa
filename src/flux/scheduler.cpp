// SPDX-License-Identifier: Apache-2.0
#include "flux/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/idset_algebra.hpp"
#include "base/job_id.hpp"
#include "flux/hello_resources.hpp"
#include "flux/job_requests.hpp"
#include "flux/machine/machine.hpp"
#include "flux/queues.hpp"
#include "formats/hres/supply_table.hpp"
#include "request/request_key.hpp"
#include "text/json_writer.hpp"

namespace copse::flux {

Result<std::unique_ptr<Scheduler>> Scheduler::create(const Setup& setup, JobManager& manager) {
  auto all = read_inventory(setup.inventory);
  if (!all) return std::unexpected(all.error());
  auto machine = machine_of(setup, *all);
  if (!machine) return std::unexpected(machine.error());
  return std::unique_ptr<Scheduler>(
      new Scheduler(std::move(*machine), std::move(*all), setup, manager));
}

Scheduler::~Scheduler() {
  if (engine_.use_count() == 1) return;
  for (const JobId id : engine_->jobs()) {
    if (engine_->grant(id)->start <= engine_->now()) continue;
    [[maybe_unused]] const auto cancelled = engine_->cancel(id);
  }
}

Scheduler::Scheduler(InstanceMachine machine, RSet all, const Setup& setup, JobManager& manager)
    : engine_(machine.engine),
      machine_(std::move(machine)),
      inventory_(*engine_, std::move(all), setup.up),
      manager_(manager),
      allocated_(*engine_, {.graph = setup.write_graph,
                            .shorthand = setup.shorthand,
                            .slots = setup.writes_slots,
                            .copies = setup.plain}),
      no_foreign_queues_(setup.no_foreign_queues),
      has_hres_(!setup.hres.empty()),
      names_(setup.job_names),
      style_({.level = setup.annotations, .reasons = setup.reasons}) {
  queue::QueueSink& sink = *this;
  queue_ = std::make_unique<queue::JobQueue>(*engine_, queue_specs(setup.queues), sink,
                                             setup.queues.rule);
  answers_ = std::make_unique<queue::Answers>(*queue_, names_);
  annotation_scheduler_ = std::make_unique<AnnotationScheduler>(
      *queue_, *answers_,
      style_.level == AnnotationLevel::starts ? 0 : AnnotationScheduler::kEvery_s);
}

// --- From the job manager

Result<void> Scheduler::hello(const HelloJob& job) {
  if (jobs_.contains(job.id)) return {};  // hello was sent before
  if (const auto queue = queue_named(*queue_, job.queue, no_foreign_queues_);
      !queue && no_foreign_queues_) {
    return std::unexpected(queue.error());
  }
  const auto has = hello_resources(job, engine_->graph());
  if (!has) return std::unexpected(has.error());
  auto adopted = adopt(job.id, {has->pools, has->amounts}, has->end_s, job, has->whole_nodes);
  if (adopted) {
    Job& known = jobs_.at(job.id);
    known.adopted = true;
    counters_.adopted(known.queue);
  }
  return adopted;
}

std::size_t Scheduler::confirm(const std::unordered_map<JobId, Idset>& held) {
  std::vector<JobId> ended;
  for (auto& [id, job] : jobs_) {
    if (!std::exchange(job.adopted, false)) continue;
    const auto still = held.find(id);
    if (still == held.end()) {
      ended.push_back(id);
    } else if (const auto freed = intersect(still->second, ranks_of(id)); !freed.empty()) {
      free(id, freed, false);
    }
  }
  for (const JobId id : ended) free(id, ranks_of(id), true);
  return ended.size();
}

Idset Scheduler::ranks_of(JobId id) {
  const Grant* grant = engine_->grant(id);
  // none: its nodes were removed from the machine
  return grant == nullptr ? Idset() : selections_.make(engine_->graph(), grant->selection).ranks();
}

Result<void> Scheduler::adopt(JobId id, const PoolChoice& has, std::int64_t end_s,
                              const HelloJob& of, std::int64_t whole_nodes) {
  const Request request = whole_nodes > 0 ? nodes_request(whole_nodes) : core_request();
  const std::string kind = request_key(request), user = std::to_string(of.userid);
  // Its queue may have been removed.
  const std::string queue = queue_named(*queue_, of.queue, no_foreign_queues_)
                                .value_or(queue_->view().queues.named().front().name);
  queue::Adoption adoption{.pools = has.pools, .amounts = has.amounts};
  adoption.job = {.id = id,
                  .submit_s = whole_seconds(of.submit_s),
                  .priority = of.priority,
                  .queue = queue,
                  .user = user,
                  .kind = kind,
                  .request = &request,
                  .arrival = id};
  if (has_hres_ && !of.jobspec.empty()) {
    auto charges = hello_charges(*engine_, of.jobspec);
    if (!charges) return std::unexpected(charges.error());
    adoption.charges = std::move(*charges);
  }
  // A job beyond its end is freed soon.
  adoption.end_s = end_s == 0 ? 0 : std::max(end_s, engine_->now() + 1);
  if (auto ok = queue_->adopt(adoption); !ok) return ok;
  Job& job = jobs_[id];
  job.runs = true;
  job.queue = queue;
  job.end_s = end_s;
  return {};
}

std::vector<JobId> Scheduler::overdue() const {
  std::vector<JobId> out;
  for (const auto& [id, job] : jobs_) {
    if (job.is_overdue(engine_->now()) && engine_->grant(id) != nullptr) out.push_back(id);
  }
  return out;
}

Result<void> Scheduler::add_outside_job(JobId id, std::span<const PoolId> pools,
                                        std::int64_t end_s) {
  auto ok = adopt(id, pools, end_s, {.submit_s = static_cast<double>(engine_->now()), .r = {}}, 0);
  if (ok) jobs_[id].outside = true;
  return ok;
}

void Scheduler::end_outside_job(JobId id) {
  [[maybe_unused]] const auto ended = queue_->ended(id, engine_->now());
  forget(id);
}

Result<bool> Scheduler::release_pools(JobId id, std::span<const PoolId> pools) {
  auto over = queue_->ended_part(id, pools);
  if (over && *over) forget(id);
  return over;
}

void Scheduler::alloc(const AllocRequest& request) {
  counters_.requested();
  if (jobs_.contains(request.id)) {
    manager_.complain(fmt::format("alloc: job {} is known already", names_(request.id)));
    return;
  }
  auto parsed = parse_job(request.jobspec);
  if (!parsed) return refuse(request.id, "cannot parse jobspec: " + parsed.error().message());
  const auto queue = queue_named(*queue_, parsed->queue, no_foreign_queues_);
  if (!queue) return refuse(request.id, queue.error().text);
  Job& job = jobs_[request.id];
  job.request = parsed->request;
  job.queue = *queue;
  job.exact_s = request.duration_s;
  counters_.submitted(*queue);
  const bool again = withdrawn_.erase(request.id) > 0;
  if (again || queue_->waiting() < AnnotationScheduler::kFewJobs) annotation_scheduler_->hurry();
  const std::string user = std::to_string(request.userid);
  const auto submitted = queue_->submit({.id = request.id,
                                         .submit_s = whole_seconds(request.submit_s),
                                         .duration_s = parsed->duration_s,
                                         .priority = request.priority,
                                         .queue = *queue,
                                         .user = user,
                                         .kind = parsed->key,
                                         .request = parsed->request.get(),
                                         .arrival = request.id});
  if (submitted) return;
  forget(request.id);
  refuse(request.id, submitted.error().text);
}

void Scheduler::free(JobId id, const Idset& ranks, bool last) {
  const auto complain = [&](std::string_view what) {
    manager_.complain(fmt::format("free: job {} {}", names_(id), what));
  };
  const auto job = jobs_.find(id);
  if (job == jobs_.end() || !job->second.runs) return complain("has no resources");
  counters_.freed();
  const Idset has = ranks_of(id);
  if (const Idset more = subtract(ranks, has); !intersect(more, inventory_.all().ranks()).empty()) {
    complain(
        fmt::format("does not have rank {}", intersect(more, inventory_.all().ranks()).text(true)));
  }
  const Idset rest = subtract(has, ranks);
  if (last && !rest.empty()) {
    complain(fmt::format("ends with rank {}, which was not freed", rest.text(true)));
  }
  if (last || rest.empty()) {
    // It may have ended before: the last message does not repeat all ranks.
    if (queue_->state(id)) {
      [[maybe_unused]] const auto ended = queue_->ended(id, engine_->now());
      assert(ended);
    }
    if (last) {
      counters_.ended(job->second.queue);
      forget(id);
    }
    return;
  }
  const Idset given = intersect(ranks, has);
  if (given.empty()) return;
  const auto pools = freed_pools(engine_->graph(), given);
  const auto ended = pools ? queue_->ended_part(id, *pools) : std::unexpected(pools.error());
  if (!ended) complain(ended.error().text);
}

void Scheduler::cancel(JobId id) {
  const auto job = jobs_.find(id);
  if (job == jobs_.end() || job->second.runs) return;
  if (!queue_->cancel(id)) return;
  counters_.cancelled(job->second.queue);
  if (withdrawn_.size() >= kWithdrawnMax) withdrawn_.clear();
  withdrawn_.insert(id);
  forget(id);
  manager_.cancelled(id);
}

void Scheduler::prioritize(JobId id, std::int64_t priority) {
  const auto job = jobs_.find(id);
  if (job == jobs_.end() || job->second.runs) return;
  counters_.prioritized(job->second.queue);
  [[maybe_unused]] const auto known = queue_->set_priority(id, priority);
}

Result<void> Scheduler::set_expiration(JobId id, double expiration_s) {
  const auto job = jobs_.find(id);
  if (job == jobs_.end() || !job->second.runs) {
    return fail(ErrorCode::not_found, fmt::format("job {} does not run", names_(id)));
  }
  const std::int64_t end =
      expiration_s > 0 ? whole_seconds(std::ceil(expiration_s)) : engine_->options().horizon;
  const Grant* grant = engine_->grant(id);
  // Its nodes were removed from the machine, or the end stays the same.
  job->second.end_s = expiration_s > 0 ? end : 0;
  if (grant == nullptr || grant->end == end) return {};
  return queue_->set_end(id, std::min(end, engine_->options().horizon));
}

Result<void> Scheduler::feasible(std::string_view jobspec) {
  const auto parsed = parse_job(jobspec);
  if (!parsed) return std::unexpected(parsed.error());
  if (auto queue = queue_named(*queue_, parsed->queue, no_foreign_queues_); !queue)
    return std::unexpected(queue.error());
  return fits_empty(*engine_, *parsed->request);
}

// --- From the resource module

void Scheduler::update(const ResourceUpdate& update) {
  if (auto ok = inventory_.update(update, *queue_); !ok) {
    manager_.complain("shrink: " + ok.error().text);
  }
}

// --- Hierarchical resources

std::string Scheduler::layers() const {
  return object_text([&](JsonWriter& json) {
    json.array("layers", engine_->layers(engine_->now()),
               [&](const LayerView& layer) { json.object([&] { write_layer(json, layer); }); });
  });
}

Result<void> Scheduler::set_layer(std::string_view resource, std::string_view nodes,
                                  std::int64_t count) {
  auto set = engine_->set_layer_count(resource, nodes, count);
  if (set) properties_changed();
  return set;
}

// --- Work

bool Scheduler::work(std::int64_t now_s, queue::WorkBudget& budget) {
  if (now_s > engine_->now()) {
    [[maybe_unused]] const auto advanced = queue_->advance(now_s);
  }
  const bool done = queue_->work(budget);
  for (const auto& [job, end_s] : std::exchange(late_, {})) {
    [[maybe_unused]] const auto set = queue_->set_end(job, end_s);
  }
  return done && annotation_scheduler_->work(
                     now_s, budget, [&](const queue::Answers::Brief& of) { report(now_s, of); });
}

std::optional<std::int64_t> Scheduler::next_time() const {
  auto out = queue_->next_time();
  const auto report_s = annotation_scheduler_->next_time();
  if (report_s) out = out ? std::min(*out, *report_s) : report_s;
  return out;
}

void Scheduler::report(std::int64_t now_s, const queue::Answers::Brief& of) {
  const auto job = jobs_.find(of.when.job);
  if (job == jobs_.end() || job->second.runs) return;
  annotate(of.when.job, report_text(job->second.annotations, of, style_, now_s));
}

void Scheduler::annotate(JobId id, const std::string& text) {
  if (text.empty()) return;
  counters_.annotated();
  manager_.annotate(id, text);
}

Result<void> Scheduler::configure(const queue::QueueConfig& queues) {
  return change_queues(*queue_, queues);
}

// --- Decisions

void Scheduler::started(JobId id, const Grant& grant) {
  Job& job = jobs_.at(id);
  counters_.started(job.queue);
  job.runs = true;
  const std::int64_t now_s = engine_->now();
  const bool endless = grant.end >= engine_->options().horizon;
  if (!endless) job.end_s = now_s + (grant.end - grant.start);
  if (!endless && grant.start < now_s) late_.emplace_back(id, now_s + (grant.end - grant.start));
  const AllocatedR::Text got = allocated_.of(grant, *job.request, inventory_.all(),
                                             inventory_.expiration_s(), {clock_s_, job.exact_s});
  const queue::QueueView view = queue_->view();
  const queue::QueuedJob& queued = view.jobs[view.jobs.find(id)];
  const auto& order = view.queues[queued.waiting_queue].order();
  std::optional<bool> passed;
  if (has_types()) passed = !order.empty() && order.begin()->position < queued.position;
  const std::string hres = grant.charges.empty() ? "" : engine_->charges_text(grant.charges);
  manager_.succeed(id, got.r, job.annotations.starts(got.summary, passed, hres));
  job.request.reset();
}

void Scheduler::planned(JobId id, std::int64_t start_s) {
  Job& job = jobs_.at(id);
  if (!job.annotations.promised()) counters_.promised(job.queue);
  annotate(id, job.annotations.planned(start_s, has_types()));
}

void Scheduler::unplanned(JobId id) {
  annotate(id, jobs_.at(id).annotations.planned(std::nullopt, has_types()));
}

void Scheduler::denied(JobId id, const Error& error) {
  const Job& job = jobs_.at(id);
  counters_.denied(job.queue);
  const std::string text = unsatisfiable(*job.request, engine_->graph(), error.text);
  forget(id);
  manager_.deny(id, "alloc denied due to type=\"unsatisfiable\": " + text);
}

void Scheduler::forget(JobId id) { jobs_.erase(id); }

// --- Answers

Result<std::string> Scheduler::why(JobId id, AnswerForm form, const std::string& name) {
  const auto answer = answers_->of(id);
  if (!answer) return std::unexpected(answer.error());
  return answer_text(*answer, form, name, names_);
}

std::string Scheduler::stats() const {
  return object_text([&](JsonWriter& json) {
    json.object("jobs", [&] {
      json.member("waiting", queue_->waiting());
      json.member("running", queue_->running());
    });
    json.object("counts", [&] { counters_.write(json); });
    json.member("sequence", queue_->sequence());
    json.member("bytes", engine_->bytes());
  });
}

void Scheduler::check() const {
  queue_->check();
  [[maybe_unused]] std::size_t runs = 0;
  for (const auto& [id, job] : jobs_) {
    runs += job.runs ? 1U : 0U;
    assert(job.runs || queue_->state(id));
  }
  assert(runs >= queue_->running());
}

}  // namespace copse::flux
