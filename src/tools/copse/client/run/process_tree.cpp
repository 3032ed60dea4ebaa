// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/run/process_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

namespace copse {

namespace {

// The parent of a process; 0: it has none, or has ended. The name in the line may have any character.
pid_t parent_of(const std::string& process) {
  const int file = ::open(("/proc/" + process + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 512> text{};
  const ssize_t got = ::read(file, text.data(), text.size());
  ::close(file);
  if (got <= 0) return 0;
  const std::string_view line(text.data(), static_cast<std::size_t>(got));
  const std::size_t name_end = line.rfind(')');
  constexpr std::size_t kState = 4;  // ") S "
  if (name_end == std::string_view::npos || name_end + kState >= line.size()) return 0;
  pid_t out = 0;
  (void)std::from_chars(line.data() + name_end + kState, line.data() + line.size(), out);
  return out;
}

// Of each process, its children.
std::unordered_map<pid_t, std::vector<pid_t>> children_of_all() {
  std::unordered_map<pid_t, std::vector<pid_t>> out;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), &::closedir);
  if (folder == nullptr) return out;
  while (const dirent* const entry = ::readdir(folder.get())) {
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    pid_t process = 0;
    const auto read = std::from_chars(entry->d_name, end, process);
    if (read.ec != std::errc() || read.ptr != end) continue;
    if (const pid_t parent = parent_of(entry->d_name); parent > 0) out[parent].push_back(process);
  }
  return out;
}

}  // namespace

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::vector<pid_t> descendants() {
  const auto children = children_of_all();
  std::vector<pid_t> out, next{::getpid()};
  while (!next.empty()) {
    const auto at = children.find(next.back());
    next.pop_back();
    if (at == children.end()) continue;
    out.insert(out.end(), at->second.begin(), at->second.end());
    next.insert(next.end(), at->second.begin(), at->second.end());
  }
  return out;
}

void send_to_descendants(int signal) {
  for (const pid_t process : descendants()) ::kill(process, signal);
}

bool end_descendants(std::chrono::milliseconds within) {
  constexpr std::chrono::milliseconds kLook{2};
  const auto last = std::chrono::steady_clock::now() + within;
  for (;;) {
    send_to_descendants(SIGKILL);
    pid_t ended = 0;
    do {
      ended = ::waitpid(-1, nullptr, WNOHANG);
    } while (ended > 0 || (ended < 0 && errno == EINTR));
    if (ended < 0) return true;  // there are no children
    if (std::chrono::steady_clock::now() >= last) return false;
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace copse
