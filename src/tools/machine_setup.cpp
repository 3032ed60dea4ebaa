// SPDX-License-Identifier: Apache-2.0
#include "tools/machine_setup.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "copse/policy.hpp"
#include "formats/hres/hres.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "tools/read_file.hpp"

namespace copse {

namespace {

// What the R says of how long it is used; 0: nothing.
std::int64_t duration_of(const RSet& r) {
  const double length_s = r.expiration_s - r.starttime_s;
  const bool said = r.expiration_s > 0 && length_s >= 1 && length_s < 1e15;
  return said ? static_cast<std::int64_t>(std::ceil(length_s)) : 0;
}

Result<Policy> policy_of(const MachineSetup& setup) {
  auto policy = find_policy(setup.policy);
  if (policy || policy.error().code != ErrorCode::not_found) return policy;
  std::vector<std::string_view> known;
  for (const Policy& p : bundled_policies()) known.emplace_back(p.name);
  policy.error().text = unknown_word("match policy", setup.policy, known);
  return policy;
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
    const auto unknown = format.empty() ? unknown_rank(graph, r->ranks()) : std::nullopt;
    if (unknown) {  // where the format is told, it is resource-query that asks
      return fail(ErrorCode::not_found, fmt::format("the machine has no rank {}", *unknown));
    }
    auto pools = pools_of_r(graph, *r);
    if (!pools) return std::unexpected(pools.error());
    out.taken = {std::move(*pools), true};
    out.duration_s = duration_of(*r);
    return out;
  }
  auto set = read_jgf_set(text, file);
  if (!set) return std::unexpected(set.error());
  const bool shorthand = format == "jgf_shorthand" ||
                         (format.empty() && set->writer && set->writer->ends_with("shorthand"));
  auto taken = exclusive_pools(graph, *set, shorthand);
  if (!taken) return std::unexpected(taken.error());
  out.taken = std::move(*taken);
  if (format.empty() && text.find("\"execution\"") != std::string_view::npos) {
    if (const auto r = read_r(text, file)) out.duration_s = duration_of(*r);
  }
  return out;
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
  auto machine = load_machine(setup.machine, stderr);
  if (!machine) return std::unexpected(machine.error());
  return set_up(setup, std::move(machine->graph), std::move(machine->layouts));
}

Result<std::unique_ptr<Engine>> set_up(const MachineSetup& setup, ResourceGraph graph,
                                       Layouts layouts) {
  auto policy = policy_of(setup);
  if (!policy) return std::unexpected(policy.error());
  EngineOptions options{.policy = std::move(*policy), .traverser = setup.traverser};
  options.layer_order = setup.layer_order;
  options.counts_nodes_first = false;
  if (!setup.prune_filters.empty()) options.prune_filters = setup.prune_filters;
  options.auxiliary = setup.auxiliary;
  auto engine = Engine::create(std::move(graph), std::move(options), std::move(layouts));
  if (!engine) return engine;
  if (!setup.hres.empty()) {
    if (auto ok = add_hres(**engine, setup.hres); !ok) return std::unexpected(ok.error());
  }
  JobId job = 0;
  for (const std::string& file : setup.running) {
    const auto text = read_file(file);
    if (!text) return std::unexpected(text.error());
    auto taken = read_taken((*engine)->graph(), *text, file);
    if (!taken) return in_file(taken.error(), file);
    const EngineOptions& o = (*engine)->options();
    const std::int64_t window = o.horizon - o.now;
    auto updated = (*engine)->update(++job, taken->taken.pools, o.now,
                                     taken->duration_s == 0 ? window : taken->duration_s);
    if (!updated) return in_file(updated.error(), file);
  }
  for (const std::string& path : setup.down) {
    const auto pools = (*engine)->graph().at_path(path);
    if (pools.empty()) return fail(ErrorCode::not_found, "no pool has the path " + path);
    for (PoolId p : pools) (*engine)->set_status(p, Status::down);
  }
  return engine;
}

}  // namespace copse
