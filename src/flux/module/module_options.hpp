// SPDX-License-Identifier: Apache-2.0
//
// ModuleOptions: the options of the module when it is loaded, and after `flux config reload`. Arguments
// KEY=VALUE override the tables of Flux's configuration. queue/config/queue_config.hpp has the keys for
// queues. Other keys, in [sched-copse] or as arguments:
//
//   match-policy = "first"     # also policy; docs/reference/policies.md
//   traverser = "simple"       # also flexible, loop-aware, treepool
//   mode = "unlimited"         # or "limited=N": pending requests of the job manager
//   hres = "FILE"              # hierarchical resources (docs/reference/hierarchical-resources.md)
//   inventory = "FILE"         # the machine, with the ranks of the instance; default: that of R
//   inventory-format = "grug"  # if the text of that file does not tell its format; hwloc without an
//                              # inventory: read the topology of each rank
//   scheduling = "none"        # or "jgf": the key `scheduling` in a job's R
//   reasons = "short"          # of waiting jobs, in annotations; or "long", "none"
//
// Without [sched-copse], Fluxion's tables are read: [sched-fluxion-qmanager] for queues,
// [sched-fluxion-resource] for match-policy and traverser.
//
// Loaded as sched-simple, it behaves as Flux's scheduler of that name: fcfs, nodes with most free cores
// first, at most 8 pending requests, no queues, no tables. Arguments are those above and
//
//   queue-depth = "8"          # or "unlimited": the same as mode
//   alloc-mode = "worst-fit"   # best-fit, first-fit; of sched-simple in C
//   log-level = "debug"        # a level of syslog: lines of sched-simple below it are left out
//   pool-class = "TreePool"    # the traverser treepool; also Rv1Pool, and copse.flux
#pragma once

#include <flux/core.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/options.hpp"
#include "flux/fluxion/queue_text.hpp"
#include "flux/reports.hpp"
#include "queue/config/queue_config.hpp"

namespace copse::flux {

struct ModuleOptions {
  // The scheduler that it replaces: some answers and log lines are those of that scheduler.
  enum class As : std::uint8_t { copse, fluxion, simple };
  As as = As::copse;
  Policy policy{};
  bool policy_given = false;
  std::optional<Traverser> traverser{};  // none: see Setup
  std::string mode = "unlimited";
  struct File {
    std::string name, text;
    bool operator==(const File&) const = default;
  };
  File hres{}, inventory{};  // empty: none
  std::string inventory_format{};
  [[nodiscard]] bool asks_topologies() const {
    return inventory.name.empty() && inventory_format == "hwloc";
  }
  ReasonStyle reasons = ReasonStyle::brief;
  // As sched-simple.
  std::string log_level = "debug", pool_class = "Rv1Pool";
  bool write_graph = false;   // scheduling = "jgf"
  bool shorthand = false;     // in shorthand JGF, as Fluxion's match-format=rv1_shorthand
  bool feasibility = true;    // register the service feasibility
  bool partial_hello = true;  // accept running jobs that have freed some of their ranks
  queue::QueueConfig queues{};
  QueueParams params{};  // as the user gave them
  std::vector<std::string> warnings{};
};

// `module` is the name under which it was loaded. As sched-fluxion-qmanager it reads that table, and
// replaces an unknown queue-policy by the default, with a warning. Errors, in one line with the key:
// invalid, not_found.
[[nodiscard]] Result<ModuleOptions> read_module_options(const flux_conf_t* conf,
                                                        std::string_view module,
                                                        std::span<const std::string> arguments);

// The changed keys that a running module ignores: they take effect when it is reloaded.
[[nodiscard]] std::vector<std::string> fixed_changes(const ModuleOptions& from,
                                                     const ModuleOptions& to);

}  // namespace copse::flux
