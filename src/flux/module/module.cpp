// SPDX-License-Identifier: Apache-2.0
#include "flux/module/module.hpp"

#include <fmt/format.h>
#include <jansson.h>

#include <algorithm>
#include <ctime>
#include <optional>

#include "flux/alloc_text.hpp"
#include "flux/machine/machine.hpp"
#include "flux/module/topologies.hpp"
#include "flux/module/wire.hpp"
#include "text/counted.hpp"
#include "text/json_writer.hpp"

namespace copse::flux {

namespace {

double cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Bits of `flux module debug`, as in sched-simple. Tests of Flux use them.
constexpr int kDenyAll = 1, kReportReasons = 2, kRefuseExpirations = 4;

using As = ModuleOptions::As;

AnnotationLevel annotation_level(As as) {
  if (as == As::fluxion) return AnnotationLevel::promises;
  return as == As::simple ? AnnotationLevel::starts : AnnotationLevel::everything;
}

}  // namespace

template <void (Module::*kMember)(const flux_msg_t*)>
void Module::handle(flux_t*, flux_msg_handler_t*, const flux_msg_t* message, void* self) {
  auto* module = static_cast<Module*>(self);
  guarded(module->h_, [&] {
    if (module->hello_ != nullptr) {
      const std::shared_ptr<const flux_msg_t> kept(flux_msg_incref(message), flux_msg_decref);
      module->deferred_.emplace_back([module, kept] { (module->*kMember)(kept.get()); });
      return;
    }
    module->wake();
    (module->*kMember)(message);
  });
}

Module::Module(flux_t* handle, std::string name, ModuleOptions options,
               std::vector<std::string> arguments)
    : h_(handle),
      reactor_(flux_get_reactor(handle)),
      name_(std::move(name)),
      options_(std::move(options)),
      arguments_(std::move(arguments)),
      log_(handle, options_.as, options_.log_level) {}

Module::~Module() {
  flux_msg_handler_delvec(handlers_);
  if (serves_) unregister_service(h_, "sched");
}

Result<void> Module::serve() {
  if (register_service(h_, "sched") < 0) {
    return std::unexpected(flux_failed("can't register service sched"));
  }
  serves_ = true;
  if (options_.feasibility && register_service(h_, "feasibility") < 0) {
    return std::unexpected(flux_failed("can't register service feasibility"));
  }

  const std::string stats = name_ + ".stats-get", why_topic = name_ + ".why",
                    reload = name_ + ".config-reload", layers_topic = name_ + ".layers",
                    set_layer_topic = name_ + ".set-layer";
  const flux_msg_handler_spec handlers[] = {
      {FLUX_MSGTYPE_REQUEST, "sched.alloc", handle<&Module::alloc>, 0},
      {FLUX_MSGTYPE_REQUEST, "sched.free", handle<&Module::free>, 0},
      {FLUX_MSGTYPE_REQUEST, "sched.cancel", handle<&Module::cancel>, 0},
      {FLUX_MSGTYPE_REQUEST, "sched.prioritize", handle<&Module::prioritize>, 0},
      {FLUX_MSGTYPE_REQUEST, "sched.expiration", handle<&Module::expiration>, 0},
      {FLUX_MSGTYPE_REQUEST, "sched.resource-status", handle<&Module::resource_status>,
       FLUX_ROLE_USER},
      {FLUX_MSGTYPE_REQUEST, "feasibility.check", handle<&Module::feasibility>, FLUX_ROLE_USER},
      {FLUX_MSGTYPE_REQUEST, why_topic.c_str(), handle<&Module::why>, FLUX_ROLE_USER},
      {FLUX_MSGTYPE_REQUEST, layers_topic.c_str(), handle<&Module::layers>, FLUX_ROLE_USER},
      {FLUX_MSGTYPE_REQUEST, set_layer_topic.c_str(), handle<&Module::set_layer>, 0},
      {FLUX_MSGTYPE_REQUEST, stats.c_str(), handle<&Module::stats>, FLUX_ROLE_USER},
      {FLUX_MSGTYPE_REQUEST, reload.c_str(), handle<&Module::config_reload>, 0},
      FLUX_MSGHANDLER_TABLE_END};
  if (flux_msg_handler_addvec(h_, handlers, this, &handlers_) < 0) {
    return std::unexpected(flux_failed("can't add message handlers"));
  }
  return {};
}

Result<void> Module::start(Begun begun) {
  auto acquired = acquisition_.first();
  if (!acquired) return std::unexpected(acquired.error());
  const auto first = std::make_shared<Acquisition::First>(std::move(*acquired));
  std::vector<std::string> topologies;
  if (options_.asks_topologies()) {
    const auto all = read_inventory(first->inventory);
    if (!all) return std::unexpected(all.error());
    const Idset ranks = all->ranks();
    auto texts = topologies_of(h_, ranks.empty() ? 0 : ranks.ranges().back().second + 1);
    if (!texts) return std::unexpected(texts.error());
    topologies = std::move(*texts);
  }
  return start_on({.inventory = first->inventory, .topologies = topologies, .up = first->up},
                  [this, first, begun = std::move(begun)](Result<void> ready) {
                    if (ready) {
                      ready = acquisition_.watch(
                          [this](const ResourceUpdate& change, const char* payload) {
                            update(change);
                            if (observer_) observer_(change, payload);
                          },
                          [this] { flux_reactor_stop(reactor_); });
                    }
                    if (ready) return begun(*first);
                    // An error status of the module would stop the broker.
                    flux_log(h_, LOG_ERR, "%s", ready.error().message().c_str());
                    flux_reactor_stop(reactor_);
                  });
}

Result<void> Module::start_on(Setup setup, std::function<void(Result<void>)> ready) {
  setup.now_s = static_cast<std::int64_t>(now_s());
  setup.policy = options_.policy;
  setup.policy_by_levels = options_.as == As::copse && !options_.policy_given;
  setup.traverser = options_.traverser;
  setup.queues = options_.queues;
  setup.machine.file = options_.inventory.name;
  setup.machine.format = options_.inventory_format;
  setup.machine_text = options_.inventory.text;
  setup.hres = options_.hres.text;
  setup.hres_file = options_.hres.name;
  setup.write_graph = options_.write_graph;
  setup.shorthand = options_.shorthand;
  setup.no_foreign_queues = options_.as == As::fluxion;
  setup.writes_slots = options_.as != As::fluxion;
  setup.annotations = annotation_level(options_.as);
  setup.reasons = options_.reasons;
  setup.job_names = shown_id;
  setup.plain = options_.as == As::simple;
  auto scheduler = Scheduler::create(setup, requests_);
  if (!scheduler) return std::unexpected(scheduler.error());
  scheduler_ = std::move(*scheduler);
  log_.machine(scheduler_->machine(), options_);
  ready_ = std::move(ready);
  hello_ = std::make_unique<Hello>(
      h_,
      Hello::Options{.partial = options_.partial_hello,
                     .jobspecs = !options_.hres.text.empty() || reads_queues()},
      [this] { return send_ready(h_, options_.mode); },
      [this](const HelloJob& job) { return hello(job); },
      [this](Result<void> result) { end_hello(std::move(result)); });
  return hello_->start();
}

// Flux sends no free for what a job freed between hello and ready.
void Module::confirm(const HeldJobs::Map& held) {
  const std::size_t ended = scheduler_->confirm(held);
  wake();
  if (ended == 0) return;
  flux_log(h_, LOG_INFO, "%s before the scheduler was ready",
           counted(ended, "job ended", "jobs ended").c_str());
}

// May destroy the Hello, and `ready` may destroy this.
void Module::end_hello(Result<void> result) {
  if (result) result = begin();
  hello_.reset();
  for (const auto& deferred : std::exchange(deferred_, {})) deferred();
  const auto ready = std::exchange(ready_, {});
  ready(std::move(result));
}

Result<void> Module::begin() {
  log_.ready(options_, scheduler_->summary());
  expirations_.request();
  if (auto ok = held_jobs_.ask(); !ok) return ok;
  return loop_.begin();
}

int Module::run() { return flux_reactor_run(reactor_, 0); }

double Module::now_s() const { return flux_reactor_now(reactor_); }

// --- Work

WorkLoop::Progress Module::work(double now_s, queue::WorkBudget& budget) {
  if (options_.as == As::simple) scheduler_->set_clock(now_s);
  scheduler_->report_reasons(flux_module_debug_test(h_, kReportReasons, false));
  const bool all = scheduler_->work(static_cast<std::int64_t>(now_s), budget);
  requests_.commit();
  return {.all = all, .next_s = scheduler_->next_time()};
}

// --- Messages

Result<void> Module::hello(const HelloJob& job) {
  HelloJob named = job;
  named.queue = queue_of(job.jobspec);
  auto adopted = scheduler_->hello(named);
  if (!adopted) return adopted;
  log_.adopted(named);
  expirations_.add(job.id);
  return adopted;
}

// Whether the queues of running jobs are needed.
bool Module::reads_queues() const {
  return options_.as == As::fluxion || !options_.queues.queues.front().name.empty();
}

void Module::alloc(const flux_msg_t* message) {
  const char* text = nullptr;
  if (flux_msg_get_string(message, &text) < 0 || text == nullptr) return malformed(message);
  auto request = read_alloc(text);
  if (!request) return malformed(message);
  if (!requests_.add(request->id, message)) {
    flux_log(h_, LOG_ERR, "alloc: %s is pending already", shown_id(request->id).c_str());
    return;
  }
  if (flux_module_debug_test(h_, kDenyAll, false)) {
    return requests_.deny(request->id, "DEBUG_FAIL_ALLOC");
  }
  // Flux has validated the jobspec unless that is turned off. This is the text of sched-simple.
  if (options_.as == As::simple) {
    const SystemAttributes system = system_attributes(request->jobspec);
    if (!system.present) {
      return requests_.deny(
          request->id, "cannot parse jobspec: getting duration: Object item not found: system");
    }
    if (system.duration_s > 0) request->duration_s = system.duration_s;
  }
  scheduler_->alloc(*request);
}

void Module::free(const flux_msg_t* message) {
  json_int_t id = 0;
  json_t* r = nullptr;
  int last = 0;
  if (flux_msg_unpack(message, "{s:I s:o s?b}", "id", &id, "R", &r, "final", &last) < 0) {
    return malformed(message);
  }
  log_.freed(static_cast<JobId>(id), r, last != 0);
  scheduler_->free(static_cast<JobId>(id), ranks_of(r), last != 0);
}

void Module::cancel(const flux_msg_t* message) {
  json_int_t id = 0;
  if (flux_msg_unpack(message, "{s:I}", "id", &id) < 0) return malformed(message);
  scheduler_->cancel(static_cast<JobId>(id));
}

void Module::prioritize(const flux_msg_t* message) {
  json_t* jobs = nullptr;
  if (flux_msg_unpack(message, "{s:o}", "jobs", &jobs) < 0) return malformed(message);
  for (std::size_t i = 0; i < json_array_size(jobs); ++i) {
    json_int_t id = 0, priority = 0;
    if (json_unpack(json_array_get(jobs, i), "[I,I]", &id, &priority) < 0) {
      return malformed(message);
    }
    scheduler_->prioritize(static_cast<JobId>(id),
                           std::clamp<std::int64_t>(priority, 0, kPriorityMax));
  }
}

void Module::expiration(const flux_msg_t* message) {
  json_int_t id = 0;
  double expiration_s = 0;
  if (flux_msg_unpack(message, "{s:I s:F}", "id", &id, "expiration", &expiration_s) < 0) {
    return refuse(message, {ErrorCode::invalid, "sched.expiration needs id and expiration", {}});
  }
  if (flux_module_debug_test(h_, kRefuseExpirations, false)) {
    return refuse(message, {ErrorCode::invalid, "expirations are refused (debug)", {}});
  }
  const auto set = scheduler_->set_expiration(static_cast<JobId>(id), expiration_s);
  if (!set) return refuse(message, set.error());
  flux_respond(h_, message, nullptr);
}

void Module::resource_status(const flux_msg_t* message) {
  flux_respond(h_, message, scheduler_->status().c_str());
}

void Module::feasibility(const flux_msg_t* message) {
  json_t* jobspec = nullptr;
  if (flux_msg_unpack(message, "{s:o}", "jobspec", &jobspec) < 0) {
    return refuse(message, {ErrorCode::invalid, "feasibility.check needs a jobspec", {}});
  }
  const Text text = text_of(jobspec);
  const auto feasible = scheduler_->feasible(text.get());
  if (!feasible) return refuse(message, feasible.error());
  flux_respond(h_, message, nullptr);
}

void Module::why(const flux_msg_t* message) {
  json_int_t id = 0;
  int as_json = 0, is_whole = 0;
  const char* name = "";
  if (flux_msg_unpack(message, "{s:I s?b s?b s?s}", "id", &id, "json", &as_json, "long", &is_whole,
                      "name", &name) < 0) {
    return refuse(message, {ErrorCode::invalid, "why needs an id", {}});
  }
  const AnswerForm form = as_json != 0    ? AnswerForm::json
                          : is_whole != 0 ? AnswerForm::whole
                                          : AnswerForm::brief;
  const auto text = scheduler_->why(static_cast<JobId>(id), form, name);
  if (!text) return refuse(message, text.error());
  if (as_json != 0) {
    flux_respond(h_, message, text->c_str());
  } else {
    flux_respond_pack(h_, message, "{s:s}", "text", text->c_str());
  }
}

void Module::layers(const flux_msg_t* message) {
  flux_respond(h_, message, scheduler_->layers().c_str());
}

void Module::set_layer(const flux_msg_t* message) {
  const char *resource = nullptr, *nodes = nullptr;
  json_int_t count = 0;
  if (flux_msg_unpack(message, "{s:s s:s s:I}", "resource", &resource, "nodes", &nodes, "count",
                      &count) < 0) {
    return refuse(message, {ErrorCode::invalid, "set-layer needs resource, nodes and count", {}});
  }
  const auto set = scheduler_->set_layer(resource, nodes, count);
  if (!set) return refuse(message, set.error());
  flux_respond(h_, message, nullptr);
}

void Module::stats(const flux_msg_t* message) {
  std::string out;
  JsonWriter json(out);
  json.object([&] {
    json.member_json("scheduler", scheduler_->stats());
    json.member_json("cpu", fmt::format("{:.6f}", cpu_s()));
    json.member("slices", loop_.count());
    json.member_json("longest-slice", fmt::format("{:.6f}", loop_.longest_slice_s()));
  });
  flux_respond(h_, message, out.c_str());
}

void Module::config_reload(const flux_msg_t* message) {
  flux_conf_t* conf = nullptr;
  if (flux_module_config_request_decode(message, &conf) < 0) {
    return refuse(message, {ErrorCode::invalid, "cannot read the configuration", {}});
  }
  auto read = read_module_options(conf, name_, arguments_);
  auto done = read ? scheduler_->configure(read->queues) : std::unexpected(read.error());
  if (!done) {
    flux_conf_decref(conf);
    return refuse(message, done.error());
  }
  for (const std::string& key : fixed_changes(options_, *read)) {
    flux_log(h_, LOG_WARNING, "%s: the new value takes effect when the module is reloaded",
             key.c_str());
  }
  flux_set_conf_new(h_, conf);
  flux_respond(h_, message, nullptr);
}

void Module::update(const ResourceUpdate& update) {
  if (hello_ != nullptr) {
    deferred_.emplace_back([this, update] { scheduler_->update(update); });
    return;
  }
  wake();
  scheduler_->update(update);
}

// The job may have ended.
void Module::expires(JobId job, double end_s) {
  wake();
  [[maybe_unused]] const auto set = scheduler_->set_expiration(job, end_s);
}

void Module::refuse(const flux_msg_t* message, const Error& error) {
  flux_respond_error(h_, message, errno_of(error), error.message().c_str());
}

void Module::malformed(const flux_msg_t* message) {
  const char* topic = nullptr;
  flux_msg_get_topic(message, &topic);
  flux_log(h_, LOG_ERR, "%s: malformed message", topic == nullptr ? "message" : topic);
}

}  // namespace copse::flux
