// SPDX-License-Identifier: Apache-2.0
//
// GrantBounds: what users may take outside the queues of a service, without a job. Without the table
// only operators may.
//
//   [grants]
//   duration = "1h"                       # the longest time
//   job-size.max.nnodes = 2               # also ncores, ngpus, and min
//   queues = ["batch"]                    # on nodes of these queues; default: of all
//
// The limits of the queues (JobLimits) apply in addition.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/known_key.hpp"
#include "queue/config/job_limits.hpp"

namespace copse::queue {

inline constexpr std::array<KnownKey, 3> kGrantKeys{
    {{"duration", KnownKey::kTime}, {"job-size", KnownKey::kMapping}, {"queues", KnownKey::kList}}};

struct GrantBounds {
  bool stated = false;                // false: users take nothing outside the queues
  JobLimits limits{"grants"};         // of all queues
  std::vector<std::string> queues{};  // none: all
};

}  // namespace copse::queue
