// SPDX-License-Identifier: Apache-2.0
//
// ResourceModule: the module under Fluxion's name sched-fluxion-resource. It has the engine, and answers
// all requests about it. Copse's module sched-fluxion-qmanager requests that it schedules jobs as well
// (qmanager_module.hpp): so there is one engine, and a match is a function call.
//
//   sched-fluxion-resource.copse-manage {"arguments": [s]}: {} when jobs are scheduled. Scheduling ends
//                                        when the sender disconnects, or sends:
//   sched-fluxion-resource.copse-leave   {}
//   sched-fluxion-resource.copse-queues  {"stats": o, "params": o}
//
// It also serves Fluxion's own qmanager: match_multi, notify and the others.
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

  // Loads the machine of load-file, if that is set. Errors: io, and those of read_machine() and
  // Engine::create().
  [[nodiscard]] Result<void> load_file();
  // Without load-file, waits for the resources of Flux, which may take long. Then answers requests.
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
  std::unique_ptr<Notifier> notifier_;  // nullptr: the machine comes from a file
  Acquisition acquisition_{h_};
  flux_msg_handler_t** handlers_ = nullptr;
  std::unique_ptr<Module> manager_;          // nullptr: no jobs are scheduled
  const flux_msg_t* managed_for_ = nullptr;  // the request copse-manage
};

}  // namespace copse::flux
