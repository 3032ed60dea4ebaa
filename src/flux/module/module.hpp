// SPDX-License-Identifier: Apache-2.0
//
// Module: the broker module around a Scheduler. It turns messages into calls and answers into
// messages, gives the scheduler a budget of time in each turn of the reactor, and nothing else.
// Protocols: RFC 27 (job manager), RFC 28 (resource.acquire).
//
// Life: start() acquires the resources, takes over what runs, and says that it is ready; run() lasts
// until the module is unloaded. One thread: that of the handle.
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
#include "flux/module/hello.hpp"
#include "flux/module/module_options.hpp"
#include "flux/module/peer_log.hpp"
#include "flux/module/turns.hpp"
#include "flux/scheduler.hpp"

namespace copse::flux {

class Module final {
 public:
  // `name`: before the dot in the topics of its own requests.
  Module(flux_t* handle, std::string name, ModuleOptions options,
         std::vector<std::string> arguments);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // Services, and handlers. Errors: io; a second scheduler is there.
  [[nodiscard]] Result<void> serve();
  // REQUIRES serve(). `begun` is called once jobs are scheduled, with the resources as they were
  // acquired. It may wait for long, until they are known.
  using Begun = std::function<void(const Acquisition::First&)>;
  [[nodiscard]] Result<void> start(Begun begun);
  // From then on called after each change of the resources that were acquired.
  void observe(Acquisition::Changed observer) { observer_ = std::move(observer); }
  // The same, on resources that somebody else has acquired, who calls update(). From the reactor,
  // `ready` is called once: all jobs that have resources are known; or why not.
  [[nodiscard]] Result<void> start_on(Setup setup, std::function<void(Result<void>)> ready);
  void update(const ResourceUpdate& update);
  [[nodiscard]] Scheduler& scheduler() { return *scheduler_; }  // REQUIRES start()
  [[nodiscard]] const ModuleOptions& options() const { return options_; }
  void wake() { turns_.wake(); }  // something was changed
  [[nodiscard]] std::int64_t time_s() const { return static_cast<std::int64_t>(now_s()); }
  // Until the module is unloaded, or something fails for good: -1.
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
  void hello_over(Result<void> result);
  [[nodiscard]] Result<void> begin();
  void expires(JobId job, double end_s);
  void refuse(const flux_msg_t* message, const Error& error);
  void malformed(const flux_msg_t* message);

  [[nodiscard]] Turns::Worked work(double now_s, queue::WorkBudget& budget);
  [[nodiscard]] double now_s() const;

  // Calls a member for a callback of C, which no exception may leave.
  template <void (Module::*kMember)(const flux_msg_t*)>
  static void handle(flux_t* h, flux_msg_handler_t* handler, const flux_msg_t* message, void* self);
  template <class Call>
  void guarded(Call call) noexcept;

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
  // While jobs that have resources are being told, all else waits.
  std::unique_ptr<Hello> hello_;
  std::function<void(Result<void>)> ready_;
  std::deque<std::function<void()>> deferred_;
  bool serves_ = false;  // the service sched is this one's
  flux_msg_handler_t** handlers_ = nullptr;
  Turns turns_{h_, [this](double now_s, queue::WorkBudget& budget) { return work(now_s, budget); }};
};

}  // namespace copse::flux
