// SPDX-License-Identifier: Apache-2.0
//
// The queues of a program: those of a configuration file, or one queue without a name.
#pragma once

#include <string>

#include "queue/config/queue_config.hpp"

namespace copse {

struct QueueChoice {
  std::string file{};  // TOML, or slurm.conf; "": one queue with this discipline and this priority
  std::string discipline = "easy", priority{};
};

// Errors: those of the readers; invalid (the file has no queues); not_found (an unknown word).
[[nodiscard]] Result<queue::QueueConfig> chosen_queues(const QueueChoice& choice);

}  // namespace copse
