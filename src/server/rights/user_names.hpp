// SPDX-License-Identifier: Apache-2.0
//
// UserNames: user names of this computer. A socket identifies a user by number, people and tokens
// by name: both are one user, and the service compares and shows the name.
//
//   UserNames names(name_of_user);
//   names.of("uid:1");     // "daemon", where uid 1 has that name
//   names.of("daemon");    // "daemon"
//   names.of("uid:7777");  // "uid:7777": a uid without a name
//
// Names are cached, because a lookup may wait for a directory service. Memory: one name a user.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace copse::server {

// Maps a caller to its user name; empty: the identity.
using UserOf = std::function<std::string(std::string_view user)>;

// From passwd; nullopt: the uid has no name.
[[nodiscard]] std::optional<std::string> name_of_user(std::uint32_t uid);

// The groups of a user, from passwd and group; none for a user without an entry.
[[nodiscard]] std::vector<std::string> groups_of_user(const std::string& user);

// The same, kept for kGroupsAge_s, because a lookup may wait for a directory service. `now_s`: of a
// monotonic clock. Memory: the groups of each user. Thread safety: none.
class UserGroups {
 public:
  static constexpr std::int64_t kGroupsAge_s = 60;

  [[nodiscard]] const std::vector<std::string>& of(const std::string& user, std::int64_t now_s);

 private:
  struct Known {
    std::vector<std::string> groups{};
    std::int64_t at_s = 0;
  };
  std::unordered_map<std::string, Known> known_{};
};

class UserNames {
 public:
  using NameOf = std::function<std::optional<std::string>(std::uint32_t uid)>;

  explicit UserNames(NameOf name_of) : name_of_(std::move(name_of)) {}

  [[nodiscard]] std::string of(std::string_view user);

 private:
  NameOf name_of_;
  std::unordered_map<std::uint32_t, std::string> known_{};
};

}  // namespace copse::server
