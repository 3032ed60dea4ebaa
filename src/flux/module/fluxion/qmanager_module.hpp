// SPDX-License-Identifier: Apache-2.0
//
// QmanagerModule: the module under Fluxion's name sched-fluxion-qmanager. Jobs are scheduled by the
// module that has the engine, sched-fluxion-resource of Copse's (resource_module.hpp); this one
// says from when on and with which options, and answers for it.
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

  // Errors: as the other module says; io, where that is not Copse's.
  [[nodiscard]] Result<void> start(const std::vector<std::string>& arguments);
  [[nodiscard]] int run() { return flux_reactor_run(flux_get_reactor(h_), 0); }

 private:
  void answer(const flux_msg_t* message, const char* member);

  flux_t* const h_;
  flux_msg_handler_t** handlers_ = nullptr;
  flux_future_t* manages_ = nullptr;
};

}  // namespace copse::flux
