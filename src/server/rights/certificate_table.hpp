// SPDX-License-Identifier: Apache-2.0
//
// CertificateTable: who a client is by the certificate that it has shown.
//
//   CN:ada                   is ada, an operator
//   DNS:ci.example.org       is ci, a user
//
// A row has one name of a certificate, as certificate_names() gives it, and it has to be the same, byte for
// byte. The users are those of tokens: who has both is one.
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

  // Errors: invalid (a name begins with "CN:", "DNS:", "email:" or "URI:"; a user is called as a token
  // may be; a role is guest, user, operator or owner); exists; limit.
  [[nodiscard]] Result<void> add(std::string_view name, std::string_view user,
                                 std::string_view role);
  // By the first of these names that has a row; nobody's: Role::nobody. O(names).
  [[nodiscard]] Who who(std::span<const std::string> names) const;
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  std::map<std::string, Who, std::less<>> rows_;
};

}  // namespace copse::server
