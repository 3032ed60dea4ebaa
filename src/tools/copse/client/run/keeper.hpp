// SPDX-License-Identifier: Apache-2.0
//
// The process between `copse run` and its command (child_process.hpp).
#pragma once

#include <functional>

namespace copse {

// A byte on the socket to the keeper: a signal for the command, with kToAll for all of its processes.
inline constexpr unsigned kToAll = 0x80;

struct KeeperPipes {
  int orders = -1;  // a socket of bytes; its end: this process has died
  int report = -1;  // to which the command writes why it can't be run
};

// Runs in the forked keeper, and does not return. `become_command` runs in the command's process. Exits
// with the status of the command, 128 and more for a signal, when none of its processes is left.
[[noreturn]] void keep_command(const KeeperPipes& pipes,
                               const std::function<void()>& become_command);

}  // namespace copse
