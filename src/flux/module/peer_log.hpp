// SPDX-License-Identifier: Apache-2.0
//
// PeerLog: log lines with the texts of Flux's own schedulers, for the tests and scripts that search for
// them. The lines depend on the scheduler that the module replaces.
#pragma once

#include <flux/core.h>
#include <jansson.h>

#include <string>

#include "flux/messages.hpp"
#include "flux/module/module_options.hpp"

namespace copse::flux {

class PeerLog {
 public:
  PeerLog(flux_t* h, ModuleOptions::As as) : h_(h), as_(as) {}

  void ready(const std::string& mode, const std::string& resources);
  void adopted(const HelloJob& job);
  void freed(JobId job, const json_t* r, bool last);

 private:
  flux_t* const h_;
  const ModuleOptions::As as_;
};

}  // namespace copse::flux
