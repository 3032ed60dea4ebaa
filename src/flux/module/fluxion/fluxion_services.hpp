// SPDX-License-Identifier: Apache-2.0
//
// FluxionServices: the services of Fluxion's modules, for a module that schedules under another name. So
// `flux ion-resource`, and scripts that use sched-fluxion-qmanager.stats-get, work with sched-copse.
//
// Answers are those of resource_rpcs.hpp and queue_text.hpp. notify passes on the changes of resources
// that the scheduler gets, so that Fluxion's own sched-fluxion-feasibility runs on any rank.
#pragma once

#include <flux/core.h>

#include "flux/module/fluxion/notifier.hpp"
#include "flux/module/fluxion/resource_rpcs.hpp"
#include "flux/module/module.hpp"

namespace copse::flux {

class FluxionServices {
 public:
  // REQUIRES that the module schedules jobs (Module::start()) on these resources, and outlives this.
  FluxionServices(flux_t* h, Module& module, const Acquisition::First& acquired);
  ~FluxionServices();
  FluxionServices(const FluxionServices&) = delete;
  FluxionServices& operator=(const FluxionServices&) = delete;

  // Errors: io (another module has registered these services, among others).
  [[nodiscard]] Result<void> serve();

 private:
  void answer_queues(const flux_msg_t* message, const char* member);

  flux_t* const h_;
  Module& module_;
  FluxionResource resource_;
  ResourceRpcs rpcs_;
  Notifier notifier_;
  flux_msg_handler_t **resource_handlers_ = nullptr, **queue_handlers_ = nullptr;
  bool has_resource_ = false, has_qmanager_ = false;
};

}  // namespace copse::flux
