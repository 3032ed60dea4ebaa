// SPDX-License-Identifier: Apache-2.0
//
// QmanagerModule: the module under Fluxion's name sched-fluxion-qmanager. Copse's module
// sched-fluxion-resource has the engine and schedules the jobs (resource_module.hpp). This module starts
// that with its options, and answers the requests of its own name.
#pragma once

#include <flux/core.h>

#include <string>
#include <vector>

#include "copse/error.hpp"

namespace copse::flux {

class QmanagerModule {
 public:
  explicit QmanagerModule(flux_t* h) : h_(h) {}
  ~QmanagerModule();
  QmanagerModule(const QmanagerModule&) = delete;
  QmanagerModule& operator=(const QmanagerModule&) = delete;

  // Errors: those of the other module; io if that is not Copse's.
  [[nodiscard]] Result<void> start(const std::vector<std::string>& arguments);
  [[nodiscard]] int run() { return flux_reactor_run(flux_get_reactor(h_), 0); }

 private:
  void answer(const flux_msg_t* message, const char* member);

  flux_t* const h_;
  flux_msg_handler_t** handlers_ = nullptr;
  flux_future_t* manages_ = nullptr;
};

}  // namespace copse::flux
