// SPDX-License-Identifier: Apache-2.0
//
// What the module is told when it is loaded, and by `flux config reload`: arguments, KEY=VALUE, over
// the tables of Flux's configuration. Queues are in the words of queue/config/queue_config.hpp; keys
// of the module itself, in [sched-copse] or as arguments:
//
//   match-policy = "first"     # also policy; docs/reference/policies.md
//   traverser = "simple"       # also loop_aware, treepool, ...
//   mode = "unlimited"         # or "limited=N": how many requests the job manager sends
//   hres = "FILE"              # hierarchical resources (docs/reference/hierarchical-resources.md)
//   inventory = "FILE"         # the machine, with the ranks of the instance; else it is made of R
//   inventory-format = "grug"  # where the text of that file does not say it; hwloc without an
//                              # inventory: each rank is asked for its topology
//   scheduling = "none"        # or "jgf": what a job's R says in scheduling
//
// Fluxion's tables stand in where there is no [sched-copse]: [sched-fluxion-qmanager] for queues,
// [sched-fluxion-resource] for match-policy and traverser.
//
// Under the name sched-simple it is as Flux's scheduler of that name: fcfs, nodes with most free
// cores first, at most 8 requests at one time, no queues, no tables. Arguments are those above and
//
//   queue-depth = "8"          # or "unlimited": the same as mode
//   alloc-mode = "worst-fit"   # best-fit, first-fit; of sched-simple in C
//   log-level = "info"         # a level of syslog; read and not used
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
#include "queue/config/queue_config.hpp"

namespace copse::flux {

struct ModuleOptions {
  // Whose place it takes: some answers and lines of the log are then as theirs.
  enum class As : std::uint8_t { copse, fluxion, simple };
  As as = As::copse;
  Policy policy{};
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
  bool write_graph = false;   // scheduling = "jgf"
  bool shorthand = false;     // that, as Fluxion's match-format=rv1_shorthand has it
  bool feasibility = true;    // the service of that name is this module's
  bool partial_hello = true;  // jobs that gave back some of their ranks are told of
  queue::QueueConfig queues{};
  QueueParams params{};  // as they were given
  std::vector<std::string> warnings{};
};

// `module` is the name under which it was loaded: as sched-fluxion-qmanager it reads that table, and
// takes the default for an unknown queue-policy, with a warning. Errors: invalid, not_found: one
// line, which names the key.
[[nodiscard]] Result<ModuleOptions> read_module_options(const flux_conf_t* conf,
                                                        std::string_view module,
                                                        std::span<const std::string> arguments);

// Keys whose values a module that runs goes on without: they count when it is loaded.
[[nodiscard]] std::vector<std::string> fixed_changes(const ModuleOptions& from,
                                                     const ModuleOptions& to);

}  // namespace copse::flux
