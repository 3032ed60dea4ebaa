// SPDX-License-Identifier: Apache-2.0
#include "queue/events/direct_grants.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/clock_time.hpp"

namespace copse::queue {

MatchResult DirectGrants::grant(Operation operation, PreparedRequest& request, JobId id,
                                const OutsideGrant& of) {
  if (p_.jobs.find(id) != kNoSlot) {
    return std::unexpected(
        NoMatch(Error{ErrorCode::exists, fmt::format("there is a job {} already", id), {}}));
  }
  RunningSize size{};
  const bool counts = !of.user.empty() && of.request != nullptr;
  if (counts) size = running_size(*of.request, p_.engine.graph());
  if (auto reached = limit_reached(of.user, size); !reached.empty()) {
    return std::unexpected(NoMatch(Error{ErrorCode::insufficient, std::move(reached), {}}));
  }
  const bool none_promised = p_.promises.counting() && p_.promises.due().empty();
  const bool counts_decide =
      none_promised || (p_.promises.counting() && fits_now(operation, request, id));
  if (!counts_decide) {
    p_.changed = p_.changed || (p_.promises.counting() && !p_.promises.due().empty());
    p_.promises.pin_for_others();
    p_.start_due_jobs();
  }
  if (const auto conflict = unbooked_conflict(operation, of, id)) {
    return std::unexpected(NoMatch(*conflict));
  }
  const auto got = p_.engine.match(operation, request, id);
  if (!got || p_.engine.grant(id) == nullptr) return got;
  ++p_.sequence;
  // Where no promise can be broken, counts are asked only whether they know what it has.
  const bool starts = (*got)->start <= p_.engine.now();
  if (none_promised && !(starts && p_.promises.outside_fits(**got))) p_.promises.pin_for_others();
  p_.promises.outside_granted(id);
  if ((*got)->end < p_.engine.options().horizon) p_.outside_ends.emplace((*got)->end, id);
  if (!counts) return got;
  const Priorities::User user = p_.priorities.user(of.user);
  const double cores = p_.priorities.cores(*of.request);
  p_.priorities.started(user, cores, p_.engine.now());
  p_.promises.mutable_limits().add(of.user, "", size);
  p_.outside_users.emplace(id, OutsideUse{user, cores, size});
  if (p_.kept_changes) p_.kept_changes->outside_users.insert(id);
  return got;
}

// What the engine would grant now, or whether it grants nothing now: it does not know promises that are
// counted, which only make it less.
bool DirectGrants::fits_now(Operation operation, PreparedRequest& request, JobId id) {
  if (p_.engine.grant(id) != nullptr) return true;  // the match refuses it
  const auto now = p_.engine.match(Operation::without_allocating, request, id);
  if (now) return p_.promises.outside_fits(**now);
  return operation != Operation::allocate_orelse_reserve;
}

std::string DirectGrants::limit_reached(std::string_view user, const RunningSize& size) const {
  const RunningLimits& limits = p_.promises.limits();
  if (user.empty() || !limits.any()) return {};
  auto alone = limits.never(user, "", size);
  return alone.empty() ? limits.reached(user, "", size) : alone;
}

void DirectGrants::end_usage(JobId id, std::int64_t at_s) {
  const auto use = p_.outside_users.find(id);
  if (use == p_.outside_users.end()) return;
  p_.priorities.ended(use->second.user, use->second.cores, at_s);
  p_.promises.mutable_limits().remove(p_.priorities.name(use->second.user), "", use->second.size);
  p_.outside_users.erase(use);
  if (p_.kept_changes) p_.kept_changes->outside_users.insert(id);
}

UnbookedOccurrences unbooked_occurrences(const QueueParts& parts) {
  const ReservationTable& table = parts.reservations.table();
  return UnbookedOccurrences(table.any() ? table.view() : std::vector<ReservationView>());
}

// A grant never moves, so it must not overlap an occurrence that is to be booked. Which resources it
// would get is tried on a copy.
std::optional<Error> DirectGrants::unbooked_conflict(Operation operation, const OutsideGrant& of,
                                                     JobId id) const {
  if (of.request == nullptr) return std::nullopt;
  const UnbookedOccurrences unbooked = unbooked_occurrences(p_);
  if (!unbooked.any()) return std::nullopt;
  const auto copy = p_.engine.clone();
  auto prepared = copy->prepare(*of.request);
  if (!prepared) return std::nullopt;  // the match reports why
  if (!copy->match(operation, *prepared, id) || copy->grant(id) == nullptr) return std::nullopt;
  const auto conflict = unbooked.conflict(copy->graph(), *copy->grant(id));
  if (!conflict) return std::nullopt;
  return Error{
      ErrorCode::insufficient,
      fmt::format("it may overlap reservation \"{}\" at {}, which is not booked yet: ask for "
                  "a shorter time",
                  conflict->name, readable_time(conflict->from_s)),
      {}};
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
  if (*gone) {
    left(id, end_s);
  } else {
    p_.promises.outside_granted(id);
  }
  return gone;
}

void DirectGrants::left(JobId id, std::int64_t end_s) {
  ++p_.sequence;
  p_.promises.outside_released(id);
  p_.outside_ends.erase({end_s, id});
  end_usage(id, p_.engine.now());
  p_.job_released(id);
}

void DirectGrants::lost(JobId id) {
  const auto of_id = [id](const auto& end) { return end.second == id; };
  const auto end = std::ranges::find_if(p_.outside_ends, of_id);
  left(id, end == p_.outside_ends.end() ? p_.engine.options().horizon : end->first);
}

void DirectGrants::end_until(std::int64_t now_s) {
  while (!p_.outside_ends.empty() && p_.outside_ends.begin()->first <= now_s) {
    const JobId id = p_.outside_ends.begin()->second;
    p_.promises.outside_ended(id);
    end_usage(id, p_.outside_ends.begin()->first);
    p_.outside_ends.erase(p_.outside_ends.begin());
    p_.job_released(id);
    p_.anything_freed = true;
  }
}

}  // namespace copse::queue
