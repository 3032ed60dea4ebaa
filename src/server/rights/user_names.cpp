// SPDX-License-Identifier: Apache-2.0
#include "server/rights/user_names.hpp"

#include <pwd.h>

#include <array>
#include <charconv>

namespace copse::server {

std::optional<std::string> name_of_user(std::uint32_t uid) {
  passwd facts{};
  passwd* found = nullptr;
  std::array<char, 16'384> texts{};
  if (::getpwuid_r(uid, &facts, texts.data(), texts.size(), &found) == 0 && found != nullptr) {
    return found->pw_name;
  }
  return std::nullopt;
}

std::string UserNames::of(std::string_view user) {
  constexpr std::string_view kUid = "uid:";
  if (!user.starts_with(kUid)) return std::string(user);
  const std::string_view digits = user.substr(kUid.size());
  std::uint32_t uid = 0;
  const auto [at, error] = std::from_chars(digits.data(), digits.data() + digits.size(), uid);
  if (error != std::errc() || at != digits.data() + digits.size()) return std::string(user);
  if (const auto known = known_.find(uid); known != known_.end()) return known->second;
  const auto name = name_of_(uid);
  if (!name) return std::string(user);
  return known_[uid] = *name;
}

}  // namespace copse::server
