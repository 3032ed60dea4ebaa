// SPDX-License-Identifier: Apache-2.0
#include "server/rights/rights.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace copse::server {

namespace {

constexpr std::array<std::string_view, 5> kRoleWords{"none", "guest", "user", "operator", "owner"};
constexpr std::array<std::string_view, 9> kPermissionWords{
    "liveness",    "read",        "try",    "submit",       "allocate",
    "release-own", "release-any", "change", "manage-tokens"};
static_assert(kRoleWords.size() == kRoles.size() && kPermissionWords.size() == kPermissions.size());

// By permission: the least role that has it.
constexpr std::array<Role, 9> kLeast{Role::none,    Role::guest,   Role::user,
                                     Role::user,    Role::operate, Role::user,
                                     Role::operate, Role::operate, Role::owner};

}  // namespace

std::string_view word(Role role) { return kRoleWords.at(std::to_underlying(role)); }
std::string_view word(Permission permission) {
  return kPermissionWords.at(std::to_underlying(permission));
}

std::optional<Role> parse_role(std::string_view text) {
  const auto at = std::ranges::find(kRoleWords, text);
  if (at == kRoleWords.end()) return std::nullopt;
  return kRoles.at(static_cast<std::size_t>(at - kRoleWords.begin()));
}

Role least_role(Permission permission) { return kLeast.at(std::to_underlying(permission)); }
bool may(Role role, Permission permission) { return role >= least_role(permission); }

std::string forbidden_text(Role role, Permission permission) {
  const bool submits = permission == Permission::allocate && may(role, Permission::submit);
  return fmt::format("the role {} may not do this ({}): it needs the role {}{}", word(role),
                     word(permission), word(least_role(permission)),
                     submits ? "; submit a job" : "");
}

}  // namespace copse::server
