// SPDX-License-Identifier: Apache-2.0
//
// Configuration of queues: TOML with the keys of Flux and Fluxion.
//
//   [queues.batch]                       # RFC 33; without any there is one queue, without a name
//   requires = ["batch"]                 # properties of its nodes; or hosts = "node[0-3]"
//   [queues.urgent]
//   parent = "batch"                     # a virtual queue
//
//   [policy.limits]                      # of all queues; [queues.batch.policy.limits]: of one
//   duration = "4h"
//   job-size.max.nnodes = 8              # also ncores, ngpus, and job-size.min
//
//   [sched-copse]
//   queue-policy = "easy"                # fcfs, easy (default), hybrid, conservative
//   queue-params = "queue-depth=1000"    # or a table; also max-queue-depth
//   policy-params = "reservation-depth=64"         # of hybrid; also max-reservation-depth
//   queue-policy-per-queue = "batch:easy debug:fcfs"
//   queue-params-per-queue = "batch:queue-depth=8"
//   policy-params-per-queue = "batch:reservation-depth=2"
//   queue-priority-per-queue = "debug:2 batch:1"   # debug is served first; others have 0
//
//   [sched-copse.priority]
//   rule = "multifactor"                 # fifo (default), smallest, largest, age, fair-share
//   age = 1000                           # weights in place of the rule's; also size, fair-share
//   age-max = "7d"                       # durations; also half-life, period
//   queues = { urgent = 100 }            # what their jobs have in addition
//   shares = { ada = 2 }                 # of users; others have 1
//
//   [policy.jobspec.defaults.system]     # of jobs that do not say it: JobDefaults
//   queue = "batch"
//   duration = "1h"
//
//   [policy.access]                      # of all queues; [queues.batch.policy.access]: QueueAccess
//   allow-group = ["physics"]
//
//   [[running-limits]]                   # how much may run at once: RunningLimits
//   user = "*"
//   ncores = 64
//
//   [grants]                             # what users may take outside the queues: GrantBounds
//   duration = "1h"
//
// The table [sched-fluxion-qmanager] is read if there is no [sched-copse], with Fluxion's defaults:
// fcfs, and a depth of 32. Parameters that neither sets are handled as in Fluxion (its manual,
// *Queue policies*), except an unknown policy, which is an error. Unknown parameters in that table,
// and other tables, are skipped.
// Limits are for hosts that accept jobs: a JobQueue does not apply them. Neither does the scheduler
// of Flux, because its job manager does.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/known_key.hpp"
#include "copse/error.hpp"
#include "queue/config/grant_bounds.hpp"
#include "queue/config/job_defaults.hpp"
#include "queue/config/job_limits.hpp"
#include "queue/limits/queue_access.hpp"
#include "queue/limits/running_limits.hpp"
#include "queue/priorities.hpp"
#include "queue/queue_table.hpp"

namespace copse::queue {

inline constexpr std::array<KnownKey, 4> kQueueKeys{{{"requires", KnownKey::kList},
                                                     {"hosts", KnownKey::kText},
                                                     {"parent", KnownKey::kText},
                                                     {"policy", KnownKey::kMapping}}};
// Tables that are read; the file may have others, of other parts of Flux.
inline constexpr std::array<KnownKey, 6> kQueueTables{
    {{"queues", KnownKey::kMapping},
     {"grants", KnownKey::kMapping},
     {"running-limits", KnownKey::kList},
     {"policy", KnownKey::kMapping},
     {"sched-copse", KnownKey::kMapping},
     {"sched-fluxion-qmanager", KnownKey::kMapping}}};
// Keys from match-policy on are for the module in Flux (flux/module/module_options.hpp), and are
// skipped here.
inline constexpr std::array<KnownKey, 15> kSchedulerKeys{
    {{"queue-policy", KnownKey::kText},
     {"queue-params", KnownKey::kText | KnownKey::kMapping},
     {"policy-params", KnownKey::kText | KnownKey::kMapping},
     {"queue-policy-per-queue", KnownKey::kText},
     {"queue-params-per-queue", KnownKey::kText},
     {"policy-params-per-queue", KnownKey::kText},
     {"queue-priority-per-queue", KnownKey::kText},
     {"priority", KnownKey::kMapping},
     {"match-policy", KnownKey::kText},
     {"traverser", KnownKey::kText},
     {"mode", KnownKey::kText},
     {"hres", KnownKey::kText},
     {"inventory", KnownKey::kText},
     {"inventory-format", KnownKey::kText},
     {"scheduling", KnownKey::kText}}};
inline constexpr std::array<KnownKey, 9> kPriorityKeys{{{"rule", KnownKey::kText},
                                                        {"age", KnownKey::kNumber},
                                                        {"size", KnownKey::kNumber},
                                                        {"fair-share", KnownKey::kNumber},
                                                        {"age-max", KnownKey::kTime},
                                                        {"half-life", KnownKey::kTime},
                                                        {"period", KnownKey::kTime},
                                                        {"queues", KnownKey::kMapping},
                                                        {"shares", KnownKey::kMapping}}};

struct QueueConfig {
  std::vector<QueueSpec> queues;  // check_queues() holds
  PriorityRule rule{};            // check_rule() holds
  JobLimits limits{};
  JobDefaults defaults{};  // their queue is one of these
  GrantBounds grants{};
  QueueAccess access{};
  std::vector<RunningLimit> running_limits{};
  bool stated = false;  // the text has one of these tables
  std::vector<std::string>
      of_the_machine{};  // keys that configure the machine, which have no effect here
  std::vector<std::string> tables_of_flux{};  // that have no effect here
  // Other tables, that neither Copse nor Flux reads, and where.
  std::vector<std::pair<std::string, copse::SourceLocation>> unknown_tables{};

  struct Hosts {
    std::vector<std::string> names;
    copse::SourceLocation place;
  };
  std::vector<Hosts> hosts{};  // the hosts that queues name
};

// `own`: disciplines in addition to the bundled ones. Errors, with line and column: invalid; limit;
// not_found (an unknown word); unsupported if Copse was built without a reader of TOML.
[[nodiscard]] Result<QueueConfig> read_queue_config(std::string_view text,
                                                    std::string_view file = {},
                                                    std::span<const Discipline> own = {});

}  // namespace copse::queue
