// SPDX-License-Identifier: Apache-2.0
#include "engine/effect_apply.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/changes/grow.hpp"
#include "engine/changes/rebuild.hpp"
#include "engine/grant_check.hpp"
#include "engine/partial.hpp"

namespace copse {

namespace {
std::unexpected<Error> invalid(std::string text) {
  return fail(ErrorCode::invalid, std::move(text));
}
}  // namespace

Result<void> EffectApplier::apply(const Effect& effect) {
  const auto done = [&] {
    const EffectNotifier::Suppressed quiet(*parts_->effects);
    return std::visit([this](const auto& of_a_kind) { return run(of_a_kind); }, effect);
  }();
  if (!done) {  // names are untrusted
    Error error = done.error();
    std::ranges::replace_if(error.text, [](unsigned char c) { return c < ' '; }, '?');
    return std::unexpected(std::move(error));
  }
  if (parts_->effects->on()) parts_->effects->take(effect);
  return {};
}

Result<PoolId> EffectApplier::pool(UniqId uniq_id) {
  const PoolId found = e_.pool_index.find(e_.graph, uniq_id);
  if (found != kNoPool) return found;
  return invalid(fmt::format("the machine has no pool with the uniq_id {}", uniq_id));
}

Result<Selection> EffectApplier::selection(const EffectGrant& grant) {
  auto out = pools_of(grant.taken);
  if (!out) return out;
  for (const auto& [from, to] : grant.moved) {
    const auto at = pool(from), parent = pool(to);
    if (!at || !parent) return std::unexpected(at ? parent.error() : at.error());
    out->moved.emplace_back(*at, *parent);
  }
  for (const auto& [uniq_id, units] : grant.amounts) {
    const auto at = pool(uniq_id);
    if (!at) return std::unexpected(at.error());
    out->amounts.push_back({*at, units});
  }
  if (auto ok = check_selection(e_.graph, *out); !ok) return std::unexpected(ok.error());
  return out;
}

Result<Selection> EffectApplier::pools_of(const std::vector<EffectGrant::SelectedPools>& taken) {
  Selection out;
  out.taken.reserve(taken.size());
  for (const EffectGrant::SelectedPools& t : taken) {
    const auto first = pool(t.first);
    if (!first) return std::unexpected(first.error());
    out.taken.push_back({*first, t.count, t.exclusive, t.whole, t.hidden});
  }
  return out;
}

Result<GrantCharges> EffectApplier::resolve_charges(const EffectCharges& charges) {
  GrantCharges out;
  out.needs = charges.needs;
  out.layers = charges.layers;
  for (const EffectCharges::Pool& d : charges.pools) {
    const auto at = pool(d.pool);
    if (!at) return std::unexpected(at.error());
    if (e_.channels == nullptr) return invalid("no auxiliary subsystem is configured");
    const auto channel = e_.channels->find(d.channel);
    if (!channel) return std::unexpected(channel.error());
    if (!*channel) return invalid(fmt::format("there is no channel {}", d.channel));
    out.pools.push_back({*at, **channel, d.amount});
  }
  for (const EffectCharges::Capacity& c : charges.capacities) {
    const auto at = pool(c.pool);
    if (!at) return std::unexpected(at.error());
    const std::uint32_t subsystem = e_.graph.names().subsystems.find(c.subsystem);
    if (subsystem == Interner::kNone) {
      return invalid(fmt::format("there is no subsystem {}", c.subsystem));
    }
    out.capacities.push_back({*at, SubsystemId{static_cast<std::uint8_t>(subsystem)}, c.amount});
  }
  return out;
}

Result<Grant> EffectApplier::grant(const EffectGrant& grant) {
  if (grant.taken.empty() || grant.start >= grant.end || grant.end <= e_.options.now ||
      grant.end > e_.options.horizon) {
    return invalid(fmt::format("job {} has no time, or no resources", grant.job));
  }
  auto selected = selection(grant);
  if (!selected) return std::unexpected(selected.error());
  auto charged = resolve_charges(grant.charges);
  if (!charged) return std::unexpected(charged.error());
  return Grant{.job = grant.job,
               .start = grant.start,
               .end = grant.end,
               .nslots = grant.nslots,
               .selection = std::move(*selected),
               .charges = std::move(*charged)};
}

// --- Grants

Result<void> EffectApplier::run(const effect::Granted& effect) {
  if (e_.grants.contains(effect.grant.job)) {
    return fail(ErrorCode::exists, fmt::format("job {} has a grant already", effect.grant.job));
  }
  auto made = grant(effect.grant);
  if (!made) return std::unexpected(made.error());
  if (made->start < e_.options.now) return invalid("a grant starts before now");
  if (auto ok = check_available(e_, *made); !ok) return ok;
  Match match;
  match.start = made->start;
  match.end = made->end;
  match.nslots = made->nslots;
  match.selection = std::move(made->selection);
  match.charges = std::move(made->charges);
  e_.grant_match(effect.grant.job, match);
  e_.search.walks().explored(match.selection, true);
  return {};
}

Result<void> EffectApplier::replace(std::uint32_t number, Grant now) {
  e_.apply(number, -1);
  if (auto ok = check_available(e_, now); !ok) {
    e_.apply(number, 1);
    return ok;
  }
  Grant& grant = e_.grants.own(number);
  const bool other_times = grant.start != now.start || grant.end != now.end;
  grant = std::move(now);
  if (other_times) e_.grant_events.note(e_.grants, number, e_.options);
  e_.apply(number, 1);
  return {};
}

Result<void> EffectApplier::run(const effect::Changed& effect) {
  const auto number = e_.grants.number_of(effect.grant.job);
  if (!number) {
    return fail(ErrorCode::not_found, fmt::format("nonexistent job {}", effect.grant.job));
  }
  auto made = grant(effect.grant);
  if (!made) return std::unexpected(made.error());
  if (auto ok = replace(*number, std::move(*made)); !ok) return ok;
  if (!effect.matched) return {};
  e_.search.walks().explored(e_.grants[*number].selection, true);
  e_.forget_changes();
  return {};
}

Result<void> EffectApplier::run(const effect::Cancelled& effect) {
  return engine_.cancel(effect.job);
}

Result<void> EffectApplier::run(const effect::Advanced& effect) {
  return engine_.advance(effect.now);
}

Result<void> EffectApplier::run(const effect::Explored& effect) {
  auto selected = pools_of(effect.taken);
  if (!selected) return std::unexpected(selected.error());
  take_all_units(e_.graph, *selected);  // how many does not matter to the order
  if (auto ok = check_selection(e_.graph, *selected); !ok) return ok;
  e_.search.walks().explored(*selected, false);
  return {};
}

// --- Pools

Result<void> EffectApplier::run(const effect::StatusSet& effect) {
  const auto at = pool(effect.pool);
  if (!at) return std::unexpected(at.error());
  engine_.set_status(*at, effect.status);
  return {};
}

Result<void> EffectApplier::run(const effect::PropertySet& effect) {
  const auto at = pool(effect.pool);
  if (!at) return std::unexpected(at.error());
  engine_.set_property(*at, effect.key, effect.value);
  return {};
}

Result<void> EffectApplier::run(const effect::PropertyRemoved& effect) {
  const auto at = pool(effect.pool);
  if (!at) return std::unexpected(at.error());
  engine_.remove_property(*at, effect.key);
  return {};
}

Result<void> EffectApplier::run(const effect::TagSet& effect) {
  const auto at = pool(effect.pool);
  if (!at) return std::unexpected(at.error());
  engine_.set_tag(*at, effect.key, effect.value);
  return {};
}

Result<void> EffectApplier::run(const effect::Attached& effect) {
  std::vector<NewSubtree> subtrees;
  for (const effect::Attached::Subtree& from : effect.subtrees) {
    const auto parent = pool(from.parent);
    if (!parent) return std::unexpected(parent.error());
    subtrees.push_back({*parent, {}});
  }
  Names& names = e_.graph.names();
  constexpr std::uint32_t kWordsMax = 65'000;  // as GraphBuilder
  if (names.types.size() + effect.types.size() > kWordsMax) {
    return fail(ErrorCode::limit, fmt::format("more than {} resource types", kWordsMax));
  }
  for (const std::string& type : effect.types) names.types.intern(type);
  for (std::size_t s = 0; s < subtrees.size(); ++s) {
    for (const effect::Attached::Pool& p : effect.subtrees[s].pools) {
      if (names.types.size() >= kWordsMax || names.units.size() >= kWordsMax) {
        return fail(ErrorCode::limit, fmt::format("more than {} resource types", kWordsMax));
      }
      subtrees[s].pools.push_back(
          {.parent = p.parent,
           .type = TypeId{static_cast<std::uint16_t>(names.types.intern(p.type))},
           .basename = NameId{names.basenames.intern(p.basename)},
           .unit = UnitId{static_cast<std::uint16_t>(names.units.intern(p.unit))},
           .size = p.size,
           .id = p.id,
           .rank = p.rank,
           .uniq_id = p.uniq_id,
           .name = p.name,
           .down = p.down,
           .properties = p.properties});
    }
  }
  auto done = effect.rebuilt ? rebuild(parts_, subtrees) : grow(parts_, subtrees);
  if (done) parts_->effects->note_types(parts_->graph);
  return done;
}

Result<void> EffectApplier::run(const effect::Removed& effect) {
  std::vector<PoolId> tops;
  for (const UniqId top : effect.tops) {
    const auto at = pool(top);
    if (!at) return std::unexpected(at.error());
    tops.push_back(*at);
  }
  Result<void> settled{};
  auto jobs = shrink(parts_, tops, [&](std::span<const JobId>, bool) {
    for (const EffectGrant& left : effect.left) {
      if (settled) settled = settle(left);
    }
    return effect.rebuilt;
  });
  if (!jobs) return std::unexpected(jobs.error());
  return settled;
}

// Sets the rest of a grant that lost pools, if the effect differs from it.
Result<void> EffectApplier::settle(const EffectGrant& left) {
  const auto number = e_.grants.number_of(left.job);
  if (!number) {
    return fail(ErrorCode::not_found, fmt::format("nonexistent job {}", left.job));
  }
  auto made = grant(left);
  if (!made) return std::unexpected(made.error());
  const Grant& has = e_.grants[*number];
  if (has.selection.taken == made->selection.taken &&
      has.selection.amounts == made->selection.amounts &&
      has.charges.layers == made->charges.layers &&
      has.charges.capacities == made->charges.capacities) {
    return {};
  }
  return replace(*number, std::move(*made));
}

Result<void> EffectApplier::run(const effect::Compacted& /*effect*/) { return rebuild(parts_, {}); }

// --- Layers

Result<void> EffectApplier::recompute_charges(const effect::NewCharges& new_charges) {
  for (const auto& [job, charged] : new_charges) {
    const auto number = e_.grants.number_of(job);
    if (!number) {
      return fail(ErrorCode::not_found, fmt::format("nonexistent job {}", job));
    }
    auto made = resolve_charges(charged);
    if (!made) return std::unexpected(made.error());
    Grant grant = e_.grants[*number];
    if (grant.charges.layers == made->layers) continue;
    grant.charges = std::move(*made);
    if (auto ok = replace(*number, std::move(grant)); !ok) return ok;
  }
  return {};
}

Result<void> EffectApplier::run(const effect::ResourcesAdded& effect) {
  if (auto ok = engine_.add_resources(effect.spec); !ok) return ok;
  return recompute_charges(effect.new_charges);
}

Result<void> EffectApplier::run(const effect::LayerRemoved& effect) {
  if (auto ok = engine_.remove_layer(effect.resource, effect.nodes); !ok) return ok;
  return recompute_charges(effect.new_charges);
}

Result<void> EffectApplier::run(const effect::LayerNodesSet& effect) {
  if (auto ok = engine_.set_layer_nodes(effect.resource, effect.nodes, effect.to); !ok) return ok;
  return recompute_charges(effect.new_charges);
}

Result<void> EffectApplier::run(const effect::LayerCountSet& effect) {
  return engine_.set_layer_count(effect.resource, effect.nodes, effect.count);
}

Result<void> EffectApplier::run(const effect::LayerReserved& effect) {
  return engine_.reserve_layer(effect.reservation);
}

Result<void> EffectApplier::run(const effect::LayerFreed& effect) {
  return engine_.free_layer(effect.id);
}

}  // namespace copse
