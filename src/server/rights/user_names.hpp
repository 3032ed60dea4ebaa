// SPDX-License-Identifier: Apache-2.0
//
// UserNames: users of the computer by name. A socket says a number, people and tokens say a name: both
// are one user, and what a service compares and shows is the name.
//
//   UserNames names(name_of_user);
//   names.of("uid:1");     // "daemon", where that is its name
//   names.of("daemon");    // "daemon"
//   names.of("uid:7777");  // "uid:7777": it has no name
//
// Names that were found are remembered: who asks for them may wait for a directory. Memory: a name a
// user. Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace copse::server {

// How a service calls a user. None: as it is called.
using UserOf = std::function<std::string(std::string_view user)>;

// In passwd; nullopt: it has no name.
[[nodiscard]] std::optional<std::string> name_of_user(std::uint32_t uid);

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
