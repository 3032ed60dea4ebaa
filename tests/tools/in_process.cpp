// SPDX-License-Identifier: Apache-2.0
#include "tools/in_process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <stdexcept>

#include "tools/copse/copse.hpp"

namespace copse {

namespace {

// Redirects a standard stream while the object exists.
class Redirection {
 public:
  Redirection(int stream, int to) : stream_(stream), kept_(::fcntl(stream, F_DUPFD_CLOEXEC, 3)) {
    if (kept_ < 0 || ::dup2(to, stream_) < 0) throw std::runtime_error("cannot redirect");
    ::close(to);
  }
  ~Redirection() {
    ::dup2(kept_, stream_);
    ::close(kept_);
  }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;

 private:
  int stream_, kept_;
};

// All of a file, from its beginning.
std::string text_of(int file) {
  std::string out(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
  const ssize_t got = ::pread(file, out.data(), out.size(), 0);
  if (got != std::ssize(out)) throw std::runtime_error("cannot read what was written");
  return out;
}

void flush_all() {
  std::cout.flush();
  (void)std::fflush(stdout);
  (void)std::fflush(stderr);
}

}  // namespace

Outcome run_copse(const std::vector<std::string>& words, const std::filesystem::path& folder) {
  std::vector<const char*> argv{"copse"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  Outcome out;
  flush_all();
  const std::filesystem::path before = std::filesystem::current_path();
  {
    const Redirection input(STDIN_FILENO, ::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const Redirection output(STDOUT_FILENO, ::memfd_create("output", MFD_CLOEXEC));
    const Redirection errors(STDERR_FILENO, ::memfd_create("errors", MFD_CLOEXEC));
    std::filesystem::current_path(folder);
    out.status = copse_tool(static_cast<int>(argv.size()), argv.data());
    flush_all();
    out.output = text_of(STDOUT_FILENO);
    out.errors = text_of(STDERR_FILENO);
    std::filesystem::current_path(before);
  }
  std::clearerr(stdout);
  return out;
}

}  // namespace copse
