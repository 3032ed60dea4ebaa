// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/run/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <functional>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "files/read_file.hpp"
#include "tools/copse/client/run/process_tree.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX requires the declaration

namespace copse {

namespace {

// --- The keeper

// A byte on the socket to the keeper: a signal for the command, with kToAll for all of its processes.
constexpr unsigned kToAll = 0x80;

struct KeeperPipes {
  int orders = -1;  // a socket of bytes; its end: this process has died
  int report = -1;  // to which the command writes why it can't be run
};

constexpr std::chrono::seconds kKillTime{5};  // for processes that are killed
constexpr int kLost = 128 + SIGKILL;          // the exit status if this program has died

// A socket of this program that stayed open would hide its death.
void close_others(const KeeperPipes& pipes) {
  constexpr unsigned kFirst = 3;
  std::array<unsigned, 2> kept{static_cast<unsigned>(pipes.orders),
                               static_cast<unsigned>(pipes.report)};
  std::ranges::sort(kept);
  unsigned from = kFirst;
  for (const unsigned one : kept) {
    if (one > from) (void)::close_range(from, one - 1, 0);
    from = one + 1;
  }
  (void)::close_range(from, UINT_MAX, 0);
}

// The status of the command, if it has ended; reaps all that have.
std::optional<int> reap(pid_t command) {
  std::optional<int> out;
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(-1, &status, WNOHANG);
    if (ended < 0 && errno == EINTR) continue;
    if (ended <= 0) return out;
    if (ended != command) continue;
    out = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
}

[[noreturn]] void end_with(int status) {
  (void)end_descendants(kKillTime);
  ::_exit(status);
}

// False: this program has died.
bool obey(int orders, pid_t command) {
  unsigned char order = 0;
  const ssize_t got = ::read(orders, &order, 1);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  const int signal = static_cast<int>(order & ~kToAll);
  if ((order & kToAll) != 0) {
    send_to_descendants(signal);
  } else {
    ::kill(command, signal);
  }
  return true;
}

// Runs in the forked keeper, and does not return. `become_command` runs in the command's process. Exits
// with the status of the command, 128 and more for a signal, when none of its processes is left.
[[noreturn]] void keep_command(const KeeperPipes& pipes,
                               const std::function<void()>& become_command) {
  sigset_t all, ends;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  const pid_t foreground = ::getpgrp();
  (void)::setpgid(0, 0);
  adopt_orphans();
  close_others(pipes);
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGCHLD);
  const int signals = ::signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
  const pid_t keeper = ::getpid();
  const pid_t command = ::fork();
  if (command == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != keeper) ::_exit(kLost);
    (void)::setpgid(0, foreground);
    ::close(pipes.orders);
    become_command();
    ::_exit(kLost);
  }
  if (command < 0) {
    const int why = errno;
    (void)!::write(pipes.report, &why, sizeof(why));
    ::_exit(kLost);
  }
  ::close(pipes.report);
  for (;;) {
    std::array<pollfd, 2> ready{{{signals, POLLIN, 0}, {pipes.orders, POLLIN, 0}}};
    (void)::poll(ready.data(), ready.size(), -1);
    signalfd_siginfo facts{};
    while (::read(signals, &facts, sizeof(facts)) == sizeof(facts)) {
    }
    if (const auto status = reap(command)) end_with(*status);
    if (ready[1].revents != 0 && !obey(pipes.orders, command)) end_with(kLost);
  }
}

// --- The command

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
                                 const cpu_set_t* processors, int report_pipe) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
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
  const auto cannot = [&words](int why) {
    return fail(why == ENOENT ? ErrorCode::not_found : ErrorCode::io,
                fmt::format("can't run {}: {}", shown_word(words.front()), reason_of(why)));
  };
  std::array<int, 2> report{}, orders{};
  if (::pipe2(report.data(), O_CLOEXEC) != 0) return cannot(errno);
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, orders.data()) != 0) {
    const int why = errno;
    for (const int one : report) ::close(one);
    return cannot(why);
  }
  adopt_orphans();  // if the keeper is killed
  const pid_t keeper = ::fork();
  if (keeper == 0) {
    ::close(orders[1]);
    keep_command({.orders = orders[0], .report = report[1]}, [&] {
      become_command(argv.data(), envp.data(), processors.empty() ? nullptr : &set, report[1]);
    });
  }
  int why = keeper < 0 ? errno : 0;
  ::close(report[1]);
  ::close(orders[0]);
  if (keeper > 0) {
    // If the command runs, the pipe closes without data.
    while (::read(report[0], &why, sizeof(why)) < 0 && errno == EINTR) {
    }
  }
  ::close(report[0]);
  if (why == 0) return ChildProcess(keeper, orders[1]);
  ::close(orders[1]);
  if (keeper > 0) ::waitpid(keeper, nullptr, 0);
  return cannot(why);
}

void ChildProcess::send(int signal) const {
  const auto order = static_cast<unsigned char>(signal);
  (void)::send(to_keeper_.number(), &order, 1, MSG_NOSIGNAL);
}

void ChildProcess::send_all(int signal) const {
  send(static_cast<int>(static_cast<unsigned>(signal) | kToAll));
}

std::optional<int> ChildProcess::status() {
  if (status_) return status_;
  int status = 0;
  const pid_t ended = ::waitpid(keeper_, &status, WNOHANG);
  if (ended == keeper_) {
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (!WIFEXITED(status)) (void)end_descendants(std::chrono::seconds(5));
  } else if (ended < 0 && errno != EINTR) {
    status_ = kNotFound;
  }
  return status_;
}

}  // namespace copse
