// SPDX-License-Identifier: Apache-2.0
#include "host/machine_setup.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/hostlist.hpp"
#include "base/nearest_word.hpp"
#include "base/saturating.hpp"
#include "copse/policy.hpp"
#include "files/read_file.hpp"
#include "formats/hres/hres.hpp"
#include "formats/named_pools.hpp"
#include "formats/slurm/queues/slurm_queues.hpp"
#include "formats/slurm/slurm_conf.hpp"
#include "host/grant_running.hpp"
#include "host/output.hpp"
#include "host/running_jobs.hpp"
#include "match/few_racks/level_tree.hpp"
#include "text/counted.hpp"
#include "text/printable.hpp"

namespace copse {

namespace {

constexpr std::size_t kHostsMax = std::size_t{1} << 22;  // of one layer
constexpr std::size_t kShownBytesMax = 200;              // of a list of nodes in a warning

// `known`: the jobs and the nodes that are down in the machine's file.
Result<void> set_running(Engine& engine, const MachineSetup& setup, RunningFile known) {
  for (const std::string& path : setup.running) {
    auto more = read_running(engine.graph(), path);
    if (!more) return std::unexpected(more.error());
    known.add(std::move(*more));
  }
  for (const std::string& remark : known.remarks) warn(setup, remark);
  std::vector<RunningJob>& jobs = known.jobs;
  const auto real = std::ranges::find_if(jobs, [](const RunningJob& job) {
    return job.start_s >= kRealTime_s && job.end_s > 0 && job.seen_s == 0;
  });
  if (real != jobs.end() && !setup.now_s) {
    warn(setup, fmt::format("{}: its job began at {}: without --now, it begins now", real->where,
                            time_text(real->start_s)));
  }
  const auto granted = grant_running(engine, std::move(jobs), setup.now_s, setup.strict);
  if (!granted) return std::unexpected(granted.error());
  for (const std::string& problem : granted->problems) warn(setup, problem);
  if (granted->ended > 0) {
    warn(setup, fmt::format("{} of --running had ended by {}", counted(granted->ended, "job"),
                            readable_time(*setup.now_s)));
  }
  for (const PoolId p : known.down) engine.set_status(p, Status::down);
  return {};
}

// A type that the machine does not have is an error: it would never be counted.
Result<void> check_filters(const std::string& filters, const ResourceGraph& graph) {
  std::vector<std::string_view> types{"ALL"};
  const Interner& names = graph.names().types;
  for (std::uint32_t type = 0; type < names.size(); ++type) {
    if (!graph.of_type(TypeId{static_cast<std::uint16_t>(type)}).empty()) {
      types.push_back(names.text(type));
    }
  }
  std::string_view rest = filters;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(",: \t"), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!word.empty() && std::ranges::find(types, word) == types.end()) {
      return fail(ErrorCode::not_found,
                  "--prune-filters: " + unknown_word("resource type", word, types));
    }
  }
  return {};
}

// The times of an R, on the clock of the engine. Dates need a clock with dates. A session's client
// may set one later; another clock begins with the R.
void bound_times(const MachineSetup& setup, const Machine& machine, EngineOptions& options) {
  const auto seconds = [](double s) { return static_cast<std::int64_t>(std::min(s, 0x1p53)); };
  std::int64_t from = seconds(std::ceil(machine.starttime_s));
  std::int64_t until = seconds(std::floor(machine.expiration_s));
  if (from == 0 && until == 0) return;
  std::int64_t zero = setup.from_zero ? setup.now_s.value_or(0) : 0;
  if (std::max(from, until) >= kRealTime_s && !setup.now_s) {
    if (setup.clock_alone && !setup.from_zero) {
      from = 0;
    } else if (from == 0) {
      return warn(setup, fmt::format("{}: its expiration is a date: without --now it has no effect",
                                     setup.machine.path));
    } else {
      zero = from;
    }
  }
  options.valid_from = std::max<std::int64_t>(from - zero, 0);
  options.valid_until = until > 0 ? std::max<std::int64_t>(until - zero, 1) : 0;
}

// Mode 3: nodes that upper layers contain and no leaf does cannot be used, as in Slurm.
void warn_of_bare_nodes(const MachineSetup& setup, const Engine& engine) {
  std::map<std::string, std::vector<std::set<std::string>>> layers;  // by resource of mode 3
  for (const LayerView& layer : engine.layers(engine.now())) {
    auto hosts = expand_hostlist(layer.nodes, kHostsMax);
    if (layer.mode != 3 || !hosts) continue;
    layers[layer.resource].emplace_back(hosts->begin(), hosts->end());
  }
  for (const auto& [resource, sets] : layers) {
    std::set<std::string> all, in_leaves;
    for (const auto& layer : sets) {
      all.insert(layer.begin(), layer.end());
      const bool leaf = std::ranges::none_of(sets, [&](const auto& other) {
        return other.size() < layer.size() && std::ranges::includes(layer, other);
      });
      if (leaf) in_leaves.insert(layer.begin(), layer.end());
    }
    std::vector<std::string> bare;
    std::ranges::set_difference(all, in_leaves, std::back_inserter(bare));
    if (bare.empty()) continue;
    const ShortHostlist shown = compress_first_hosts(bare, kShownBytesMax);
    warn(setup,
         fmt::format("warning: nodes in no leaf of {} cannot use it: {}{}", resource, shown.text,
                     shown.left > 0 ? fmt::format(" and {} more", shown.left) : ""));
  }
}

}  // namespace

void warn(const MachineSetup& setup, const std::string& sentence) {
  if (!setup.quiet) write_error("copse: " + printable(sentence, LineEnds::escape) + "\n");
}

std::FILE* terminal_of(const MachineSetup& setup) { return setup.quiet ? nullptr : stderr; }

Result<Machine> load_machine(const MachineSetup& setup) {
  MachineFile file = setup.machine;
  file.treepool = !setup.traverser_given || setup.traverser == Traverser::treepool;
  auto machine = load_machine(file, terminal_of(setup));
  if (!machine) return machine;
  const SlurmQueueSettings& settings = machine->slurm_settings;
  const std::string of_settings = settings.sentence();
  for (const std::string& remark : machine->remarks) {
    const std::string& shown =
        remark == of_settings ? settings.sentence(setup.has_queues, !setup.hres.empty()) : remark;
    if (!shown.empty()) warn(setup, shown);
  }
  return machine;
}

Result<ChosenPolicy> policy_of(const MachineSetup& setup) {
  auto chosen = choose_policy(setup.policy);
  if (chosen || chosen.error().code != ErrorCode::not_found) return chosen;
  const auto own = policies_of_environment().value_or(std::vector<Policy>());
  std::vector<std::string_view> known;
  known.reserve(own.size() + bundled_policies().size());
  for (const Policy& p : own) known.emplace_back(p.name);
  for (const Policy& p : bundled_policies()) known.emplace_back(p.name);
  chosen.error().text = unknown_word("match policy", setup.policy, known);
  return chosen;
}

Result<void> add_hres(Engine& engine, const std::string& file) {
  auto text = read_file(file);
  if (!text) return std::unexpected(text.error());
  if (looks_like_slurm_conf(*text)) {
    auto licences = slurm_licences_yaml(*text, file, files_in_folder_of(file));
    if (!licences) return std::unexpected(licences.error());
    *text = std::move(*licences);
  }
  const auto spec = read_hres(*text, file);
  if (!spec) return std::unexpected(spec.error());
  if (spec->resources.empty()) return fail(ErrorCode::invalid, "the file has no resources", {file});
  auto added = engine.add_resources(*spec, file);
  if (!added) return in_file(added.error(), file);
  return {};
}

Result<std::unique_ptr<Engine>> make_engine(const MachineSetup& setup) {
  auto made = engine_of_machine(setup);
  if (!made) return std::unexpected(made.error());
  return std::move(made->engine);
}

Result<EngineOfMachine> engine_of_machine(const MachineSetup& setup) {
  if (setup.now_s && setup.running.empty() && !setup.clock_alone) {
    return fail(ErrorCode::invalid, "--now requires --running");
  }
  if (auto policy = policy_of(setup); !policy) return std::unexpected(policy.error());
  auto machine = load_machine(setup);
  if (!machine) return std::unexpected(machine.error());
  auto scheduling = machine->scheduling;
  auto engine = make_engine(setup, std::move(*machine));
  if (!engine) return std::unexpected(engine.error());
  return EngineOfMachine{std::move(*engine), std::move(scheduling)};
}

Result<std::unique_ptr<Engine>> make_engine(const MachineSetup& setup, Machine machine) {
  auto chosen = policy_of(setup);
  if (!chosen) return std::unexpected(chosen.error());
  if (setup.policy_by_levels && !setup.policy_given && has_levels(machine.graph)) {
    auto few_racks = find_policy("few-racks");
    if (!few_racks) return std::unexpected(few_racks.error());
    chosen->policy = std::move(*few_racks);
  }
  EngineOptions options{.policy = std::move(chosen->policy), .traverser = setup.traverser};
  if (machine.scheduling && !setup.traverser_given) options.traverser = Traverser::treepool;
  options.layer_order = setup.layer_order;
  options.counts_nodes_first = false;
  if (!setup.prune_filters.empty()) {
    if (auto ok = check_filters(setup.prune_filters, machine.graph); !ok) {
      return std::unexpected(ok.error());
    }
    options.prune_filters = setup.prune_filters;
  }
  options.auxiliary = setup.auxiliary;
  if (setup.now_s && !setup.from_zero) {
    options.now = *setup.now_s;
    options.horizon = saturating_sum(options.horizon, options.now);
  }
  bound_times(setup, machine, options);
  auto engine =
      Engine::create(std::move(machine.graph), std::move(options), std::move(machine.layouts));
  if (!engine) return engine;
  if (!setup.hres.empty()) {
    if (auto ok = add_hres(**engine, setup.hres); !ok) return std::unexpected(ok.error());
    warn_of_bare_nodes(setup, **engine);
  }
  RunningFile running{.down = std::move(machine.down)};
  if (setup.running.empty() && !machine.allocated.empty()) {
    running.jobs.push_back({.where = setup.machine.path, .pools = std::move(machine.allocated)});
  }
  if (auto ok = set_running(**engine, setup, std::move(running)); !ok) {
    return std::unexpected(ok.error());
  }
  for (const std::string& where : setup.down) {
    const auto pools = named_pools((*engine)->graph(), where, "--down");
    if (!pools) return std::unexpected(pools.error());
    for (PoolId p : *pools) (*engine)->set_status(p, Status::down);
  }
  return engine;
}

}  // namespace copse
