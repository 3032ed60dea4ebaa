// SPDX-License-Identifier: Apache-2.0
//
// Settings of slurm.conf that bear on where and when jobs start, and have no effect on a machine. Copse
// has some of them as queues, others as hierarchical resources (queues/slurm_queues.hpp); for the rest it
// has no concept: accounts, QOS, preemption, cores that several jobs share.
#pragma once

#include <string>
#include <vector>

#include "formats/slurm/slurm_lines.hpp"

namespace copse {

// Their keys, each once, in alphabetical order; "OverSubscribe=EXCLUSIVE" where other values mean
// something else.
struct SlurmQueueSettings {
  std::string file;
  std::vector<std::string> of_queues, of_layers, others;

  // A sentence that lists those without effect; "" if there are none. `queues`, `layers`: queues, and
  // hierarchical resources, are taken from elsewhere, or from this file.
  [[nodiscard]] std::string sentence(bool queues = false, bool layers = false) const;
};

// Values that limit nothing (INFINITE, ALL, NO, …) do not count. O(settings).
[[nodiscard]] SlurmQueueSettings settings_of_queues(const std::vector<SlurmLine>& lines);

// A sentence for each key of a partition's line that Slurm does not have, with its place. O(settings).
[[nodiscard]] std::vector<std::string> unknown_partition_keys(const std::vector<SlurmLine>& lines);

}  // namespace copse
