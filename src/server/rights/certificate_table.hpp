// SPDX-License-Identifier: Apache-2.0
//
// CertificateTable: maps the name in a client's certificate to a caller.
//
//   CN:ada                   user ada, an operator
//   DNS:ci.example.org       user ci, a user
//
// A row has one name as certificate_names() returns it; names are compared byte for byte. Users are
// the same as those of tokens: a client with a token and a certificate of one user is one user.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "server/rights/rights.hpp"

namespace copse::server {

class CertificateTable {
 public:
  static constexpr std::size_t kRowsMax = 10'000, kNameBytesMax = 256;

  // Errors: invalid (a name must begin with "CN:", "DNS:", "email:" or "URI:"; a user must be a
  // token name; a role must be guest, user, operator or owner); exists; limit.
  [[nodiscard]] Result<void> add(std::string_view name, std::string_view user,
                                 std::string_view role);
  // The caller of the first of these names that has a row; without one, Role::none. O(names).
  [[nodiscard]] Caller authenticate(std::span<const std::string> names) const;
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  std::map<std::string, Caller, std::less<>> rows_;
};

}  // namespace copse::server
