// SPDX-License-Identifier: Apache-2.0
//
// Rights: which role may do what. Each request, of whatever protocol, needs one Permission
// (session/protocol/session_operations.hpp); each role has those of the roles before it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "session/protocol/session_operations.hpp"

namespace copse::server {

enum class Role : std::uint8_t {
  none,     // not authenticated: liveness alone
  guest,    // reads
  user,     // submits jobs, and changes its own
  operate,  // "operator": changes those of all, allocates, changes nodes, layers and reservations
  owner,    // also manages tokens
};
inline constexpr std::array kRoles{Role::none, Role::guest, Role::user, Role::operate, Role::owner};
inline constexpr std::array kPermissions{
    Permission::liveness,    Permission::read,     Permission::try_out,
    Permission::submit,      Permission::allocate, Permission::release_own,
    Permission::release_any, Permission::change,   Permission::manage_tokens};

[[nodiscard]] std::string_view word(Role role);
[[nodiscard]] std::string_view word(Permission permission);
[[nodiscard]] std::optional<Role> parse_role(std::string_view text);

[[nodiscard]] bool may(Role role, Permission permission);
// The least role that has it. Users may allocate, too, where GrantBounds says so.
[[nodiscard]] Role least_role(Permission permission);
// "the role guest may not do this (change): it needs the role operator". REQUIRES !may().
[[nodiscard]] std::string forbidden_text(Role role, Permission permission);

// The authenticated client of a request.
struct Caller {
  Role role = Role::none;
  std::string name{};        // of its token or certificate, or of a user of this computer
  std::string request_id{};  // X-Request-Id, for the audit log; "": none
};

}  // namespace copse::server
