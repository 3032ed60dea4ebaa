// SPDX-License-Identifier: Apache-2.0
//
// Bounds of users for grants outside the queues, for tests of such grants.
#pragma once

#include "queue/config/grant_bounds.hpp"

namespace copse::server {

// On all nodes, for any time.
inline queue::GrantBounds wide_grant_bounds() {
  queue::GrantBounds out;
  out.stated = true;
  out.limits.of("").duration_s = 0;
  return out;
}

}  // namespace copse::server
