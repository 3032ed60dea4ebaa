// SPDX-License-Identifier: Apache-2.0
#include "flux/job_counters.hpp"

namespace copse::flux {

QueueCounts JobCounters::of(const std::string& queue) const {
  const auto at = by_queue_.find(queue);
  return at == by_queue_.end() ? QueueCounts() : at->second;
}

void JobCounters::write(JsonWriter& json) const {
  json.member("alloc", total_.requested);
  json.member("started", total_.started);
  json.member("denied", total_.denied);
  json.member("cancelled", total_.cancelled);
  json.member("freed", total_.freed);
  json.member("annotations", total_.annotations);
}

}  // namespace copse::flux
