// SPDX-License-Identifier: Apache-2.0
//
// TokenFile: the tokens of a running service. The file is read again when it has changed, so an
// added or revoked token takes effect at once.
//
// While the file cannot be read, no token is accepted. Cost of a lookup: one stat(), and a
// comparison with each token.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>
#include <string_view>

#include "server/rights/tokens.hpp"

namespace copse::server {

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
