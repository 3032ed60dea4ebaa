// SPDX-License-Identifier: Apache-2.0
#include "queue/limits/queue_access.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest_word.hpp"

namespace copse::queue {

std::string QueueAccess::refused(std::string_view queue, std::string_view user,
                                 const GroupsOf& groups_of) const {
  const auto own = of_queue_.find(queue), all = of_queue_.find("");
  const auto stated = own != of_queue_.end() ? own : all;
  if (stated == of_queue_.end()) return {};
  const std::vector<std::string>&users = stated->second.users, &groups = stated->second.groups;
  if (std::ranges::find(users, user) != users.end()) return {};
  if (!groups.empty() && groups_of && !user.empty()) {
    for (const std::string& group : groups_of(user)) {
      if (std::ranges::find(groups, group) != groups.end()) return {};
    }
  }
  const std::string table = stated == own && !queue.empty()
                                ? fmt::format("queues.{}.policy.access", queue)
                                : std::string("policy.access");
  return fmt::format("user {} may not use {}: {} lists neither the user nor its groups",
                     shown_word(user), queue.empty() ? "the queue" : fmt::format("queue {}", queue),
                     table);
}

}  // namespace copse::queue
