// SPDX-License-Identifier: Apache-2.0
//
// ChildProcess: a command with its own variables and processors, and all processes that it starts.
// They end with the command, and if this process dies in any way, because their resources are then given
// to other jobs.
//
// A keeper is between this process and the command: it adopts what the command leaves behind, passes
// signals on, and kills all if the socket of this process closes. It takes no signals, and is in a
// process group of its own, so that a kill of this group does not reach it.
//
// The command stays in the foreground of the terminal, with this process: keys that send signals reach
// both.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "copse/error.hpp"
#include "files/descriptor.hpp"
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

  // To the command. REQUIRES that status() had none, as send_all().
  void send(int signal) const;
  // To the command and the processes that it started.
  void send_all(int signal) const;
  // The exit status, 128 and more for a signal; none: it still runs. A second call returns the same.
  // No process of the command is left then.
  [[nodiscard]] std::optional<int> status();

 private:
  ChildProcess(pid_t keeper, int to_keeper) : keeper_(keeper), to_keeper_(to_keeper) {}
  pid_t keeper_;
  Descriptor to_keeper_;  // a socket; when it is closed, the keeper kills what is left
  std::optional<int> status_{};
};

}  // namespace copse
