// SPDX-License-Identifier: Apache-2.0
#include "engine/changes/layer_changes.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace copse {

void recompute_charges(EngineParts& e, Grant& grant) {
  e.search.charged_walk().recompute_charges(grant.selection, grant.charges);
}

void recompute_channel_charges(EngineParts& e, Grant& grant) {
  Channels* channels = e.channels.get();
  std::vector<ExpandedPool> expanded;
  expand(e.graph, grant.selection, expanded);
  PoolMarks kept;
  for (const ExpandedPool& has : expanded) kept.insert(has.pool.v);
  for (const PoolCharge& d : grant.charges.pools) {
    if (kept.contains(d.pool.v)) continue;
    for (std::uint32_t number = channels->path_start(d.pool, d.channel); number != Channels::kNone;
         number = channels->path_pool(number).up) {
      const auto numbers = channels->capacities(channels->path_pool(number));
      std::int64_t left = d.amount;
      for (std::size_t i = numbers.size(); i-- > 0;) {  // reduce the last one first
        for (CapacityCharge& charge : grant.charges.capacities) {
          if (charge.pool != channels->capacity(numbers[i])) continue;
          if (charge.subsystem != channels->channel(d.channel).subsystem) continue;
          const std::int64_t part = std::min(left, charge.amount);
          charge.amount -= part;
          left -= part;
        }
      }
    }
  }
  std::erase_if(grant.charges.capacities, [](const CapacityCharge& c) { return c.amount == 0; });
  std::erase_if(grant.charges.pools, [&](const PoolCharge& d) { return !kept.contains(d.pool.v); });
}

namespace {

// Whether the charges of grants to each resource stay below 2^63 for any layers: their needs count,
// since a new layer is charged for them even if no other layer is.
bool charges_fit(EngineParts& e) {
  std::unordered_map<std::uint32_t, std::int64_t> sums;
  bool fit = true;
  std::as_const(e.grants).for_each([&](std::uint32_t, const Grant& grant) {
    if (grant.charges.empty()) return;
    const auto all =
        static_cast<std::int64_t>(e.search.charged_walk().nodes_of(grant.selection).size());
    for (const HresNeed& need : grant.charges.needs) {
      const bool each = e.hres->resources()[need.resource].mode == 3;
      std::int64_t most = 0;
      std::int64_t& sum = sums[need.resource];
      fit = fit && !__builtin_mul_overflow(need.count, each ? all : 1, &most) &&
            !__builtin_add_overflow(sum, most, &sum);
    }
  });
  return fit;
}

// Changes layers: charges are removed before, and applied again afterwards.
template <class Change>
Result<void> restructure(EngineParts& e, Change change, effect::NewCharges& new_charges) {
  if (!e.grants.empty() && !charges_fit(e)) {
    return fail(ErrorCode::limit,
                "jobs draw too much for layers to change: the sum of what they "
                "are charged exceeds 2^63 - 1");
  }
  auto for_each_charged = [&](auto act) {
    e.grants.for_each([&](std::uint32_t, Grant& grant) {
      if (!grant.charges.empty()) act(grant);
    });
  };
  for_each_charged([&](Grant& g) { e.hres->apply(g.job, g.charges.layers, g.start, g.end, -1); });
  auto changed = change();
  for_each_charged([&](Grant& g) {
    const std::vector<LayerCharge> before = g.charges.layers;
    if (changed) recompute_charges(e, g);
    if (g.charges.layers != before && e.effects->on()) {
      describe(e.graph, e.channels.get(), g.charges,
               new_charges.emplace_back(g.job, EffectCharges()).second);
    }
    e.hres->apply(g.job, g.charges.layers, g.start, g.end, 1);
  });
  std::ranges::sort(new_charges, {}, [](const auto& entry) { return entry.first; });
  return changed;
}

std::unexpected<Error> no_resource(std::string_view resource) {
  return fail(ErrorCode::not_found,
              fmt::format("there is no resource '{}'", resource.substr(0, 200)));
}

}  // namespace

Result<void> LayerChanges::add(const HresSpec& spec, std::string_view file) {
  if (e_.hres == nullptr) {
    e_.adopt(std::make_unique<HresTable>(e_.graph, e_.options.layer_order));
  }
  HresTable& hres = *e_.hres;
  effect::NewCharges new_charges;
  auto done = restructure(e_, [&] { return hres.add(spec, file); }, new_charges);
  if (done && e_.effects->on()) {
    e_.effects->take(effect::ResourcesAdded{spec, std::move(new_charges)});
  }
  return done;
}

Result<void> LayerChanges::remove_layer(std::string_view resource, std::string_view nodes) {
  if (e_.hres == nullptr) return no_resource(resource);
  effect::NewCharges new_charges;
  auto done = restructure(e_, [&] { return e_.hres->remove_layer(resource, nodes); }, new_charges);
  if (done && e_.effects->on()) {
    e_.effects->take(
        effect::LayerRemoved{std::string(resource), std::string(nodes), std::move(new_charges)});
  }
  return done;
}

Result<void> LayerChanges::set_nodes(std::string_view resource, std::string_view nodes,
                                     std::string_view to) {
  if (e_.hres == nullptr) return no_resource(resource);
  effect::NewCharges new_charges;
  auto done = restructure(e_, [&] { return e_.hres->set_nodes(resource, nodes, to); }, new_charges);
  if (done && e_.effects->on()) {
    e_.effects->take(effect::LayerNodesSet{std::string(resource), std::string(nodes),
                                           std::string(to), std::move(new_charges)});
  }
  return done;
}

Result<void> LayerChanges::set_count(std::string_view resource, std::string_view nodes,
                                     std::int64_t count) {
  if (e_.hres == nullptr) return no_resource(resource);
  auto done = e_.hres->set_count(resource, nodes, count);
  if (done && e_.effects->on()) {
    e_.effects->take(effect::LayerCountSet{std::string(resource), std::string(nodes), count});
  }
  return done;
}

Result<void> LayerChanges::reserve(const LayerReservation& reservation) {
  if (e_.hres == nullptr) return no_resource(reservation.resource);
  if (reservation.start < e_.options.now || reservation.end > e_.options.horizon) {
    return fail(ErrorCode::invalid, fmt::format("a reservation lies between now ({}) and {}",
                                                e_.options.now, e_.options.horizon));
  }
  auto done = e_.hres->reserve(reservation, [&](JobId job) -> std::optional<HresTable::Granted> {
    const Grant* grant = e_.grants.find(job);
    if (grant == nullptr) return {};
    return HresTable::Granted{grant->charges.layers, grant->start, grant->end};
  });
  if (done && e_.effects->on()) e_.effects->take(effect::LayerReserved{reservation});
  return done;
}

Result<void> LayerChanges::free(std::string_view id) {
  if (e_.hres == nullptr) {
    return fail(ErrorCode::not_found, fmt::format("there is no reservation {}", id.substr(0, 200)));
  }
  auto done = e_.hres->free(id);
  if (done && e_.effects->on()) e_.effects->take(effect::LayerFreed{std::string(id)});
  return done;
}

}  // namespace copse
