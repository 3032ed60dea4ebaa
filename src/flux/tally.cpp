// SPDX-License-Identifier: Apache-2.0
#include "flux/tally.hpp"

namespace copse::flux {

QueueCounts Tally::of(const std::string& queue) const {
  const auto at = by_queue_.find(queue);
  return at == by_queue_.end() ? QueueCounts() : at->second;
}

void Tally::write(JsonWriter& json) const {
  json.member("alloc", all_.asked);
  json.member("started", all_.started);
  json.member("denied", all_.denied);
  json.member("cancelled", all_.cancelled);
  json.member("freed", all_.freed);
  json.member("annotations", all_.annotations);
}

}  // namespace copse::flux
