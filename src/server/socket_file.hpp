// SPDX-License-Identifier: Apache-2.0
//
// SocketFile: the place of a Unix socket in the file system, which one service at a time has.
//
// A lock beside it (its name and ".lock") is held as long as the place is. So of two services that find
// what a third one left behind, one replaces it, and the other is told so; and nobody removes what is
// another's by now. What is no socket is never removed.
#pragma once

#include <sys/types.h>

#include <string>

#include "copse/error.hpp"
#include "server/file_lock.hpp"

namespace copse::server {

class SocketFile {
 public:
  // Makes a place free: a socket that nobody listens at goes. Errors: exists (somebody listens there,
  // or will; it is no socket); limit (the path); io.
  [[nodiscard]] static Result<SocketFile> take(const std::string& path);

  // Binds a socket there, with that mode. Errors: io.
  [[nodiscard]] Result<void> bind(int socket, mode_t mode);

  SocketFile(SocketFile&& other) noexcept;
  SocketFile& operator=(SocketFile&&) = delete;
  ~SocketFile();  // removes it, if it is still the one that was bound

 private:
  SocketFile(std::string path, FileLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  FileLock lock_;
  dev_t device_ = 0;
  ino_t number_ = 0;
  bool bound_ = false;
};

}  // namespace copse::server
