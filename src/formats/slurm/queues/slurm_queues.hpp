// SPDX-License-Identifier: Apache-2.0
//
// The partitions of slurm.conf as queues, in the TOML that queues are configured in
// (queue/config/queue_config.hpp), and its licences as hierarchical resources (formats/hres/hres.hpp).
// Their readers read what is written here: so there is one grammar for each.
//
//   of a partition                 becomes
//   PartitionName                  the queue, whose nodes have the partition as their property
//   MaxTime                        policy.limits.duration
//   DefaultTime, else MaxTime      the duration of jobs that ask for none
//   MinNodes, MaxNodes             policy.limits.job-size
//   AllowGroups                    policy.access.allow-group
//   DefMemPerCPU, DefMemPerNode    the memory of jobs that ask for none, unless SelectTypeParameters
//                                  says that memory is no consumable resource
//   OverSubscribe=EXCLUSIVE        whole nodes
//   PriorityTier, Priority         queue-priority-per-queue
//   PriorityJobFactor, Priority    priority.queues, times PriorityWeightPartition
//   Default=YES                    the queue of jobs that name none
//   of the cluster
//   DefMemPerCPU, DefMemPerNode    the same of all queues
//   SelectType=select/linear       whole nodes in all queues
//   PriorityType, PriorityWeight…  sched-copse.priority
//   SchedulerType                  the discipline: of sched/builtin fcfs, else conservative
//   Licenses                       a resource of mode 1 over all nodes, for each licence
//
// A partition without nodes is left out: none of its jobs could start. DEFAULT lines count.
#pragma once

#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "formats/slurm/slurm_lines.hpp"

namespace copse {

inline constexpr std::size_t kSlurmPartitionsMax = 10'000;

// Errors, with file and line: those of read_slurm_conf; invalid (a value of these settings, no
// partition with nodes); limit. O(text + nodes · partitions).
[[nodiscard]] Result<std::string> slurm_queues_toml(std::string_view text, std::string_view file,
                                                    const SlurmFiles& files = nullptr);

// Errors: as above; invalid (there are no licences).
[[nodiscard]] Result<std::string> slurm_licences_yaml(std::string_view text, std::string_view file,
                                                      const SlurmFiles& files = nullptr);

}  // namespace copse
