// SPDX-License-Identifier: Apache-2.0
#include "tools/machine_setup.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_map>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/hostlist.hpp"
#include "base/idset.hpp"
#include "base/nearest_word.hpp"
#include "base/saturating.hpp"
#include "copse/policy.hpp"
#include "formats/hres/hres.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "text/printable.hpp"
#include "tools/grant_running.hpp"
#include "tools/output.hpp"
#include "tools/read_file.hpp"
#include "tools/running_jobs.hpp"

namespace copse {

namespace {

// What the R says of when it is used, in whole seconds.
void set_times(const RSet& r, TakenFile& out) {
  constexpr double kMost_s = 1e15;
  const double length_s = r.expiration_s - r.starttime_s;
  if (r.starttime_s < 0 || r.starttime_s > kMost_s) return;
  out.start_s = static_cast<std::int64_t>(std::floor(r.starttime_s));
  const bool ends = r.expiration_s > 0 && length_s >= 1 && length_s < kMost_s;
  if (ends) out.end_s = out.start_s + static_cast<std::int64_t>(std::ceil(length_s));
}

// The nodes of a hostlist, in the order of the graph.
Result<std::vector<PoolId>> nodes_of_hosts(const ResourceGraph& graph, const std::string& text) {
  const auto hosts = expand_hostlist(text);
  if (!hosts) return std::unexpected(hosts.error());
  std::unordered_map<std::string_view, bool> found;
  for (const std::string& host : *hosts) found.emplace(host, false);
  const TypeId node = graph.find_type("node");
  std::vector<PoolId> out;
  std::string name;
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    if (graph.type(PoolId{v}) != node) continue;
    name.clear();
    graph.append_name(PoolId{v}, name);
    const auto at = found.find(name);
    if (at == found.end()) continue;
    at->second = true;
    out.push_back(PoolId{v});
  }
  for (const std::string& host : *hosts) {
    if (found[host]) continue;
    return fail(ErrorCode::not_found, fmt::format("the machine has no node \"{:.64}\"", host));
  }
  return out;
}

// What --down names: "/cluster0/rack0/node3", "0-3" or "node[0-3]".
Result<std::vector<PoolId>> pools_at(const ResourceGraph& graph, const std::string& where) {
  if (where.starts_with('/')) {
    auto pools = graph.at_path(where);
    if (pools.empty()) return fail(ErrorCode::not_found, "no pool has the path " + where);
    return pools;
  }
  const auto refused = [](Error error) {
    if (error.place.line == 0) {
      error.text = "--down: " + error.text;
    } else {
      error.place.file = "--down";
    }
    return std::unexpected(std::move(error));
  };
  if (where.find_first_not_of("0123456789,-[]") != std::string::npos) {
    auto nodes = nodes_of_hosts(graph, where);
    return nodes ? std::move(nodes) : refused(nodes.error());
  }
  const auto ranks = Idset::parse(where);
  if (!ranks) return refused(ranks.error());
  if (const auto rank = unknown_rank(graph, *ranks)) {
    return refused({ErrorCode::not_found, fmt::format("the machine has no rank {}", *rank), {}});
  }
  return tops_of_ranks(graph, *ranks);
}

}  // namespace

Result<TakenFile> read_taken(const ResourceGraph& graph, std::string_view text,
                             std::string_view file, std::string_view format) {
  TakenFile out;
  // An R that carries a graph is read by it: it names racks and what else has no rank.
  const bool has_graph = text.find("\"graph\"") != std::string_view::npos;
  if (format == "rv1exec" || (format.empty() && !has_graph)) {
    auto r = read_r(text, file);
    if (!r) return std::unexpected(r.error());
    // Where the format is told, it is resource-query that asks.
    auto pools = pools_of_r(graph, *r, format.empty() ? &out.missing : nullptr);
    if (!pools) return std::unexpected(pools.error());
    out.taken = {std::move(*pools), true};
    set_times(*r, out);
    return out;
  }
  auto set = read_jgf_set(text, file);
  if (!set) return std::unexpected(set.error());
  const bool shorthand = format == "jgf_shorthand" ||
                         (format.empty() && set->writer && set->writer->ends_with("shorthand"));
  auto taken = exclusive_pools(graph, *set, shorthand, format.empty() ? &out.missing : nullptr);
  if (!taken) return std::unexpected(taken.error());
  out.taken = std::move(*taken);
  if (format.empty() && text.find("\"execution\"") != std::string_view::npos) {
    if (const auto r = read_r(text, file)) set_times(*r, out);
  }
  return out;
}

namespace {

Result<void> set_running(Engine& engine, const MachineSetup& setup) {
  std::vector<RunningJob> jobs;
  for (const std::string& path : setup.running) {
    auto more = read_running(engine.graph(), path);
    if (!more) return std::unexpected(more.error());
    jobs.insert(jobs.end(), std::make_move_iterator(more->begin()),
                std::make_move_iterator(more->end()));
  }
  const auto real = std::ranges::find_if(jobs, [](const RunningJob& job) {
    return job.start_s >= kRealTime_s && job.end_s > 0 && job.seen_s == 0;
  });
  if (real != jobs.end() && !setup.now_s) {
    warn(setup, fmt::format("{}: its job began at {}: without --now, it begins now", real->where,
                            time_text(real->start_s)));
  }
  const auto granted = grant_running(engine, std::move(jobs), setup.now_s, setup.strict);
  if (!granted) return std::unexpected(granted.error());
  for (const std::string& stray : granted->strays) warn(setup, stray);
  if (granted->over > 0) {
    warn(setup, fmt::format("{} of --running had ended by {}",
                            granted->over == 1 ? "1 job" : fmt::format("{} jobs", granted->over),
                            readable_time(*setup.now_s)));
  }
  return {};
}

}  // namespace

void warn(const MachineSetup& setup, const std::string& sentence) {
  if (!setup.quiet) write_error("copse: " + printable(sentence, LineEnds::escape) + "\n");
}

std::FILE* terminal_of(const MachineSetup& setup) { return setup.quiet ? nullptr : stderr; }

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
  const auto text = read_file(file);
  if (!text) return std::unexpected(text.error());
  const auto spec = read_hres(*text, file);
  if (!spec) return std::unexpected(spec.error());
  auto added = engine.add_resources(*spec, file);
  if (!added) return in_file(added.error(), file);
  return {};
}

Result<std::unique_ptr<Engine>> set_up(const MachineSetup& setup) {
  if (auto policy = policy_of(setup); !policy) return std::unexpected(policy.error());
  auto machine = load_machine(setup.machine, terminal_of(setup));
  if (!machine) return std::unexpected(machine.error());
  return set_up(setup, std::move(machine->graph), std::move(machine->layouts));
}

Result<std::unique_ptr<Engine>> set_up(const MachineSetup& setup, ResourceGraph graph,
                                       Layouts layouts) {
  auto chosen = policy_of(setup);
  if (!chosen) return std::unexpected(chosen.error());
  EngineOptions options{.policy = std::move(chosen->policy), .traverser = setup.traverser};
  options.layer_order = setup.layer_order;
  options.counts_nodes_first = false;
  if (!setup.prune_filters.empty()) options.prune_filters = setup.prune_filters;
  options.auxiliary = setup.auxiliary;
  if (setup.now_s && !setup.from_zero) {
    options.now = *setup.now_s;
    options.horizon = saturating_sum(options.horizon, options.now);
  }
  auto engine = Engine::create(std::move(graph), std::move(options), std::move(layouts));
  if (!engine) return engine;
  if (!setup.hres.empty()) {
    if (auto ok = add_hres(**engine, setup.hres); !ok) return std::unexpected(ok.error());
  }
  if (auto ok = set_running(**engine, setup); !ok) return std::unexpected(ok.error());
  for (const std::string& where : setup.down) {
    const auto pools = pools_at((*engine)->graph(), where);
    if (!pools) return std::unexpected(pools.error());
    for (PoolId p : *pools) (*engine)->set_status(p, Status::down);
  }
  return engine;
}

}  // namespace copse
