// SPDX-License-Identifier: Apache-2.0
#include "engine/grant_check.hpp"

#include <fmt/format.h>

namespace copse {

namespace {

std::unexpected<Error> broken(PoolId pool, std::string_view why) {
  return fail(ErrorCode::invalid, fmt::format("a grant takes pool {}, which {}", pool.v, why));
}

Result<void> check_moved(const ResourceGraph& graph, const Selection& selection) {
  for (std::size_t i = 0; i < selection.moved.size(); ++i) {
    const auto& [pool, parent] = selection.moved[i];
    const bool ascends = i == 0 || selection.moved[i - 1].first < pool;
    const bool known = pool.v < graph.pool_count() && parent.v < graph.pool_count();
    if (!ascends || !known || !graph.in_tree(pool) || !graph.in_tree(parent)) {
      return broken(pool, "was not reached on a way there is");
    }
  }
  return {};
}

Result<void> check_amounts(const ResourceGraph& graph, const Selection& selection) {
  auto amount = selection.amounts.begin();
  for (const SelectedPools& t : selection.taken) {
    if (!graph.divisible(t.first)) continue;
    const bool listed = amount != selection.amounts.end() && amount->pool == t.first;
    if (t.count != 1 || !listed || amount->units < 1 || amount->units > graph.size(t.first)) {
      return broken(t.first, "does not have the units taken");
    }
    ++amount;
  }
  if (amount == selection.amounts.end()) return {};
  return broken(amount->pool, "is not divisible, or not taken");
}

}  // namespace

void take_all_units(const ResourceGraph& graph, Selection& selection) {
  selection.amounts.clear();
  for (const SelectedPools& t : selection.taken) {
    if (graph.divisible(t.first)) selection.amounts.push_back({t.first, graph.size(t.first)});
  }
}

Result<void> check_selection(const ResourceGraph& graph, const Selection& selection) {
  struct Open {
    PoolId pool;
    bool whole;
    std::uint32_t last;  // the last number below it that was taken
  };
  std::vector<Open> open;
  for (const SelectedPools& t : selection.taken) {
    if (t.first.v >= graph.pool_count() || t.count == 0 ||
        t.count > graph.pool_count() - t.first.v || !graph.in_tree(t.first)) {
      return broken(t.first, "is not in the machine");
    }
    const PoolId up = graph.parent(t.first);
    while (!open.empty() && open.back().pool != up) open.pop_back();
    if (open.empty() ? t.first != graph.root() || &t != &selection.taken.front()
                     : open.back().whole) {
      return broken(t.first, "has no place in what the grant takes");
    }
    const bool leaf = graph.leaf(t.first);
    for (std::uint32_t v = t.first.v + 1; v < t.first.v + t.count; ++v) {
      const bool alike = leaf && graph.leaf(PoolId{v}) && graph.in_tree(PoolId{v}) &&
                         graph.parent(PoolId{v}) == up &&
                         graph.type(PoolId{v}) == graph.type(t.first);
      if (!alike) return broken(PoolId{v}, "differs from its neighbours in the entry");
    }
    if (!open.empty()) {
      if (t.first.v <= open.back().last) return broken(t.first, "is not in preorder");
      open.back().last = t.first.v + t.count - 1;
    }
    if (!leaf) open.push_back({t.first, t.whole, t.first.v});
  }
  if (auto ok = check_amounts(graph, selection); !ok) return ok;
  return check_moved(graph, selection);
}

// Amounts that reservations withhold count, too.
bool ChargeCheck::fits_layer(const LayerCharge& charge) {
  if (charge.layer >= hres_->layers().size()) return false;
  const auto [at, is_new] = of_layer_.try_emplace(charge.layer, 0);
  std::int64_t& sum = at->second;
  if (is_new) {
    const LayerTimes& times = hres_->layers()[charge.layer].times;
    if (start_ < end_ && !times.idle()) sum = times.taken().max_used(0, start_, end_);
    bool fits = true;
    times.for_each_reservation([&](const LayerTimes::Reservation& r) {
      fits = !__builtin_add_overflow(sum, r.count, &sum) && fits;
    });
    if (!fits) return false;
  }
  return charge.amount > 0 && !__builtin_add_overflow(sum, charge.amount, &sum);
}

bool ChargeCheck::fits_pool(const CapacityCharge& charge) {
  const auto [at, is_new] = of_pool_.try_emplace(charge.pool.v, 0);
  if (is_new && start_ < end_) at->second = channels_->most_charged(charge.pool, start_, end_);
  return charge.amount > 0 && !__builtin_add_overflow(at->second, charge.amount, &at->second);
}

Result<void> ChargeCheck::add(const GrantCharges& charges) {
  auto bad = [](std::string_view what) {
    return fail(ErrorCode::invalid, fmt::format("a grant draws {} that is not there", what));
  };
  if (charges.needs.empty() && !charges.layers.empty()) return bad("of a layer for a need");
  for (const HresNeed& need : charges.needs) {
    if (hres_ == nullptr || need.resource >= hres_->resources().size()) {
      return bad("from a resource");
    }
    const auto& kinds = hres_->resources()[need.resource].kinds;
    if (need.kinds != HresNeed::kSame && need.kinds >= kinds.size()) return bad("by a variable");
    if (need.count < 0) return bad("an amount");
  }
  for (const LayerCharge& charge : charges.layers) {
    if (!fits_layer(charge)) return bad("from a layer");
  }
  for (const PoolCharge& pool : charges.pools) {
    const bool known = channels_ != nullptr && pool.channel < channels_->all().size() &&
                       pool.pool.v < graph_.pool_count();
    if (!known || pool.amount <= 0) return bad("along a channel");
  }
  for (const CapacityCharge& charge : charges.capacities) {
    const bool known = channels_ != nullptr && charge.pool.v < graph_.pool_count() &&
                       charge.subsystem.v < graph_.subsystem_count();
    if (!known || !fits_pool(charge)) return bad("from a capacity");
  }
  return {};
}

}  // namespace copse
