// SPDX-License-Identifier: Apache-2.0
#include "engine/engine_image.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "engine/grant_check.hpp"
#include "engine/partial.hpp"

namespace copse {

namespace {

constexpr std::int64_t kTimeMax = std::int64_t{1} << 62;  // sums of two times do not overflow

std::unexpected<Error> broken(std::string text) {
  return fail(ErrorCode::invalid, "the save is broken: " + std::move(text));
}

Result<void> check(const EngineOptions& options) {
  const bool known =
      options.traverser <= Traverser::treepool && options.layer_order <= LayerOrder::file;
  const bool times = options.horizon > 0 && options.horizon <= kTimeMax &&
                     options.now < options.horizon && options.now > -kTimeMax;
  const bool bounds = options.valid_from >= 0 && options.valid_from <= kTimeMax &&
                      options.valid_until >= 0 && options.valid_until <= kTimeMax;
  if (known && times && bounds) return {};
  return broken("its options");
}

bool ascend(const IdRanges& ranges) {
  std::int64_t before = -2;
  for (const auto& [first, last] : ranges) {
    if (first <= before + 1 || last < first || last >= kTimeMax) return false;
    before = last;
  }
  return true;
}

bool may_be(const Layout& layout) {
  if (layout.domains.empty() || layout.domains[0].parent != 0) return false;
  for (std::uint32_t d = 0; d < layout.domains.size(); ++d) {
    const Domain& domain = layout.domains[d];
    if ((d > 0 && domain.parent >= d) || !ascend(domain.cores) || !ascend(domain.gpus) ||
        !ascend(domain.memory) || !ascend(domain.storage) || domain.memory_gib < 0) {
      return false;
    }
  }
  return true;
}

Result<void> check(const Layouts& layouts) {
  std::int64_t before = -1;
  for (const Layouts::Ranks& ranks : layouts.ranks) {
    if (ranks.first <= before || ranks.last < ranks.first ||
        ranks.layout >= layouts.layouts.size()) {
      return broken("the ranks of a layout");
    }
    before = ranks.last;
  }
  if (!std::ranges::all_of(layouts.layouts, may_be) || layouts.piece_gib < 0) {
    return broken("a layout");
  }
  return {};
}

bool may_be(const Growth& growth, const ResourceGraph& graph) {
  const auto& changes = growth.changes;
  return !growth.pools.empty() && !changes.empty() &&
         std::ranges::adjacent_find(changes, std::greater_equal<>()) == changes.end() &&
         std::ranges::all_of(
             growth.pools,
             [&](PoolId p) { return p.v < graph.pool_count() && !graph.removed(p); }) &&
         std::ranges::all_of(growth.units, [&](const TypeTotal& units) {
           return units.type.v < graph.names().types.size() && units.total >= 0;
         });
}

bool may_be(const Channels::Channel& channel, const ResourceGraph& graph,
            const Channels& channels) {
  const auto auxiliary = channels.auxiliary();
  return std::ranges::find(auxiliary, channel.subsystem) != auxiliary.end() &&
         (channel.type == kNoType || channel.type.v < graph.names().types.size());
}

Result<void> take_grant(EngineParts& e, std::uint32_t number, Grant& grant) {
  const JobId job = grant.job;
  const bool times = grant.start > -kTimeMax && grant.start < grant.end &&
                     grant.end > e.options.now && grant.end <= e.options.horizon;
  if (!times || grant.selection.empty()) {
    return broken(fmt::format("job {} has no time, or no resources", job));
  }
  if (auto ok = check_selection(e.graph, grant.selection); !ok) return ok;
  if (const PoolId busy = first_conflict(e, grant.selection, grant.start, grant.end);
      busy != kNoPool) {
    return broken(fmt::format("job {} has {}, which another job has", job, e.graph.name(busy)));
  }
  if (!e.grants.put(number, std::move(grant))) {
    return broken(fmt::format("job {} has two grants", job));
  }
  e.grant_events.note(e.grants, number, e.options);
  e.apply(number, 1);
  return {};
}

Result<void> take_grants(EngineParts& e, EngineImage& image) {
  const std::size_t numbers = image.grants.size() + image.free_grants.size();
  if (numbers >= UINT32_MAX) return fail(ErrorCode::limit, "more than 2^32 - 2 grants");
  std::vector<bool> given(numbers, false);
  auto take = [&](std::uint32_t number) -> bool {
    if (number >= numbers || given[number]) return false;
    return given[number] = true;
  };
  ChargeCheck draws(e.graph, e.hres.get(), e.channels.get());
  for (const auto& [number, grant] : image.grants) {
    if (!take(number)) return broken(fmt::format("two grants have the number {}", number));
    if (auto ok = draws.add(grant.charges); !ok) return ok;
  }
  if (!std::ranges::all_of(image.free_grants, take)) return broken("a number that is not free");
  e.grants.restore(numbers, std::move(image.free_grants));
  if (image.clock_runs) e.grant_events.run(e.grants, e.options);
  for (auto& [number, grant] : image.grants) {
    if (auto ok = take_grant(e, number, grant); !ok) return ok;
  }
  e.growth.restore_nodes_lost(image.nodes_lost);
  e.users = {image.users.begin(), image.users.end()};
  for (Growth& growth : image.growth) {
    if (!may_be(growth, e.graph)) return broken("growth");
    e.growth.add(std::move(growth));
  }
  return {};
}

}  // namespace

EngineImage EngineImager::image_of(const Engine& engine) {
  const EngineParts& e = *engine.parts_;
  EngineImage out;
  out.graph = GraphImager::image_of(e.graph);
  out.options = e.options;
  out.layouts = *e.layouts;
  out.leaf_types = e.filters.leaf_types();
  while (!out.leaf_types.empty() && !out.leaf_types.back()) out.leaf_types.pop_back();
  for (const auto& [pool, status] : e.state.statuses()) {
    out.status.emplace_back(PoolId{pool}, status);
  }
  out.clock_runs = e.grant_events.running();
  out.grants.reserve(e.grants.size());
  e.grants.for_each(
      [&](std::uint32_t number, const Grant& grant) { out.grants.emplace_back(number, grant); });
  std::ranges::sort(out.grants, {}, [](const auto& entry) { return entry.first; });
  out.free_grants = e.grants.free_numbers();
  out.nodes_lost = e.growth.nodes_lost();
  out.users.assign(e.users.begin(), e.users.end());
  out.growth.assign(e.growth.entries().begin(), e.growth.entries().end());
  const Exploration& exploration = e.search.walks().simple().exploration();
  for (std::uint32_t i = 0; i < e.graph.interior_count(); ++i) {
    const auto [weight, recorded] = exploration.weight_of(i);
    const PoolId pool = e.graph.interior_pool(i);
    if (e.graph.removed(pool)) continue;
    if (weight != Exploration::kUntouched || recorded)
      out.weights.push_back({pool, weight, recorded});
  }
  if (e.hres != nullptr) out.hres = HresImager::image_of(*e.hres);
  if (e.channels != nullptr) {
    out.channels.assign(e.channels->all().begin(), e.channels->all().end());
  }
  return out;
}

GrantTimes EngineImager::grant_times(const Engine& engine) {
  const Grants& grants = engine.parts_->grants;
  GrantTimes out;
  for (auto* column : {&out.jobs, &out.starts, &out.ends}) column->resize(grants.size());
  std::size_t row = 0;
  grants.for_each([&](std::uint32_t, const Grant& grant) {
    out.jobs[row] = static_cast<std::int64_t>(grant.job);
    out.starts[row] = grant.start;
    out.ends[row] = grant.end;
    ++row;
  });
  const auto as_job = [](std::int64_t job) { return static_cast<JobId>(job); };
  if (std::ranges::is_sorted(out.jobs, {}, as_job)) return out;
  std::vector<std::uint32_t> rows(out.jobs.size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::ranges::sort(rows, {}, [&](std::uint32_t r) { return as_job(out.jobs[r]); });
  for (auto* column : {&out.jobs, &out.starts, &out.ends}) {
    std::vector<std::int64_t> sorted;
    sorted.reserve(rows.size());
    for (const std::uint32_t r : rows) sorted.push_back((*column)[r]);
    *column = std::move(sorted);
  }
  return out;
}

std::vector<std::uint32_t> EngineImager::layer_numbers(const Engine& engine) {
  std::vector<std::uint32_t> out;
  if (engine.parts_->hres == nullptr) return out;
  for (const HresTable::Resource& resource : engine.parts_->hres->resources()) {
    out.insert(out.end(), resource.layers.begin(), resource.layers.end());
  }
  return out;
}

Result<std::unique_ptr<Engine>> EngineImager::engine_of(EngineImage image) {
  if (auto ok = check(image.options); !ok) return std::unexpected(ok.error());
  if (auto ok = check(image.layouts); !ok) return std::unexpected(ok.error());
  auto graph = GraphImager::graph_of(std::move(image.graph));
  if (!graph) return std::unexpected(graph.error());
  if (image.leaf_types.size() > graph->names().types.size()) return broken("its filters");
  const auto known = PruneFilters::of_leaf_types(std::move(image.leaf_types));
  auto filters = PruneFilters::parse(image.options.prune_filters, *graph, &known);
  if (!filters) return std::unexpected(filters.error());
  auto parts = EngineParts::make(std::move(*graph), std::move(image.options), std::move(*filters),
                                 std::make_shared<const Layouts>(std::move(image.layouts)));
  if (!parts) return std::unexpected(parts.error());
  EngineParts& e = **parts;
  if (auto ok = e.make_channels(); !ok) return std::unexpected(ok.error());
  for (const Channels::Channel& channel : image.channels) {
    if (e.channels == nullptr || !may_be(channel, e.graph, *e.channels)) return broken("a channel");
  }
  if (!image.channels.empty()) e.channels->restore(std::move(image.channels));
  for (const auto& [pool, status] : image.status) {
    if (pool.v >= e.graph.pool_count() || e.graph.removed(pool) || status > Status::unknown) {
      return broken("the status of a pool");
    }
    e.set_status(pool, status);
  }
  for (const EngineImage::Weight& w : image.weights) {
    if (w.pool.v >= e.graph.pool_count() || e.graph.leaf(w.pool)) return broken("a weight");
    e.search.walks().simple().exploration().set_weight(e.graph.interior(w.pool),
                                                       {w.weight, w.recorded});
  }
  if (image.hres) {
    auto hres = HresImager::hres_of(e.graph, e.options.layer_order, std::move(*image.hres));
    if (!hres) return std::unexpected(hres.error());
    e.adopt(std::move(*hres));
  }
  if (auto ok = take_grants(e, image); !ok) return std::unexpected(ok.error());
  return std::unique_ptr<Engine>(new Engine(std::move(*parts)));
}

}  // namespace copse
