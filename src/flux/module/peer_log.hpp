// SPDX-License-Identifier: Apache-2.0
//
// PeerLog: lines of the broker's log in the words that tests and scripts of Flux's own schedulers
// look for. Which ones depends on whose place the module takes.
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
  void taken_over(const HelloJob& job);
  void freed(JobId job, const json_t* r, bool last);

 private:
  flux_t* const h_;
  const ModuleOptions::As as_;
};

}  // namespace copse::flux
