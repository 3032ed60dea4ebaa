// SPDX-License-Identifier: Apache-2.0
//
// Reads a TOML table `policy` (RFC 33), of all queues or of one.
//
//
//   [policy.limits]                        # or [queues.batch.policy.limits]
//   duration = "4h"                        # "0": unlimited
//   job-size.max.nnodes = 8                # also ncores, ngpus; -1: unlimited
//   job-size.min.nnodes = 1
#pragma once

#ifdef COPSE_HAS_TOML

#include <string>

#include "queue/config/job_limits.hpp"
#include "text/toml_text.hpp"

namespace copse::queue {

// Errors, with line and column: invalid (an unknown key, a value of another type).
[[nodiscard]] Result<void> read_policy(const toml::node& policy, const std::string& file,
                                       JobLimits::Stated& to);

}  // namespace copse::queue

#endif
