// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/planned_grants.hpp"

#include <fmt/format.h>

namespace copse::server {

namespace {

bool begins_later(const Engine& engine, JobId id) {
  const Grant* grant = engine.grant(id);
  return grant != nullptr && grant->start > engine.now();
}

}  // namespace

Result<void> PlannedGrants::admit(const std::string& user, const Engine& engine) {
  const auto own = by_user_.find(user);
  if (own == by_user_.end() || own->second.size() < of_user_) return {};
  std::erase_if(own->second, [&](JobId id) { return !begins_later(engine, id); });
  if (own->second.size() < of_user_) return {};
  return fail(
      ErrorCode::insufficient,
      fmt::format("the limit of {} grants with a later start per user is reached: reserve again "
                  "after some have started",
                  own->second.size()));
}

void PlannedGrants::add(const std::string& user, JobId grant, const Engine& engine) {
  if (begins_later(engine, grant)) by_user_[user].insert(grant);
}

}  // namespace copse::server
