// SPDX-License-Identifier: Apache-2.0
//
// ResourceModule: the module under Fluxion's name sched-fluxion-resource. It has the engine and all
// requests about it. A module sched-fluxion-qmanager of Copse's asks it to schedule jobs as well
// (qmanager_module.hpp): there is one engine, and a match is a call.
//
//   sched-fluxion-resource.copse-manage {"arguments": [s]}: {} once jobs are scheduled. They are
//                                        until its sender is gone, or says so:
//   sched-fluxion-resource.copse-leave   {}
//   sched-fluxion-resource.copse-queues  {"stats": o, "params": o}
//
// Fluxion's own qmanager is served as well: match_multi, notify and the others.
#pragma once

#include <flux/core.h>

#include <memory>
#include <string>
#include <vector>

#include "flux/module/acquisition.hpp"
#include "flux/module/fluxion/notifier.hpp"
#include "flux/module/fluxion/resource_rpcs.hpp"
#include "flux/module/module.hpp"

namespace copse::flux {

class ResourceModule {
 public:
  ResourceModule(flux_t* h, ResourceOptions options) : h_(h), options_(std::move(options)) {}
  ~ResourceModule();
  ResourceModule(const ResourceModule&) = delete;
  ResourceModule& operator=(const ResourceModule&) = delete;

  // The machine of load-file, if there is one. Errors: io, and those of read_machine() and
  // Engine::create().
  [[nodiscard]] Result<void> load_file();
  // The machine of Flux, unless there is a file; then requests are answered. It may wait for long.
  [[nodiscard]] Result<void> start();
  [[nodiscard]] int run() { return flux_reactor_run(flux_get_reactor(h_), 0); }

 private:
  void notify(const flux_msg_t* message);
  void disconnect(const flux_msg_t* message);
  void manage(const flux_msg_t* message);
  void leave(const flux_msg_t* message);
  void queues(const flux_msg_t* message);
  template <void (ResourceModule::*kMember)(const flux_msg_t*)>
  static void handle(flux_t* h, flux_msg_handler_t* handler, const flux_msg_t* message, void* self);

  [[nodiscard]] Result<void> acquire();
  [[nodiscard]] Result<void> begin_managing(std::vector<std::string> arguments);
  void managing(const Result<void>& ready);
  void stop_managing();
  void changed(const ResourceUpdate& update, const char* payload);
  [[nodiscard]] std::int64_t now_s() const;

  flux_t* const h_;
  ResourceOptions options_;
  std::unique_ptr<FluxionResource> resource_;
  std::unique_ptr<ResourceRpcs> rpcs_;
  std::unique_ptr<Notifier> notifier_;  // none: the machine is a file's
  Acquisition acquisition_{h_};
  flux_msg_handler_t** handlers_ = nullptr;
  std::unique_ptr<Module> manager_;          // none: no jobs are scheduled
  const flux_msg_t* managed_for_ = nullptr;  // the request copse-manage
};

}  // namespace copse::flux
