// SPDX-License-Identifier: Apache-2.0
//
// ChildProcess: a command with its own variables and processors. It is killed if this process dies in
// any way, because its resources are then given to other jobs.
//
// It stays in the foreground of the terminal, with this process: keys that send signals reach both.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "copse/error.hpp"
#include "tools/copse/client/run/job_place.hpp"

namespace copse {

class ChildProcess {
 public:
  // The exit statuses of a shell for a command that can't be run.
  static constexpr int kNotFound = 127, kNoProgram = 126;

  // `processors`: those it may use; none: as this process. Errors: not_found, io (it can't be run).
  [[nodiscard]] static Result<ChildProcess> start(const std::vector<std::string>& words,
                                                  const Variables& variables,
                                                  const std::vector<unsigned>& processors);
  // REQUIRES that status() had none.
  void send(int signal) const;
  // The exit status, 128 and more for a signal; none: it still runs. A second call returns the same.
  [[nodiscard]] std::optional<int> status();

 private:
  explicit ChildProcess(pid_t process) : process_(process) {}
  pid_t process_;
  std::optional<int> status_{};
};

}  // namespace copse
