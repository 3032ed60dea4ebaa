// SPDX-License-Identifier: Apache-2.0
//
// An engine for one command of `copse`: the machine, the jobs that run on it and the nodes that are down.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "host/load_machine.hpp"
#include "host/plugins.hpp"

namespace copse {

struct MachineSetup {
  MachineFile machine{.path = {}, .format = {}};
  std::string policy = "first";  // see choose_policy
  bool policy_given = false;
  bool policy_by_levels = false;  // few-racks instead, if none is given and the machine has_levels
  std::string prune_filters;
  std::vector<std::string> auxiliary{};  // names of subsystems
  // An R of TreePool selects its own traverser, unless one is given.
  Traverser traverser = Traverser::loop_aware;
  bool traverser_given = false;
  std::vector<std::string> running;  // files of running jobs (host/running_jobs.hpp)
  bool strict =
      false;  // resources of these jobs that the machine lacks are an error, not a warning
  std::optional<std::int64_t> now_s{};  // the time of their clock; without it, they begin now
  bool clock_alone = false;             // now_s may be given without running jobs
  bool from_zero = false;               // the engine's clock begins at 0; else at now_s
  std::vector<std::string> down;        // hostlists, ranks, paths
  std::string hres;                     // a file of hierarchical resources; empty: none
  LayerOrder layer_order = LayerOrder::count;
  bool has_queues = false;  // settings of slurm.conf about queues are not said to have no effect
  bool quiet = false;       // neither warnings, progress nor the summary of a plan
};

// A warning on standard error, "copse: sentence", unless the setup is quiet.
void warn(const MachineSetup& setup, const std::string& sentence);
// The stream for progress: standard error, or nullptr.
[[nodiscard]] std::FILE* terminal_of(const MachineSetup& setup);

// The machine of a setup, with the layouts of an R of TreePool if its traverser is used; its remarks
// become warnings. Errors: those of load_machine.
[[nodiscard]] Result<Machine> load_machine(const MachineSetup& setup);

// The policy of a setup. Errors: those of choose_policy; not_found names the nearest word.
[[nodiscard]] Result<ChosenPolicy> policy_of(const MachineSetup& setup);

// Adds the hierarchical resources of a file to an engine. Errors: io, those of read_hres and
// Engine::add_resources.
[[nodiscard]] Result<void> add_hres(Engine& engine, const std::string& file);

// The second takes a machine that is already loaded. Errors: those of load_machine, Engine::create,
// policy_of, read_hres, Engine::add_resources, Engine::update; not_found (a path).
[[nodiscard]] Result<std::unique_ptr<Engine>> make_engine(const MachineSetup& setup);
// The same with the key `scheduling` that is TreePool's, if its traverser is used.
struct EngineOfMachine {
  std::unique_ptr<Engine> engine;
  std::optional<RScheduling> scheduling;
};
[[nodiscard]] Result<EngineOfMachine> engine_of_machine(const MachineSetup& setup);
[[nodiscard]] Result<std::unique_ptr<Engine>> make_engine(const MachineSetup& setup,
                                                          Machine machine);

}  // namespace copse
