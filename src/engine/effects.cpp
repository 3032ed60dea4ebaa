// SPDX-License-Identifier: Apache-2.0
#include "engine/effects.hpp"

#include <algorithm>

namespace copse {

namespace {

void describe(const ResourceGraph& graph, const std::vector<SelectedPools>& taken,
              std::vector<EffectGrant::SelectedPools>& out) {
  out.clear();
  for (const SelectedPools& t : taken) {
    out.push_back({graph.uniq_id(t.first), t.count, t.exclusive, t.whole, t.hidden});
  }
}

}  // namespace

void describe(const ResourceGraph& graph, const Channels* channels, const GrantCharges& charges,
              EffectCharges& out) {
  out.needs = charges.needs;
  out.layers = charges.layers;
  out.pools.clear();
  out.capacities.clear();
  if (channels == nullptr) return;
  for (const PoolCharge& d : charges.pools) {
    out.pools.push_back({graph.uniq_id(d.pool), channels->channel(d.channel).name, d.amount});
  }
  for (const CapacityCharge& c : charges.capacities) {
    out.capacities.push_back({graph.uniq_id(c.pool), graph.subsystem_name(c.subsystem), c.amount});
  }
}

void describe(const ResourceGraph& graph, const Channels* channels, const Grant& grant,
              EffectGrant& out) {
  out.job = grant.job;
  out.start = grant.start;
  out.end = grant.end;
  out.nslots = grant.nslots;
  describe(graph, grant.selection.taken, out.taken);
  out.moved.clear();
  for (const auto& [pool, parent] : grant.selection.moved) {
    out.moved.emplace_back(graph.uniq_id(pool), graph.uniq_id(parent));
  }
  describe(graph, channels, grant.charges, out.charges);
  out.amounts.clear();
  for (const PoolAmount& amount : grant.selection.amounts) {
    out.amounts.emplace_back(graph.uniq_id(amount.pool), amount.units);
  }
}

void EffectNotifier::granted(const ResourceGraph& graph, const Channels* channels,
                             const Grant& grant) {
  describe(graph, channels, grant, std::get<effect::Granted>(granted_).grant);
  take(granted_);
}

void EffectNotifier::changed(const ResourceGraph& graph, const Channels* channels,
                             const Grant& grant, bool matched) {
  effect::Changed out;
  describe(graph, channels, grant, out.grant);
  out.matched = matched;
  take(out);
}

void EffectNotifier::explored(const ResourceGraph& graph, const Selection& selection) {
  effect::Explored out;
  describe(graph, selection.taken, out.taken);
  take(out);
}

effect::Attached EffectNotifier::attaching(const ResourceGraph& graph,
                                           std::span<const NewSubtree> subtrees) const {
  effect::Attached out;
  const Names& names = graph.names();
  for (std::uint32_t t = types_seen_; t < names.types.size(); ++t) {
    out.types.push_back(names.types.text(t));
  }
  std::int64_t next = graph.next_uniq_id();
  for (const NewSubtree& subtree : subtrees) {
    auto& to = out.subtrees.emplace_back();
    to.parent = graph.uniq_id(subtree.parent);
    for (const NewPool& p : subtree.pools) {
      const std::int64_t uniq_id = p.uniq_id >= 0 ? p.uniq_id : next;
      if (uniq_id < INT64_MAX) next = std::max(next, uniq_id + 1);
      to.pools.push_back({.parent = p.parent,
                          .type = names.types.text(p.type.v),
                          .basename = names.basenames.text(p.basename.v),
                          .unit = names.units.text(p.unit.v),
                          .name = p.name,
                          .size = p.size,
                          .id = p.id,
                          .rank = p.rank,
                          .uniq_id = uniq_id,
                          .down = p.down,
                          .properties = p.properties});
    }
  }
  return out;
}

}  // namespace copse
