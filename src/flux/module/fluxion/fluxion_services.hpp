// SPDX-License-Identifier: Apache-2.0
//
// FluxionServices: what Fluxion's modules answer, by the names of their services, of a module that
// schedules under a name of its own. So `flux ion-resource` and scripts that ask for
// sched-fluxion-qmanager.stats-get run with sched-copse as it is.
//
// Answers are those of resource_rpcs.hpp and queue_text.hpp. notify tells of the resources what the
// scheduler is told of them, so that Fluxion's own sched-fluxion-feasibility runs on any rank.
#pragma once

#include <flux/core.h>

#include "flux/module/fluxion/notifier.hpp"
#include "flux/module/fluxion/resource_rpcs.hpp"
#include "flux/module/module.hpp"

namespace copse::flux {

class FluxionServices {
 public:
  // REQUIRES that the module schedules jobs (Module::start()), on these resources, and lives longer.
  FluxionServices(flux_t* h, Module& module, const Acquisition::First& acquired);
  ~FluxionServices();
  FluxionServices(const FluxionServices&) = delete;
  FluxionServices& operator=(const FluxionServices&) = delete;

  // Errors: io: somebody else has these names, among others.
  [[nodiscard]] Result<void> serve();

 private:
  void answer_queues(const flux_msg_t* message, const char* member);
  template <class Call>
  void guarded(Call call) noexcept;

  flux_t* const h_;
  Module& module_;
  FluxionResource resource_;
  ResourceRpcs rpcs_;
  Notifier notifier_;
  flux_msg_handler_t **resource_handlers_ = nullptr, **queue_handlers_ = nullptr;
  bool has_resource_ = false, has_qmanager_ = false;
};

}  // namespace copse::flux
