// SPDX-License-Identifier: Apache-2.0
//
// SocketFile: the path of a Unix socket, owned by one service at a time.
//
// A lock file next to it (its name and ".lock") is held as long as the path is owned. If two
// services find a stale socket, one replaces it and the other gets an error; and no service removes
// a socket that another one has created meanwhile. A file that is not a socket is never removed.
#pragma once

#include <sys/types.h>

#include <string>

#include "copse/error.hpp"
#include "server/file_lock.hpp"

namespace copse::server {

class SocketFile {
 public:
  // Claims a path; removes a socket on which no process listens. Errors: exists (a process listens
  // there, or is about to; it is not a socket); limit (the length of the path); io.
  [[nodiscard]] static Result<SocketFile> take(const std::string& path);

  // Binds a socket there, with that mode. Errors: io.
  [[nodiscard]] Result<void> bind(int socket, mode_t mode);

  SocketFile(SocketFile&& other) noexcept;
  SocketFile& operator=(SocketFile&&) = delete;
  ~SocketFile();  // removes the file if it is still the one that was bound

 private:
  SocketFile(std::string path, FileLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  FileLock lock_;
  dev_t device_ = 0;
  ino_t number_ = 0;
  bool bound_ = false;
};

}  // namespace copse::server
