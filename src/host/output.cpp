// SPDX-License-Identifier: Apache-2.0
#include "host/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "files/read_file.hpp"
#include "text/printable.hpp"

namespace copse {

namespace {

constexpr const char* kStandardOutput = "to standard output";

std::unexpected<Error> cannot_write(const std::string& what, int error = errno) {
  return fail(ErrorCode::io, "can't write " + what + ": " + reason_of(error));
}

// 0, or errno.
int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return ::fsync(file) == 0 ? 0 : errno;
}

mode_t mode_of_new_files() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

void Output::fail_now() {
  good_ = false;
  error_ = errno;
}

void Output::drop_made() const {
  if (made_ && !kept_) (void)::unlink(path_.c_str());
}

Output::~Output() {
  if (file_ == nullptr) return;
  file_.reset();
  drop_made();
}

Result<void> Output::open(const std::string& path) {
  path_ = path;
  if (path.empty() || path == "-") return {};
  // Opening a pipe without a reader must not wait.
  constexpr int kHow = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK;
  int file = ::open(path.c_str(), kHow | O_EXCL, 0666);
  made_ = file >= 0;
  if (!made_ && errno == EEXIST) file = ::open(path.c_str(), kHow, 0666);
  if (file < 0 && errno == ENXIO) {
    return fail(ErrorCode::io, "can't write " + path + ": the pipe has no reader");
  }
  if (file < 0) return cannot_write(path);
  if (const int flags = ::fcntl(file, F_GETFL);
      flags >= 0 && ::fcntl(file, F_SETFL, flags & ~O_NONBLOCK) >= 0) {
    file_.reset(::fdopen(file, "wb"));
    if (file_ != nullptr) return {};
  }
  const int error = errno;
  ::close(file);
  return cannot_write(path, error);
}

// Removes the old contents of a file; a device or a pipe has none.
void Output::begin_file() {
  begun_ = true;
  if (file_ == nullptr) return;
  struct stat about{};
  const int file = ::fileno(file_.get());
  if (::fstat(file, &about) != 0 || (S_ISREG(about.st_mode) && ::ftruncate(file, 0) != 0)) {
    fail_now();
  }
}

bool Output::write(std::string_view text) {
  if (!begun_) begin_file();
  if (good_ && std::fwrite(text.data(), 1, text.size(), stream()) != text.size()) fail_now();
  return good_;
}

bool Output::write_now(std::string_view text) {
  if (write(text) && std::fflush(stream()) != 0) fail_now();
  kept_ |= good_;
  return good_;
}

Result<void> Output::close() {
  if (!begun_) begin_file();
  if (good_ && std::fflush(stream()) != 0) fail_now();
  const bool to_file = file_ != nullptr;
  if (to_file && std::fclose(file_.release()) != 0 && good_) fail_now();
  if (good_) return {};
  drop_made();
  return cannot_write(to_file ? path_ : kStandardOutput, error_);
}

Result<void> write_out(const std::string& path, std::string_view text) {
  Output out;
  if (auto ok = out.open(path); !ok) return ok;
  (void)out.write(text);
  return out.close();
}

Result<void> save_file(const std::string& path, std::string_view bytes) {
  struct stat there{};
  const bool exists = ::stat(path.c_str(), &there) == 0;
  if (exists && !S_ISREG(there.st_mode)) return write_out(path, bytes);
  std::error_code no_link;
  const auto target = std::filesystem::canonical(path, no_link);
  const std::string replaced = no_link ? path : target.string();
  std::string temporary = replaced + ".XXXXXX";
  const int file = ::mkstemp(temporary.data());
  int error = file < 0 ? errno : 0;
  if (file >= 0) {
    if (::fchmod(file, exists ? there.st_mode & 07777 : mode_of_new_files()) != 0) error = errno;
    if (error == 0) error = write_all(file, bytes);
    if (::close(file) != 0 && error == 0) error = errno;
    if (error == 0 && std::rename(temporary.c_str(), replaced.c_str()) != 0) error = errno;
    if (error != 0) (void)::unlink(temporary.c_str());
  }
  if (error == 0) return {};
  return cannot_write(path, error);
}

Result<void> flush_standard_output() {
  const bool streamed = std::cout.flush().good();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && streamed) return {};
  return cannot_write(kStandardOutput);
}

void report_file_size_limit() { (void)std::signal(SIGXFSZ, SIG_IGN); }

void write_error(std::string_view text) {
  const std::string shown = printable(text, LineEnds::keep);
  (void)std::fwrite(shown.data(), 1, shown.size(), stderr);
}

}  // namespace copse
