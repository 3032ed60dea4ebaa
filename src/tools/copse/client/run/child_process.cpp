// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/run/child_process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "files/read_file.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX requires the declaration

namespace copse {

namespace {

// The environment of this process with these variables in it.
std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> out;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view one(*at);
    const std::string_view name = one.substr(0, one.find('='));
    bool replaced = false;
    for (const auto& [own, value] : variables) replaced = replaced || own == name;
    if (!replaced && name != "COPSE_TOKEN") out.emplace_back(one);
  }
  for (const auto& [name, value] : variables) out.push_back(fmt::format("{}={}", name, value));
  return out;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// In the child: only calls that are safe after fork.
[[noreturn]] void become_command(char* const* words, char** environment,
                                 const cpu_set_t* processors, pid_t parent, int report_pipe) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(ChildProcess::kNotFound);  // the parent has died
  if (processors != nullptr) (void)::sched_setaffinity(0, sizeof(*processors), processors);
  environ = environment;
  ::execvp(words[0], words);
  const int why = errno;
  (void)!::write(report_pipe, &why, sizeof(why));
  ::_exit(ChildProcess::kNotFound);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& words,
                                         const Variables& variables,
                                         const std::vector<unsigned>& processors) {
  std::vector<std::string> own_words = words, environment = environment_with(variables);
  const std::vector<char*> argv = pointers_to(own_words);
  std::vector<char*> envp = pointers_to(environment);
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const unsigned one : processors) {
    if (one < CPU_SETSIZE) CPU_SET(one, &set);
  }
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return fail(ErrorCode::io,
                fmt::format("can't run {}: {}", shown_word(words.front()), reason_of(errno)));
  }
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process == 0) {
    become_command(argv.data(), envp.data(), processors.empty() ? nullptr : &set, parent, pipe[1]);
  }
  int why = process < 0 ? errno : 0;
  ::close(pipe[1]);
  if (process > 0) {
    // If the command runs, the pipe closes without data.
    while (::read(pipe[0], &why, sizeof(why)) < 0 && errno == EINTR) {
    }
  }
  ::close(pipe[0]);
  if (why == 0) return ChildProcess(process);
  if (process > 0) ::waitpid(process, nullptr, 0);
  return fail(why == ENOENT ? ErrorCode::not_found : ErrorCode::io,
              fmt::format("can't run {}: {}", shown_word(words.front()), reason_of(why)));
}

void ChildProcess::send(int signal) const { ::kill(process_, signal); }

std::optional<int> ChildProcess::status() {
  if (status_) return status_;
  int status = 0;
  const pid_t ended = ::waitpid(process_, &status, WNOHANG);
  if (ended == process_) {
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  } else if (ended < 0 && errno != EINTR) {
    status_ = kNotFound;
  }
  return status_;
}

}  // namespace copse
