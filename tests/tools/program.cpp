// SPDX-License-Identifier: Apache-2.0
#include "tools/program.hpp"
#include "paths.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace copse {

namespace {

constexpr int kExecFailed = 127;

// A file without a name.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : file_(::memfd_create("stream", MFD_CLOEXEC)) {
    if (file_ < 0) throw std::runtime_error("memfd_create failed");
    while (!text.empty()) {
      const ssize_t n = ::write(file_, text.data(), text.size());
      if (n <= 0) throw std::runtime_error("a stream cannot be written");
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    ::lseek(file_, 0, SEEK_SET);
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] std::string text() const {
    std::string out(static_cast<std::size_t>(::lseek(file_, 0, SEEK_END)), '\0');
    std::size_t have = 0;
    while (have < out.size()) {
      const ssize_t n =
          ::pread(file_, out.data() + have, out.size() - have, static_cast<off_t>(have));
      if (n <= 0) break;
      have += static_cast<std::size_t>(n);
    }
    out.resize(have);
    return out;
  }

 private:
  int file_;
};

// In the child: only calls that are safe after fork.
[[noreturn]] void become(const Command& command, char* const* words, const int (&streams)[3]) {
  for (int i = 0; i < 3; ++i) {
    if (::dup2(streams[i], i) < 0) ::_exit(kExecFailed);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (command.memory_bytes_max > 0 && !kSanitized) {
    const rlimit memory{command.memory_bytes_max, command.memory_bytes_max};
    ::setrlimit(RLIMIT_AS, &memory);
  }
  if (::chdir(command.folder.c_str()) == 0) ::execv(words[0], words);
  ::_exit(kExecFailed);
}

// Whether the process has ended within the limit; if not, it is ended.
bool ends_in_time(pid_t process, int limit_s) {
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (handle < 0) throw std::runtime_error("pidfd_open failed");
  pollfd wait{handle, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&wait, 1, limit_s * 1000);
  } while (ready < 0 && errno == EINTR);
  ::close(handle);
  if (ready == 0) ::kill(process, SIGKILL);
  return ready != 0;
}

}  // namespace

Outcome run(const Command& command) {
  const MemoryFile input(command.input), output(""), errors("");
  std::vector<char*> words;
  for (const std::string& w : command.words) words.push_back(const_cast<char*>(w.c_str()));
  words.push_back(nullptr);
  const pid_t process = ::fork();
  if (process < 0) throw std::runtime_error("fork failed");
  if (process == 0) {
    become(command, words.data(), {input.file(), output.file(), errors.file()});
  }
  Outcome out;
  const bool in_time = ends_in_time(process, command.limit_s);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    out.ended_by = "its time limit";
  } else if (WIFSIGNALED(status)) {
    out.ended_by = "signal " + std::to_string(WTERMSIG(status));
  } else {
    out.status = WEXITSTATUS(status);
  }
  out.output = output.text();
  out.errors = errors.text();
  return out;
}

std::string program(std::string_view name) { return build_dir() + '/' + std::string(name); }

Scratch::Scratch() {
  std::string made = (std::filesystem::temp_directory_path() / "copse-test-XXXXXX").string();
  if (::mkdtemp(made.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = made;
  const std::filesystem::path source(source_dir());
  std::filesystem::create_directory_symlink(source / "examples/machines", path_ / "machines");
  std::filesystem::create_directory_symlink(source / "examples/jobspecs", path_ / "jobspecs");
  std::filesystem::create_directory_symlink(source / "tests/data", path_ / "data");
  std::filesystem::create_directory_symlink(source / "tests/data/sessions", path_ / "sessions");
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);  // links, not their targets
}

void Scratch::write(std::string_view name, std::string_view text) const {
  std::ofstream file(path_ / name, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + std::string(name));
}

std::string Scratch::read(std::string_view name) const {
  std::ifstream file(path_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace copse
