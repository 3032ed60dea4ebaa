// SPDX-License-Identifier: Apache-2.0
//
// The processes below this one. After adopt_orphans(), a process whose parent has ended becomes a child
// of this one, so that neither setsid() nor two forks take it away.
//
// Cost: reads /proc/PID/stat of each process of the computer.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <vector>

namespace copse {

void adopt_orphans();
// Children, their children, and so on.
[[nodiscard]] std::vector<pid_t> descendants();
void send_to_descendants(int signal);
// Kills them, and waits for their ends. False: some did not end within that time, as those of
// another user do not.
bool end_descendants(std::chrono::milliseconds within);

}  // namespace copse
