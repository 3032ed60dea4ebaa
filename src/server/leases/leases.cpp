// SPDX-License-Identifier: Apache-2.0
#include "server/leases/leases.hpp"

#include "base/saturating.hpp"

namespace copse::server {

void Leases::begin(JobId id, std::int64_t lease_s, std::int64_t now_ms) {
  end(id);
  if (lease_s == 0) return;
  const std::int64_t end_ms = saturating_sum(now_ms, saturating_product(lease_s, 1'000));
  by_end_.emplace(end_ms, id);
  ends_.emplace(id, end_ms);
}

void Leases::end(JobId id) {
  const auto at = ends_.find(id);
  if (at == ends_.end()) return;
  by_end_.erase({at->second, id});
  ends_.erase(at);
}

std::optional<JobId> Leases::expired(std::int64_t now_ms) const {
  if (by_end_.empty() || by_end_.begin()->first > now_ms) return std::nullopt;
  return by_end_.begin()->second;
}

}  // namespace copse::server
