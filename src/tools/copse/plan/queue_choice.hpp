// SPDX-License-Identifier: Apache-2.0
//
// The queues that a command line asks for: a file of them, or one without a name.
#pragma once

#include <string>

#include "queue/config/queue_config.hpp"

namespace copse {

struct QueueChoice {
  std::string file{};  // TOML; "": one queue, of
  std::string discipline = "easy", priority{};
};

// Errors: those of reading; invalid (the file has no queues); not_found (a word).
[[nodiscard]] Result<queue::QueueConfig> chosen_queues(const QueueChoice& choice);

}  // namespace copse
