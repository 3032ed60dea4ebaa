// SPDX-License-Identifier: Apache-2.0
//
// A machine for one command of `copse`: loaded, with what runs on it and what is down.
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
  std::string policy = "first";  // as choose_policy has it
  std::string prune_filters;
  std::vector<std::string> auxiliary{};  // names of subsystems
  Traverser traverser = Traverser::loop_aware;
  std::vector<std::string> running;  // files of running jobs (host/running_jobs.hpp)
  bool strict = false;  // what of them the machine cannot have is an error, not a warning
  std::optional<std::int64_t> now_s{};  // the time of their clock; none: they begin now
  bool clock_alone = false;             // a clock is of use without jobs that run
  bool from_zero = false;         // the engine's clock is 0 then; else it shows that time, too
  std::vector<std::string> down;  // hostlists, ranks, paths
  std::string hres;               // a file of hierarchical resources; empty: none
  LayerOrder layer_order = LayerOrder::count;
  bool quiet = false;  // neither warnings, progress nor the summary of a plan
};

// A warning on standard error, "copse: sentence", unless the setup is quiet.
void warn(const MachineSetup& setup, const std::string& sentence);
// Where progress is shown: standard error, or nullptr.
[[nodiscard]] std::FILE* terminal_of(const MachineSetup& setup);

// The machine of a setup; its remarks become warnings. Errors: those of load_machine.
[[nodiscard]] Result<Machine> load_for(const MachineSetup& setup);

// The policy of a setup. Errors: those of choose_policy; not_found names the nearest word.
[[nodiscard]] Result<ChosenPolicy> policy_of(const MachineSetup& setup);

// Gives an engine the hierarchical resources of a file. Errors: io, those of read_hres and
// Engine::add_resources.
[[nodiscard]] Result<void> add_hres(Engine& engine, const std::string& file);

// The second is for a machine that is loaded. Errors: those of load_machine, Engine::create,
// policy_of, read_hres, Engine::add_resources, Engine::update; not_found (a path).
[[nodiscard]] Result<std::unique_ptr<Engine>> set_up(const MachineSetup& setup);
[[nodiscard]] Result<std::unique_ptr<Engine>> set_up(const MachineSetup& setup, Machine machine);

}  // namespace copse
