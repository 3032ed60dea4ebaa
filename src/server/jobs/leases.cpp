// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/leases.hpp"

namespace copse::server {

void Leases::begin(JobId id, std::int64_t lease_s, std::int64_t now_s) {
  end(id);
  if (lease_s == 0) return;
  const std::int64_t end_s = lease_s < INT64_MAX - now_s ? now_s + lease_s : INT64_MAX;
  by_end_.emplace(end_s, id);
  ends_.emplace(id, end_s);
}

void Leases::end(JobId id) {
  const auto at = ends_.find(id);
  if (at == ends_.end()) return;
  by_end_.erase({at->second, id});
  ends_.erase(at);
}

std::optional<JobId> Leases::expired(std::int64_t now_s) const {
  if (by_end_.empty() || by_end_.begin()->first > now_s) return std::nullopt;
  return by_end_.begin()->second;
}

}  // namespace copse::server
