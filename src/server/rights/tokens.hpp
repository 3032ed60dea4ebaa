// SPDX-License-Identifier: Apache-2.0
//
// Tokens: bearer tokens, which authenticate clients over TCP.
//
// A token is 32 random bytes, in hexadecimal digits after "copse_". Only its holder has it; the
// service stores its SHA-256 hash, so the file does not reveal tokens. Because the bytes are
// random, no slow hash is needed.
//
// The file has a line for each token: name, role, hash, and the time when it was made (seconds
// since 1970), separated by blanks. Its mode is 0600, and it belongs to the user of the service or to
// root: the tokens of another file do not count. It is always replaced as a whole, by a rename; no
// link is followed.
//
// The comparison takes constant time, whatever differs.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "server/rights/rights.hpp"

namespace copse::server {

// Whether a token or a user may have this name: 1 to 64 letters, digits, '.', '_', '-'.
[[nodiscard]] bool is_token_name(std::string_view name);

class Tokens {
 public:
  static constexpr std::size_t kTokensMax = 10'000, kNameBytesMax = 64;

  struct Entry {
    std::string name;
    Role role = Role::none;
    std::string hash;  // 64 hexadecimal digits
    std::int64_t made_s = 0;
  };

  // A missing file has no tokens. Errors: io; invalid, with the line (others may read the file, or own
  // it; it is a link; its content is not a token file); limit.
  [[nodiscard]] static Result<Tokens> load(const std::string& path);
  [[nodiscard]] Result<void> save(const std::string& path) const;  // errors: io
  [[nodiscard]] static Result<Tokens> parse(std::string_view text, std::string_view file);
  [[nodiscard]] std::string text() const;

  // Returns the token, which cannot be shown again. Errors: exists; invalid (the name); limit; io
  // (no random bytes).
  [[nodiscard]] Result<std::string> add(std::string_view name, Role role, std::int64_t now_s);
  [[nodiscard]] bool revoke(std::string_view name);  // false: no such token
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  // The caller of a token; unknown: Role::none. O(tokens).
  [[nodiscard]] Caller authenticate(std::string_view token) const;

 private:
  std::vector<Entry> entries_;
};

// The tokens of a running service. The file is read again when it has changed, so an added or revoked
// token takes effect at once. While the file cannot be read, no token is accepted. Cost of a lookup: one
// stat(), and a comparison with each token.
class TokenFile {
 public:
  // `log` receives the error of an unusable file.
  TokenFile(std::string path, std::function<void(const std::string& line)> log)
      : path_(std::move(path)), log_(std::move(log)) {}

  [[nodiscard]] Caller authenticate(std::string_view token);

 private:
  void refresh();

  std::string path_;
  std::function<void(const std::string& line)> log_;
  Tokens tokens_{};
  struct stat seen_{};  // all 0: no file
};

}  // namespace copse::server
