// SPDX-License-Identifier: Apache-2.0
#include "engine/parts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace copse {

Result<std::unique_ptr<EngineParts>> EngineParts::make(ResourceGraph graph, EngineOptions options,
                                                       PruneFilters filters,
                                                       std::shared_ptr<const Layouts> layouts) {
  std::unique_ptr<EngineParts> out(
      new EngineParts(std::move(graph), std::move(options), std::move(filters)));
  out->layouts = std::move(layouts);
  if (auto ok = out->search.walks().add_treepool(*out->layouts); !ok) {
    return std::unexpected(ok.error());
  }
  return out;
}

// Members that are not listed are those of a new engine.
EngineParts::EngineParts(const EngineParts& other)
    : graph(other.graph),
      options(other.options),
      filters(other.filters),
      state(graph, other.state),
      search(graph, state, options, filters, other.search),
      layouts(other.layouts),
      prepared(options.prepared_max, kPreparedBytesMax),
      grants(other.grants),
      grant_events(other.grant_events),
      growth(other.growth),
      graph_version(other.graph_version),
      users(other.users) {
  watch_growth();
  if (other.hres != nullptr) adopt(std::make_unique<HresTable>(*other.hres));
  if (other.channels != nullptr) adopt(Channels::copy(graph, *other.channels));
}

std::int64_t EngineParts::usable_nodes() const {
  return state.usable_units(graph.find_type("node"));
}

void EngineParts::watch_growth() {
  search.set_nodes_lost([this] { return growth.nodes_lost(); });
  visit_sources.grants = &grants;
  visit_sources.users = &users;
  search.set_visit_sources(&visit_sources);
  if (!options.growth_waits) return;
  search.set_growth([this](const CompiledRequest& request, std::int64_t start, std::int64_t end) {
    return growth.counts(graph, state, request, start, end);
  });
}

Result<void> EngineParts::make_channels() {
  std::vector<SubsystemId> auxiliary;
  for (const std::string& name : options.auxiliary) {
    const std::uint32_t number = graph.names().subsystems.find(name);
    const SubsystemId s{static_cast<std::uint8_t>(number)};
    if (number == Interner::kNone || graph.subsystem_root(s) == kNoPool) {
      return fail(ErrorCode::not_found,
                  fmt::format("no subsystem named {} with a root in this graph", name));
    }
    const bool known = std::find(auxiliary.begin(), auxiliary.end(), s) != auxiliary.end();
    if (!known && s != graph.dominant()) auxiliary.push_back(s);
  }
  if (auxiliary.empty()) return {};
  adopt(std::make_unique<Channels>(graph, std::move(auxiliary)));
  return {};
}

Result<void> EngineParts::resolve_hres(CompiledRequest& compiled, const Request& request) const {
  compiled.hres_structure = hres == nullptr ? 0 : hres->structure();
  compiled.hres_version = hres == nullptr ? 0 : hres->version();
  if (request.hres.empty()) return {};
  if (hres == nullptr) {
    return fail(ErrorCode::invalid,
                fmt::format("there is no resource '{}': no hierarchical resources were loaded",
                            request.hres.items.front().name));
  }
  auto needs = hres->resolve(request.hres);
  if (!needs) return std::unexpected(needs.error());
  compiled.hres = std::move(*needs);
  return {};
}

Result<CompiledRequest> EngineParts::compile_request(const Request& request) const {
  auto compiled = compile(request, graph, options.policy, Walks::traverser_of(options), *layouts,
                          channels.get());
  if (!compiled) return compiled;
  if (!compiled->domains.empty() && options.exhaustive) {
    return fail(ErrorCode::unsupported, "an exhaustive walk knows no domains of nodes",
                compiled->domains.front().place);
  }
  if (auto ok = resolve_hres(*compiled, request); !ok) return std::unexpected(ok.error());
  compiled->graph_version = graph_version;
  return compiled;
}

// A constraint, or a policy's scores, may have been evaluated against other properties, and the
// machine may have changed.
Result<void> EngineParts::refresh(PreparedRequest& prepared_request) const {
  LearnedRequest& compiled = *prepared_request.compiled_;
  bool stale = compiled.graph_version != graph_version;
  if (!stale && compiled.changes_seen != graph.changes().size()) {
    // Needs were computed with the largest pool of each type, constraints pool by pool.
    stale = compiled.reads_properties() || !compiled.variants.empty() ||
            graph.largest_version() != compiled.largest_version;
    compiled.changes_seen = graph.changes().size();
    compiled.satisfiable.reset();
  }
  stale = stale || compiled.hres_structure != (hres == nullptr ? 0 : hres->structure());
  if (hres != nullptr && compiled.hres_version != hres->version()) {
    compiled.hres_version = hres->version();
    if (!compiled.hres.empty()) compiled.satisfiable.reset();
  }
  if (!stale) {
    if (compiled.properties_version == graph.properties_version()) return {};
    if (!compiled.reads_properties() && options.policy.scores_by_id()) return {};
  }
  auto again = compile_request(prepared_request.request_);
  if (!again) return std::unexpected(again.error());
  compiled = LearnedRequest{std::move(*again)};
  return {};
}

std::optional<std::int64_t> EngineParts::duration_of(const PreparedRequest& request) const {
  const std::int64_t window = options.horizon - options.now;
  const std::int64_t duration_s = request.duration_s();
  if (duration_s < 0 || duration_s > window) return {};
  return duration_s == 0 ? window : duration_s;
}

void EngineParts::adopt(std::unique_ptr<Channels> from) {
  channels = std::move(from);
  visit_sources.channels = channels.get();
  search.set_channels(channels.get());
}

void EngineParts::adopt(std::unique_ptr<HresTable> from) {
  if (from == nullptr) return;
  hres = std::move(from);
  search.set_hres(hres.get());
}

void EngineParts::set_status(PoolId pool, Status status) {
  state.set_status(pool, status);
  search.walks().status_changed(pool);
}

void set_match(Grant& grant, const Match& match) {
  grant.start = match.start;
  grant.end = match.end;
  grant.nslots = match.nslots;
  grant.selection.taken.assign(match.selection.taken.begin(), match.selection.taken.end());
  grant.selection.moved = match.selection.moved;
  grant.selection.amounts = match.selection.amounts;
  grant.charges = match.charges;
}

void EngineParts::grant_match(JobId job, const Match& match) {
  const std::uint32_t number = grants.add(job, match.start, match.end);
  set_match(grants.own(number), match);
  grant_events.note(grants, number, options);
  apply(number, 1);
}

// Users of jobs without a grant are forgotten when there are many.
void EngineParts::note_user(JobId job, const std::string& user) {
  if (options.policy.visit == nullptr) return;
  if (user.empty()) {
    users.erase(job);
  } else {
    users[job] = user;
  }
  if (users.size() <= 2 * grants.size() + 64) return;
  std::erase_if(users, [&](const auto& entry) { return !grants.contains(entry.first); });
}

void EngineParts::drop(std::uint32_t number) {
  grants.drop(number);
  forget_changes();
}

void EngineParts::apply(std::uint32_t number, int sign) {
  const Grant& grant = grants[number];
  const std::int64_t start = grant.start, end = grant.end;
  state.apply(grant.selection, start, end, number, sign);
  search.times().applied(grant.selection, start, end, sign);
  search.walks().applied(grant.selection, start, end, sign);
  if (!grant.charges.needs.empty()) {
    hres->apply(grant.job, grant.charges.layers, start, end, sign);
  }
  if (channels != nullptr) channels->apply(grant.charges.capacities, start, end, sign);
}

}  // namespace copse
