// SPDX-License-Identifier: Apache-2.0
//
// What a Scheduler is told once, when it is made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/idset.hpp"
#include "copse/engine.hpp"
#include "copse/formats.hpp"
#include "queue/config/queue_config.hpp"
#include "rset/rset.hpp"

namespace copse::flux {

// What jobs are told of their waiting.
enum class Telling : std::uint8_t {
  everything,  // promised and expected starts, and why they wait
  promises,    // the same, but of starts only those that are promised: as Fluxion
  starts,      // expected starts; why they wait only if asked (tell_reasons()): as sched-simple
};

struct Setup {
  std::string_view inventory;  // R (RFC 20), as resource.acquire has it
  // Of these ranks, somebody else's too; nullptr: one is made of the R.
  std::shared_ptr<Engine> engine{};
  // A file with that machine, in any format that is read: then it is not made of the R, but has all
  // of its ranks and children. Nodes of other ranks are left out.
  MachineText machine{};
  std::string_view machine_text{};
  // The same as hwloc's XML of each rank, from rank 0; empty: none.
  std::span<const std::string> topologies{};
  std::string_view hres{}, hres_file{};  // hierarchical resources, and their file; empty: none
  bool write_graph = false;              // R of a job has what it got in scheduling, too, as JGF
  bool shorthand = false;                // that JGF is shorthand: nothing below whole nodes
  Idset up{};                            // ranks that are; all others are down
  std::int64_t now_s = 0;                // seconds since the epoch
  Policy policy{};
  std::optional<Traverser> traverser{};  // none: treepool where the R has its layouts, else simple
  queue::QueueConfig queues{};           // no lines: one queue, easy
  bool says_slots = true;                // R of a job has nslots
  // A job of a queue that is not there is denied, also one that runs; else such a job of hello, and
  // all where there are no queues, are taken.
  bool no_foreign_queues = false;
  Telling telling = Telling::everything;
};

// The engine of a setup, with its hierarchical resources; `all` is its inventory. Errors: those of
// the readers, Engine::create() and Engine::add_resources(); not_found (keep_ranks()).
[[nodiscard]] Result<std::shared_ptr<Engine>> engine_of(const Setup& setup, const RSet& all);

}  // namespace copse::flux
