// SPDX-License-Identifier: Apache-2.0
//
// What the engine does with its supply: layers that change while grants draw from them.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "engine/impl.hpp"

namespace copse {

Supply& Engine::Impl::own_supply() {
  if (supply == nullptr) adopt(std::make_unique<Supply>(graph, options.layer_order));
  return *supply;
}

// What a grant is charged, after its nodes or the layers over them have changed.
void Engine::Impl::redraw(Grant& grant) {
  SuppliedWalk& supplied = search.supplied();
  supplied.layers()->redraw(supplied.nodes_of(grant.selection), grant.draw);
}

// What a grant is charged, after pools were given back: those that draw and are gone draw no more.
void Engine::Impl::redraw_channels(Grant& grant) {
  std::vector<Emitted> emitted;
  expand(graph, grant.selection, emitted);
  PoolMarks kept;
  for (const Emitted& e : emitted) kept.insert(e.pool.v);
  for (const ChannelDraw& d : grant.draw.drawn) {
    if (kept.contains(d.pool.v)) continue;
    for (std::uint32_t number = channels->way(d.pool, d.channel); number != Channels::kNone;
         number = channels->stop(number).up) {
      const auto numbers = channels->capacities(channels->stop(number));
      std::int64_t left = d.amount;
      for (std::size_t i = numbers.size(); i-- > 0;) {  // the last to be taken goes first
        for (ChannelCharge& charge : grant.draw.channels) {
          if (charge.pool != channels->capacity(numbers[i])) continue;
          if (charge.subsystem != channels->channel(d.channel).subsystem) continue;
          const std::int64_t part = std::min(left, charge.amount);
          charge.amount -= part;
          left -= part;
        }
      }
    }
  }
  std::erase_if(grant.draw.channels, [](const ChannelCharge& c) { return c.amount == 0; });
  std::erase_if(grant.draw.drawn, [&](const ChannelDraw& d) { return !kept.contains(d.pool.v); });
}

// Whether what grants draw of each resource stays below 2^63 whatever layers there are: what they
// ask for counts, since a layer that is new is charged it even where no other one is.
bool Engine::Impl::draws_fit() {
  std::unordered_map<std::uint32_t, std::int64_t> sums;
  bool fit = true;
  std::as_const(grants).for_each([&](std::uint32_t, const Grant& grant) {
    if (grant.draw.empty()) return;
    const auto all = static_cast<std::int64_t>(search.supplied().nodes_of(grant.selection).size());
    for (const HresNeed& need : grant.draw.needs) {
      const bool each = supply->resources()[need.resource].mode == 3;
      std::int64_t most = 0;
      std::int64_t& sum = sums[need.resource];
      fit = fit && !__builtin_mul_overflow(need.count, each ? all : 1, &most) &&
            !__builtin_add_overflow(sum, most, &sum);
    }
  });
  return fit;
}

// Changes layers: what grants draw is taken back before, and charged anew afterwards.
template <class Change>
Result<void> Engine::Impl::restructure(Change change, effect::Redrawn& redrawn) {
  if (!grants.empty() && !draws_fit()) {
    return fail(ErrorCode::limit,
                "jobs draw too much for layers to change: the sum of what they "
                "are charged exceeds 2^63 - 1");
  }
  auto for_each_draw = [&](auto act) {
    grants.for_each([&](std::uint32_t, Grant& grant) {
      if (!grant.draw.empty()) act(grant);
    });
  };
  for_each_draw([&](Grant& g) { supply->apply(g.job, g.draw.charges, g.start, g.end, -1); });
  auto changed = change();
  for_each_draw([&](Grant& g) {
    const std::vector<LayerCharge> before = g.draw.charges;
    if (changed) redraw(g);
    if (g.draw.charges != before && effects->on()) {
      describe(graph, channels.get(), g.draw, redrawn.emplace_back(g.job, EffectDraw()).second);
    }
    supply->apply(g.job, g.draw.charges, g.start, g.end, 1);
  });
  std::ranges::sort(redrawn, {}, [](const auto& entry) { return entry.first; });
  return changed;
}

Result<void> Engine::add_resources(const SupplySpec& spec, std::string_view file) {
  Supply& supply = impl_->own_supply();
  effect::Redrawn redrawn;
  auto done = impl_->restructure([&] { return supply.add(spec, file); }, redrawn);
  if (done && impl_->effects->on()) {
    impl_->effects->take(effect::ResourcesAdded{spec, std::move(redrawn)});
  }
  return done;
}

namespace {
std::unexpected<Error> no_resource(std::string_view resource) {
  return fail(ErrorCode::not_found,
              fmt::format("there is no resource '{}'", resource.substr(0, 200)));
}
}  // namespace

Result<void> Engine::remove_layer(std::string_view resource, std::string_view nodes) {
  if (impl_->supply == nullptr) return no_resource(resource);
  effect::Redrawn redrawn;
  auto done =
      impl_->restructure([&] { return impl_->supply->remove_layer(resource, nodes); }, redrawn);
  if (done && impl_->effects->on()) {
    impl_->effects->take(
        effect::LayerRemoved{std::string(resource), std::string(nodes), std::move(redrawn)});
  }
  return done;
}

Result<void> Engine::set_layer_nodes(std::string_view resource, std::string_view nodes,
                                     std::string_view to) {
  if (impl_->supply == nullptr) return no_resource(resource);
  effect::Redrawn redrawn;
  auto done =
      impl_->restructure([&] { return impl_->supply->set_nodes(resource, nodes, to); }, redrawn);
  if (done && impl_->effects->on()) {
    impl_->effects->take(effect::LayerNodesSet{std::string(resource), std::string(nodes),
                                               std::string(to), std::move(redrawn)});
  }
  return done;
}

Result<void> Engine::set_layer_count(std::string_view resource, std::string_view nodes,
                                     std::int64_t count) {
  if (impl_->supply == nullptr) return no_resource(resource);
  auto done = impl_->supply->set_count(resource, nodes, count);
  if (done && impl_->effects->on()) {
    impl_->effects->take(effect::LayerCountSet{std::string(resource), std::string(nodes), count});
  }
  return done;
}

Result<void> Engine::reserve_layer(const LayerReservation& reservation) {
  if (impl_->supply == nullptr) return no_resource(reservation.resource);
  if (reservation.start < impl_->options.now || reservation.end > impl_->options.horizon) {
    return fail(ErrorCode::invalid, fmt::format("a reservation lies between now ({}) and {}",
                                                impl_->options.now, impl_->options.horizon));
  }
  auto done = impl_->supply->reserve(reservation, [&](JobId job) -> std::optional<Supply::Granted> {
    const Grant* grant = this->grant(job);
    if (grant == nullptr) return {};
    return Supply::Granted{grant->draw.charges, grant->start, grant->end};
  });
  if (done && impl_->effects->on()) impl_->effects->take(effect::LayerReserved{reservation});
  return done;
}

Result<void> Engine::free_layer(std::string_view id) {
  if (impl_->supply == nullptr) {
    return fail(ErrorCode::not_found, fmt::format("there is no reservation {}", id.substr(0, 200)));
  }
  auto done = impl_->supply->free(id);
  if (done && impl_->effects->on()) impl_->effects->take(effect::LayerFreed{std::string(id)});
  return done;
}

std::optional<std::int64_t> Engine::next_layer_change(std::int64_t t) const {
  return impl_->supply == nullptr ? std::nullopt : impl_->supply->next_edge(t);
}

std::vector<LayerView> Engine::layers(std::int64_t at) const {
  if (impl_->supply == nullptr) return {};
  return impl_->supply->view(at);
}

std::string Engine::draw_text(const Draw& draw) const {
  return impl_->supply == nullptr ? std::string() : impl_->supply->text(draw);
}

std::int64_t Engine::drawn(PoolId pool, std::int64_t at) const {
  return impl_->channels == nullptr || at == INT64_MAX
             ? 0
             : impl_->channels->most_drawn(pool, at, at + 1);
}

const std::string& Engine::channel_name(std::uint32_t channel) const {
  return impl_->channels->channel(channel).name;
}

}  // namespace copse
