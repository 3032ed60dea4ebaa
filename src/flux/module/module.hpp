// SPDX-License-Identifier: Apache-2.0
//
// Module: the broker module around a Scheduler. It converts messages to calls and answers to
// messages, and gives the scheduler slices of time between messages (WorkLoop). Protocols: RFC 27 (job
// manager), RFC 28 (resource.acquire).
//
// start() acquires the resources, adopts running jobs, and reports that the scheduler is ready; run()
// returns when the module is unloaded. Thread: that of the handle.
#pragma once

#include <flux/core.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flux/module/acquisition.hpp"
#include "flux/module/alloc_requests.hpp"
#include "flux/module/expirations.hpp"
#include "flux/module/held_jobs.hpp"
#include "flux/module/hello.hpp"
#include "flux/module/module_options.hpp"
#include "flux/module/peer_log.hpp"
#include "flux/module/work_loop.hpp"
#include "flux/scheduler.hpp"

namespace copse::flux {

class Module final {
 public:
  // `name` is the prefix of the topics of its own requests.
  Module(flux_t* handle, std::string name, ModuleOptions options,
         std::vector<std::string> arguments);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // Registers services and handlers. Errors: io (another scheduler is loaded, among others).
  [[nodiscard]] Result<void> serve();
  // REQUIRES serve(). Waits for the resources, which may take long. Calls `begun` with them as soon as
  // jobs are scheduled.
  using Begun = std::function<void(const Acquisition::First&)>;
  [[nodiscard]] Result<void> start(Begun begun);
  // Sets a function that is called after each change of the acquired resources.
  void observe(Acquisition::Changed observer) { observer_ = std::move(observer); }
  // Starts on resources that the caller has acquired; the caller passes changes to update(). The
  // reactor calls `ready` once, when all running jobs are known, or with the error.
  [[nodiscard]] Result<void> start_on(Setup setup, std::function<void(Result<void>)> ready);
  void update(const ResourceUpdate& update);
  [[nodiscard]] Scheduler& scheduler() { return *scheduler_; }  // REQUIRES start()
  [[nodiscard]] const ModuleOptions& options() const { return options_; }
  void wake() { loop_.wake(); }  // after a change
  [[nodiscard]] std::int64_t time_s() const { return static_cast<std::int64_t>(now_s()); }
  // Returns when the module is unloaded; -1 after an internal error.
  [[nodiscard]] int run();

 private:
  // --- Messages
  void alloc(const flux_msg_t* message);
  void free(const flux_msg_t* message);
  void cancel(const flux_msg_t* message);
  void prioritize(const flux_msg_t* message);
  void expiration(const flux_msg_t* message);
  void resource_status(const flux_msg_t* message);
  void feasibility(const flux_msg_t* message);
  void why(const flux_msg_t* message);
  void layers(const flux_msg_t* message);
  void set_layer(const flux_msg_t* message);
  void stats(const flux_msg_t* message);
  void config_reload(const flux_msg_t* message);
  [[nodiscard]] bool reads_queues() const;
  [[nodiscard]] Result<void> hello(const HelloJob& job);
  void end_hello(Result<void> result);
  [[nodiscard]] Result<void> begin();
  void confirm(const HeldJobs::Map& held);
  void expires(JobId job, double end_s);
  void refuse(const flux_msg_t* message, const Error& error);
  void malformed(const flux_msg_t* message);

  [[nodiscard]] WorkLoop::Progress work(double now_s, queue::WorkBudget& budget);
  [[nodiscard]] double now_s() const;

  // Calls a member from a callback of C, which must not throw.
  template <void (Module::*kMember)(const flux_msg_t*)>
  static void handle(flux_t* h, flux_msg_handler_t* handler, const flux_msg_t* message, void* self);

  flux_t* const h_;
  flux_reactor_t* const reactor_;
  const std::string name_;
  ModuleOptions options_;
  const std::vector<std::string> arguments_;
  PeerLog log_;
  Acquisition acquisition_{h_};
  Acquisition::Changed observer_;
  AllocRequests requests_{h_};  // outlives the scheduler
  std::unique_ptr<Scheduler> scheduler_;
  Expirations expirations_{h_, [this](JobId job, double end_s) { expires(job, end_s); }};
  // While running jobs are being read, all other messages wait in deferred_.
  std::unique_ptr<Hello> hello_;
  std::function<void(Result<void>)> ready_;
  HeldJobs held_jobs_{h_, [this](const HeldJobs::Map& held) { confirm(held); }};
  std::deque<std::function<void()>> deferred_;
  bool serves_ = false;  // it has registered the service sched
  flux_msg_handler_t** handlers_ = nullptr;
  WorkLoop loop_{h_,
                 [this](double now_s, queue::WorkBudget& budget) { return work(now_s, budget); }};
};

}  // namespace copse::flux
