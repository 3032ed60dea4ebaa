// SPDX-License-Identifier: Apache-2.0
//
// PeerLog: log lines with the texts of Flux's own schedulers, for the tests and scripts that search for
// them. The lines depend on the scheduler that the module replaces.
#pragma once

#include <flux/core.h>
#include <jansson.h>

#include <string>
#include <utility>

#include "flux/machine/machine.hpp"
#include "flux/messages.hpp"
#include "flux/module/module_options.hpp"

namespace copse::flux {

class PeerLog {
 public:
  // As sched-simple, `level` is the lowest that is logged.
  PeerLog(flux_t* h, ModuleOptions::As as, std::string level)
      : h_(h), as_(as), level_(std::move(level)) {}

  // What the machine was made of, how it is scheduled, and what is not used.
  void machine(const InstanceMachine& machine, const ModuleOptions& options);
  void ready(const ModuleOptions& options, const std::string& resources);
  void adopted(const HelloJob& job);
  void freed(JobId job, const json_t* r, bool last);

 private:
  flux_t* const h_;
  const ModuleOptions::As as_;
  const std::string level_;
};

}  // namespace copse::flux
