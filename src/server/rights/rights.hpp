// SPDX-License-Identifier: Apache-2.0
//
// Rights: who may ask a service for what. One table of roles and actions; every request, of whatever
// protocol, is one action.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "session/line.hpp"

namespace copse::server {

enum class Role : std::uint8_t {
  nobody,   // may only ask whether the service lives
  guest,    // looks
  user,     // asks for resources, and gives back its own
  operate,  // "operator": gives back anybody's; changes nodes and layers
  owner,    // also gives out tokens
};
inline constexpr std::array kRoles{Role::nobody, Role::guest, Role::user, Role::operate,
                                   Role::owner};

enum class Action : std::uint8_t {
  live,       // whether the service lives, and what its interface is
  look,       // at the machine, grants, layers, events, figures
  try_out,    // whether a request would be served, and why not
  take,       // resources, now or later
  give_own,   // back what the asker took
  give_any,   // back what another took
  change,     // nodes up and down, layers, reservations
  give_keys,  // tokens
};
inline constexpr std::array kActions{Action::live,   Action::look,     Action::try_out,
                                     Action::take,   Action::give_own, Action::give_any,
                                     Action::change, Action::give_keys};

[[nodiscard]] std::string_view word(Role role);
[[nodiscard]] std::string_view word(Action action);
[[nodiscard]] std::optional<Role> parse_role(std::string_view text);

[[nodiscard]] bool may(Role role, Action action);
// The least role that may.
[[nodiscard]] Role least_role(Action action);
// A sentence: "the role guest may not do this (change): it needs operator". REQUIRES that it may not.
[[nodiscard]] std::string forbidden_text(Role role, Action action);
// What a request of a session is: giving back counts as one's own, until it is known whose it is.
[[nodiscard]] Action action_of(SessionLine::Op op);

// Who asks.
struct Who {
  Role role = Role::nobody;
  std::string name{};     // of a token, or of a user of the computer: "uid:1000"
  std::string request{};  // the name of this request, for the audit; "": it has none
};

}  // namespace copse::server
