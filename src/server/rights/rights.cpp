// SPDX-License-Identifier: Apache-2.0
#include "server/rights/rights.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace copse::server {

namespace {

constexpr std::array<std::string_view, 5> kRoleWords{"nobody", "guest", "user", "operator",
                                                     "owner"};
constexpr std::array<std::string_view, 8> kActionWords{
    "live", "look", "try", "take", "give-own", "give-any", "change", "give-keys"};
static_assert(kRoleWords.size() == kRoles.size() && kActionWords.size() == kActions.size());

// By action: the least role that may. Each role may what those before it may.
constexpr std::array<Role, 8> kLeast{Role::nobody, Role::guest,   Role::user,    Role::user,
                                     Role::user,   Role::operate, Role::operate, Role::owner};

}  // namespace

std::string_view word(Role role) { return kRoleWords.at(std::to_underlying(role)); }
std::string_view word(Action action) { return kActionWords.at(std::to_underlying(action)); }

std::optional<Role> parse_role(std::string_view text) {
  const auto at = std::ranges::find(kRoleWords, text);
  if (at == kRoleWords.end()) return std::nullopt;
  return kRoles.at(static_cast<std::size_t>(at - kRoleWords.begin()));
}

Role least_role(Action action) { return kLeast.at(std::to_underlying(action)); }
bool may(Role role, Action action) { return role >= least_role(action); }

std::string forbidden_text(Role role, Action action) {
  return fmt::format("the role {} may not do this ({}): it needs the role {}", word(role),
                     word(action), word(least_role(action)));
}

Action action_of(SessionLine::Op op) {
  using Op = SessionLine::Op;
  switch (op) {
    case Op::quit: return Action::live;
    case Op::status:
    case Op::info:
    case Op::layers:
    case Op::jobs:
    case Op::job:
    case Op::queue:
    case Op::why:
    case Op::when:
    case Op::watch:
    case Op::reservations:
    case Op::drains: return Action::look;
    case Op::satisfy:
    case Op::explain:
    case Op::try_reservation: return Action::try_out;
    case Op::alloc:
    case Op::reserve:
    case Op::submit: return Action::take;
    case Op::free:
    case Op::hold:
    case Op::release:
    case Op::priority:
    case Op::cancel:
    case Op::end:
    case Op::renew: return Action::give_own;
    default: return Action::change;
  }
}

}  // namespace copse::server
