// SPDX-License-Identifier: Apache-2.0
//
// Account: whose share of time and places a connection uses: a user, or the address of a peer without
// credentials.
#pragma once

#include <string>

#include "server/rights/rights.hpp"

namespace copse::server {

struct Account {
  std::string name;
  bool is_operator = false;  // it has a larger share, and loses no place to others
};

// Of an authenticated client.
[[nodiscard]] inline Account account_of(const Caller& caller) {
  return {"user " + caller.name, may(caller.role, Permission::release_any)};
}

}  // namespace copse::server
