// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/run/keeper.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <optional>

#include "tools/copse/client/run/process_tree.hpp"

namespace copse {

namespace {

constexpr std::chrono::seconds kEnd{5};  // for processes that are killed
constexpr int kLost = 128 + SIGKILL;     // the exit status if this program has died

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
  (void)end_descendants(kEnd);
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

}  // namespace

void keep_command(const KeeperPipes& pipes, const std::function<void()>& become_command) {
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

}  // namespace copse
