// SPDX-License-Identifier: Apache-2.0
//
// Setup: the arguments of Scheduler::create().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/idset.hpp"
#include "base/job_id.hpp"
#include "copse/engine.hpp"
#include "copse/formats.hpp"
#include "flux/machine/machine.hpp"
#include "flux/reports.hpp"
#include "queue/config/queue_config.hpp"
#include "rset/rset.hpp"

namespace copse::flux {

struct Setup {
  std::string_view inventory;  // R (RFC 20), from resource.acquire
  // An engine with these ranks, which may be shared; nullptr: an engine is made from the R.
  std::shared_ptr<Engine> engine{};
  // The machine as a file in any supported format. It must have all ranks and children of the R;
  // nodes of other ranks are left out. Empty: the machine is that of the R.
  MachineText machine{};
  std::string_view machine_text{};
  // The machine as hwloc XML of each rank, from rank 0; empty: none.
  std::span<const std::string> topologies{};
  std::string_view hres{}, hres_file{};  // hierarchical resources, and their file; empty: none
  bool write_graph = false;              // `scheduling` in the R of a job has its resources as JGF
  bool shorthand = false;                // in shorthand JGF: without the contents of whole nodes
  Idset up{};                            // ranks that are up; all others are down
  std::int64_t now_s = 0;                // seconds since the epoch
  Policy policy{};
  bool policy_by_levels = false;         // few-racks instead, if the machine has levels
  std::optional<Traverser> traverser{};  // none: treepool if the R has its layouts, else simple
  queue::QueueConfig queues{};           // no lines: one queue, with the discipline easy
  bool writes_slots = true;              // the R of a job has nslots
  // Deny jobs of unknown queues, also those of hello. Else hello accepts them, and an instance
  // without queues accepts all jobs.
  bool no_foreign_queues = false;
  AnnotationLevel annotations = AnnotationLevel::everything;
  ReasonStyle reasons = ReasonStyle::brief;
  JobNames job_names = f58_text;
  // As sched-simple: the machine is the nodes and ids of R, jobs get the key `scheduling` of R
  // unchanged, and the times of their R have fractions of a second.
  bool plain = false;
};

// The machine of a setup, with its hierarchical resources. `all` is the inventory. Errors: those of
// the readers, Engine::create() and Engine::add_resources(); not_found (keep_ranks()).
[[nodiscard]] Result<InstanceMachine> machine_of(const Setup& setup, const RSet& all);

}  // namespace copse::flux
