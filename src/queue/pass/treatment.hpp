// SPDX-License-Identifier: Apache-2.0
//
// The decision of a discipline about a job, where the discipline may be a plugin.
#pragma once

#include <string>

#include "copse/discipline.hpp"
#include "queue/shared_parts.hpp"

namespace copse::queue {

// A waiting job as its discipline sees it. `position`: waiting jobs before it; `promises`: how many of
// these have promises.
[[nodiscard]] JobView view_of(const SharedParts& shared, const Discipline& discipline, Slot slot,
                              std::size_t position, std::size_t promises);

// The result of its function. If it throws, or returns an invalid value, `sink` is notified, and
// the result is `wait`.
[[nodiscard]] Treatment treatment_of(const JobView& job, const std::string& queue, QueueSink& sink);

}  // namespace copse::queue
