// SPDX-License-Identifier: Apache-2.0
//
// The decision of a discipline about a job, where the discipline may be a plugin.
#pragma once

#include <string>

#include "copse/discipline.hpp"
#include "queue/shared_parts.hpp"

namespace copse::queue {

// The result of its function. If it throws, or returns an invalid value, `sink` is notified, and
// the result is `wait`.
[[nodiscard]] Treatment treatment_of(const JobView& job, const std::string& queue, QueueSink& sink);

}  // namespace copse::queue
