// SPDX-License-Identifier: Apache-2.0
//
// What a discipline says of a job, where somebody else may have written it.
#pragma once

#include <string>

#include "copse/discipline.hpp"
#include "queue/shared_parts.hpp"

namespace copse::queue {

// What its function returns. If it throws, or returns no Treatment, `sink` is told, and it is `wait`.
[[nodiscard]] Treatment treatment_of(const JobView& job, const std::string& queue, QueueSink& sink);

}  // namespace copse::queue
