// SPDX-License-Identifier: Apache-2.0
//
// UserNamespace: whether the kernel can name each user of the computer to this process. In a user
// namespace that maps some users only, all others have the overflow uid: they look like one user.
//
// The source is /proc/self/uid_map, a line "inside outside count" for each range (user_namespaces(7)).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "copse/error.hpp"

namespace copse::server {

class UserNamespace {
 public:
  // Whether the text of a uid_map names all users, each by an own uid. Errors: invalid.
  [[nodiscard]] static Result<bool> maps_all(std::string_view uid_map);
  // That of this process. Without /proc, no user but its own is known.
  [[nodiscard]] static UserNamespace of_this_process();

  [[nodiscard]] bool maps_all() const { return !overflow_uid_; }
  // Whether a peer's uid names one user.
  [[nodiscard]] bool is_named(std::uint32_t uid) const { return overflow_uid_ != uid; }
  // Refuses rights for all users where they are not distinguished. Errors: invalid.
  [[nodiscard]] Result<void> check_everybody() const;

  // `overflow_uid`: what unnamed users have; none: all are named.
  explicit UserNamespace(std::optional<std::uint32_t> overflow_uid) : overflow_uid_(overflow_uid) {}

 private:
  std::optional<std::uint32_t> overflow_uid_;
};

}  // namespace copse::server
