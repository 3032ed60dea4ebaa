// SPDX-License-Identifier: Apache-2.0
//
// Tokens: words that say who a client is, for those who don't come through a Unix socket.
//
// A token is 32 random bytes, in hexadecimal digits behind "copse_". Its holder has it; the service
// has only its SHA-256 hash, so that whoever reads the file can't ask. The bytes are random, so that
// no slow hash is needed.
//
// The file has a line for each: name, role, hash, and when it was made (seconds since 1970), with
// blanks between. It is its owner's alone (0600), and always written anew and renamed.
//
// Comparing takes the same time whatever is wrong with a token.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "server/rights/rights.hpp"

namespace copse::server {

// What a token, and a user, may be called: letters, digits, '.', '_', '-'.
[[nodiscard]] bool is_token_name(std::string_view name);

class Tokens {
 public:
  static constexpr std::size_t kTokensMax = 10'000, kNameBytesMax = 64;

  struct Entry {
    std::string name;
    Role role = Role::nobody;
    std::string hash;  // 64 hexadecimal digits
    std::int64_t made_s = 0;
  };

  // Of a file that is not there: none. Errors: io; invalid, with the line (others may read it; it is
  // no such file); limit.
  [[nodiscard]] static Result<Tokens> load(const std::string& path);
  [[nodiscard]] Result<void> save(const std::string& path) const;  // errors: io
  [[nodiscard]] static Result<Tokens> parse(std::string_view text, std::string_view file);
  [[nodiscard]] std::string text() const;

  // Returns the token: nobody can say it a second time. Errors: exists; invalid (a name is letters,
  // digits, '.', '_', '-'); limit; io (no random bytes).
  [[nodiscard]] Result<std::string> add(std::string_view name, Role role, std::int64_t now_s);
  [[nodiscard]] bool revoke(std::string_view name);  // false: there is none
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  // Whose it is; nobody's: Role::nobody. O(tokens).
  [[nodiscard]] Who who(std::string_view token) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace copse::server
