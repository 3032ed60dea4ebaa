// SPDX-License-Identifier: Apache-2.0
//
// VisitSources: what a visiting policy may ask about, besides graph and state. The engine sets it;
// the pointers stay valid as long as it does.
#pragma once

#include <map>
#include <string>

#include "copse/ids.hpp"
#include "hres/channels.hpp"
#include "state/grants.hpp"

namespace copse {

// The users of jobs with a grant, as far as they are known.
using JobUsers = std::map<JobId, std::string>;

struct VisitSources {
  const Grants* grants = nullptr;
  const JobUsers* users = nullptr;
  const Channels* channels = nullptr;  // nullptr: no auxiliary subsystems
  JobId job = 0;                       // that is matched; 0: a question without a job
};

}  // namespace copse
