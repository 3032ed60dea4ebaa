// SPDX-License-Identifier: Apache-2.0
#include "server/rights/token_file.hpp"

namespace copse::server {

namespace {

// A file that was renamed into place has another inode.
bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mode == b.st_mode && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

void TokenFile::refresh() {
  struct stat now{};
  if (::stat(path_.c_str(), &now) != 0) now = {};
  if (same_file(now, seen_)) return;
  seen_ = now;
  auto read = Tokens::load(path_);
  if (!read) log_(read.error().message());
  tokens_ = read ? std::move(*read) : Tokens();
}

Caller TokenFile::authenticate(std::string_view token) {
  refresh();
  return tokens_.authenticate(token);
}

}  // namespace copse::server
