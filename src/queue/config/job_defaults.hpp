// SPDX-License-Identifier: Apache-2.0
//
// JobDefaults: what jobs have that do not say it (RFC 33, *policy.jobspec.defaults.system*).
//
//   [policy.jobspec.defaults.system]               # of all queues
//   queue = "batch"
//   duration = "1h"
//   [queues.debug.policy.jobspec.defaults.system]  # of one queue instead
//   duration = "10m"
//
// Hosts that accept jobs apply them. Flux itself does so for its scheduler.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/known_key.hpp"

namespace copse::queue {

inline constexpr std::array<KnownKey, 2> kDefaultKeys{
    {{"queue", KnownKey::kText}, {"duration", KnownKey::kTime}}};

struct JobDefaults {
  std::string queue{};                                            // "": none
  std::map<std::string, std::int64_t, std::less<>> duration_s{};  // by queue; "": of all queues

  // 0: none.
  [[nodiscard]] std::int64_t duration_of(std::string_view of_queue) const {
    auto at = duration_s.find(of_queue);
    if (at == duration_s.end()) at = duration_s.find("");
    return at == duration_s.end() ? 0 : at->second;
  }
};

}  // namespace copse::queue
