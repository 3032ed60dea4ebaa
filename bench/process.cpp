// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "rig.hpp"

namespace copse::bench {

std::int64_t status_kb(const std::string& key) {
  std::ifstream file("/proc/self/status");  // lines as "VmRSS:   1234 kB"
  std::string word;
  while (file >> word) {
    std::int64_t kb = 0;
    if (word == key + ":" && file >> kb) return kb;
  }
  give_up("/proc/self/status has no " + key);
}

bool apart(const std::function<void()>& step) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) give_up("cannot fork");
  if (child == 0) {
    step();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace copse::bench
