// SPDX-License-Identifier: Apache-2.0
//
// QueueAccess: which users may use the queues (RFC 33, *access*).
//
//   [policy.access]                      # of all queues; [queues.gpu.policy.access]: of one instead
//   allow-user = ["ada", "bo"]
//   allow-group = ["physics"]
//
// A user that is listed, or is in a listed group, may submit jobs; without the table, all users may.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/known_key.hpp"
#include "queue/limits/running_limits.hpp"

namespace copse::queue {

inline constexpr std::array<KnownKey, 2> kAccessKeys{
    {{"allow-user", KnownKey::kList}, {"allow-group", KnownKey::kList}}};

class QueueAccess {
 public:
  struct Stated {
    std::vector<std::string> users{}, groups{};
  };

  // "": of all queues.
  void set(const std::string& queue, Stated stated) { of_queue_[queue] = std::move(stated); }
  // Why the user may not use the queue; "": it may. `groups_of` is called only where groups decide.
  [[nodiscard]] std::string refused(std::string_view queue, std::string_view user,
                                    const GroupsOf& groups_of) const;

 private:
  std::map<std::string, Stated, std::less<>> of_queue_{};
};

}  // namespace copse::queue
