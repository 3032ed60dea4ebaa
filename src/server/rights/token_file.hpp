// SPDX-License-Identifier: Apache-2.0
//
// TokenFile: the tokens of a running service. A token that was added or revoked counts at once: the
// file is read again when it has changed.
//
// A file that can't be read knows nobody: who was let in by it before is not let in any more.
// Cost of a question: one look at the file's facts, and a comparison with each token.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>
#include <string_view>

#include "server/rights/tokens.hpp"

namespace copse::server {

class TokenFile {
 public:
  // `log` is told why a file can't be used.
  TokenFile(std::string path, std::function<void(const std::string& line)> log)
      : path_(std::move(path)), log_(std::move(log)) {}

  [[nodiscard]] Who who(std::string_view token);

 private:
  void look();

  std::string path_;
  std::function<void(const std::string& line)> log_;
  Tokens tokens_{};
  struct stat seen_{};  // all 0: there was no file
};

}  // namespace copse::server
