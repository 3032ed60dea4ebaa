// SPDX-License-Identifier: Apache-2.0
#include "queue/events/direct_grants.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace copse::queue {

MatchResult DirectGrants::grant(Operation operation, PreparedRequest& request, JobId id) {
  if (p_.jobs.find(id) != kNoSlot) {
    return std::unexpected(
        NoMatch(Error{ErrorCode::exists, fmt::format("there is a job {} already", id), {}}));
  }
  p_.promises.pin_for_outside_grants();
  p_.start_due_jobs();
  const auto got = p_.engine.match(operation, request, id);
  if (!got || p_.engine.grant(id) == nullptr) {
    p_.changed = p_.changed || !p_.promises.due().empty();  // promises may be counted again
    return got;
  }
  ++p_.sequence;
  p_.promises.outside_granted(id);
  if ((*got)->end < p_.engine.options().horizon) p_.outside_ends.emplace((*got)->end, id);
  return got;
}

Result<const Grant*> DirectGrants::known(JobId id) const {
  if (p_.jobs.find(id) != kNoSlot) {
    return fail(ErrorCode::invalid,
                fmt::format("{} is a job of the queue: it ends, or is cancelled", id));
  }
  const Grant* grant = p_.engine.grant(id);
  if (grant == nullptr) return fail(ErrorCode::not_found, fmt::format("{} has no grant", id));
  return grant;
}

Result<void> DirectGrants::free(JobId id) {
  const auto grant = known(id);
  if (!grant) return std::unexpected(grant.error());
  const std::int64_t start_s = (*grant)->start, end_s = (*grant)->end;
  if (auto ok = p_.engine.cancel(id); !ok) return ok;
  p_.freed(std::max(start_s, p_.engine.now()), end_s);
  left(id, end_s);
  return {};
}

Result<bool> DirectGrants::free(JobId id, std::span<const PoolId> pools) {
  const auto grant = known(id);
  if (!grant) return std::unexpected(grant.error());
  const std::int64_t start_s = (*grant)->start, end_s = (*grant)->end;
  const auto gone = p_.engine.cancel_part(id, pools, true);
  if (!gone) return gone;
  p_.freed(std::max(start_s, p_.engine.now()), end_s);
  if (*gone) left(id, end_s);
  return gone;
}

void DirectGrants::left(JobId id, std::int64_t end_s) {
  ++p_.sequence;
  p_.promises.outside_released(id);
  p_.outside_ends.erase({end_s, id});
  p_.job_released(id);
}

void DirectGrants::end_until(std::int64_t now_s) {
  while (!p_.outside_ends.empty() && p_.outside_ends.begin()->first <= now_s) {
    const JobId id = p_.outside_ends.begin()->second;
    p_.promises.outside_released(id);
    p_.outside_ends.erase(p_.outside_ends.begin());
    p_.job_released(id);
    p_.anything_freed = true;
  }
}

}  // namespace copse::queue
