// SPDX-License-Identifier: Apache-2.0
#include "hres/channels.hpp"

#include <xxhash.h>

#include <algorithm>

#include <fmt/format.h>

namespace copse {

namespace {
constexpr std::uint32_t kStopsMax = 1024;  // length of a path; this bounds the depth of a subsystem

std::uint64_t key_of(PoolId p, std::uint32_t channel) { return std::uint64_t{p.v} << 32 | channel; }

void note(std::vector<std::uint32_t>& places, std::uint32_t place) {
  if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
}
}  // namespace

Channels::Channels(const ResourceGraph& graph, std::vector<SubsystemId> auxiliary)
    : graph_(graph), auxiliary_(std::move(auxiliary)) {}

// A rebuilt graph keeps the numbers of types and subsystems.
Channels::Channels(const ResourceGraph& graph, const Channels& before)
    : graph_(graph), auxiliary_(before.auxiliary_), channels_(before.channels_) {}

std::unique_ptr<Channels> Channels::copy(const ResourceGraph& graph, const Channels& other) {
  auto made = std::make_unique<Channels>(graph, other);
  made->path_pool_of_ = other.path_pool_of_;
  made->path_pools_ = other.path_pools_;
  made->numbers_ = other.numbers_;
  made->capacities_ = other.capacities_;
  made->capacity_of_ = other.capacity_of_;
  made->planners_ = other.planners_;
  return made;
}

void Channels::note_types() {
  if (types_seen_ == graph_.changes().size()) return;
  types_seen_ = graph_.changes().size();
  types_.assign(graph_.names().types.size(), {});
  types_[graph_.type(graph_.root()).v].dominant = true;
  for (const TypeTotal& total : graph_.shape(graph_.root()).totals) {
    types_[total.type.v].dominant = true;
  }
  std::vector<std::uint32_t> place_of(graph_.subsystem_count(), kNone);
  for (std::uint32_t i = 0; i < auxiliary_.size(); ++i) place_of[auxiliary_[i].v] = i;
  std::vector<std::vector<bool>> parents(auxiliary_.size(), std::vector<bool>(graph_.pool_count()));
  graph_.for_each_edge([&](const Edge& e) {
    if (place_of[e.subsystem.v] != kNone) parents[place_of[e.subsystem.v]][e.from.v] = true;
  });
  auto add = [&](PoolId p, std::uint32_t place) {
    TypeFacts& facts = types_[graph_.type(p).v];
    note(facts.exists, place);
    if (parents[place][p.v]) note(facts.interior, place);
  };
  graph_.for_each_edge([&](const Edge& e) {
    if (place_of[e.subsystem.v] != kNone) add(e.to, place_of[e.subsystem.v]);
  });
  rooted_.assign(auxiliary_.size(), true);
  for (std::uint32_t i = 0; i < auxiliary_.size(); ++i) {
    const PoolId root = graph_.subsystem_root(auxiliary_[i]);
    if (root != kNoPool) add(root, i);
    for (std::uint32_t v = 0; v < graph_.pool_count() && rooted_[i]; ++v) {
      if (!parents[i][v] || PoolId{v} == root) continue;
      rooted_[i] = graph_.parent_in(PoolId{v}, auxiliary_[i]) != kNoPool;
    }
  }
}

TypeId Channels::type_of_name(std::uint32_t place) const {
  const TypeId own = graph_.find_type(graph_.subsystem_name(auxiliary_[place]));
  auto has = [&](const std::vector<std::uint32_t>& places) {
    return std::find(places.begin(), places.end(), place) != places.end();
  };
  if (own != kNoType && own.v < types_.size() && has(types_[own.v].exists)) return own;
  TypeId only = kNoType;
  for (std::uint32_t t = 0; t < types_.size(); ++t) {
    const TypeFacts& facts = types_[t];
    if (facts.dominant || !has(facts.exists) || has(facts.interior)) continue;
    if (only != kNoType) return kNoType;
    only = TypeId{static_cast<std::uint16_t>(t)};
  }
  return only;
}

std::uint32_t Channels::add_channel(std::string_view name, std::uint32_t place, TypeId type,
                                    bool by_name) {
  for (std::uint32_t i = 0; i < channels_.size(); ++i) {
    const Channel& c = channels_[i];
    if (c.name == name && c.subsystem == auxiliary_[place]) return i;
  }
  channels_.push_back({std::string(name), auxiliary_[place], type, by_name});
  return static_cast<std::uint32_t>(channels_.size() - 1);
}

Result<std::optional<std::uint32_t>> Channels::find(std::string_view word) {
  note_types();
  for (std::uint32_t i = 0; i < auxiliary_.size(); ++i) {
    if (graph_.subsystem_name(auxiliary_[i]) != word) continue;
    return add_channel(word, i, type_of_name(i), true);
  }
  const TypeId type = graph_.find_type(word);
  if (type == kNoType || type.v >= types_.size()) return std::nullopt;
  const TypeFacts& facts = types_[type.v];
  if (facts.dominant || facts.exists.empty()) return std::nullopt;
  if (facts.exists.size() == 1) return add_channel(word, facts.exists[0], type, false);
  std::string names;
  std::vector<std::uint32_t> places = facts.exists;
  std::sort(places.begin(), places.end());
  for (const std::uint32_t place : places) {
    names += (names.empty() ? "" : ", ") + graph_.subsystem_name(auxiliary_[place]);
  }
  return fail(
      ErrorCode::invalid,
      fmt::format("{} is of several auxiliary subsystems: {}; ask for it by the name of one", word,
                  names));
}

std::uint32_t Channels::path_start(PoolId p, std::uint32_t number) {
  const auto known = path_pool_of_->find(key_of(p, number));
  if (known != path_pool_of_->end()) return known->second;
  const SubsystemId s = channels_[number].subsystem;
  PoolId from = p;
  auto on_edges = [&](PoolId at) {
    return graph_.subsystem_root(s) == at || graph_.parent_in(at, s) != kNoPool;
  };
  while (from != kNoPool && !on_edges(from)) from = graph_.parent(from);
  if (from == kNoPool) return kNone;
  std::vector<PoolId> fresh;
  std::uint32_t up = kNone;
  for (PoolId at = from; at != kNoPool && fresh.size() < kStopsMax; at = graph_.parent_in(at, s)) {
    const auto path_pool = path_pool_of_->find(key_of(at, number));
    if (path_pool != path_pool_of_->end()) {
      up = path_pool->second;
      break;
    }
    fresh.push_back(at);
  }
  while (!fresh.empty()) {
    up = add_path_pool(fresh.back(), number, up);
    fresh.pop_back();
  }
  return up;
}

std::uint32_t Channels::root_of_paths(std::uint32_t number) {
  const SubsystemId s = channels_[number].subsystem;
  const auto at = std::find(auxiliary_.begin(), auxiliary_.end(), s) - auxiliary_.begin();
  note_types();
  if (!rooted_[static_cast<std::size_t>(at)]) return kNone;
  return path_start(graph_.subsystem_root(s), number);
}

void Channels::add_capacity(PoolId pool) {
  const auto [known, made] =
      capacity_of_.own().emplace(pool.v, static_cast<std::uint32_t>(capacities_.size()));
  if (made) capacities_.push_back(pool);
  numbers_.push_back(known->second);
}

std::uint32_t Channels::add_path_pool(PoolId at, std::uint32_t number, std::uint32_t up) {
  const Channel& channel = channels_[number];
  const auto first = static_cast<std::uint32_t>(numbers_.size());
  if (channel.type != kNoType && graph_.type(at) == channel.type) {
    add_capacity(at);
  } else {
    for (const PoolId child : graph_.children(at, channel.subsystem)) {
      if (channel.type == kNoType || graph_.type(child) != channel.type) continue;
      // A child with pools below it is on their path. A child with several parents belongs to the
      // last one.
      if (!graph_.children(child, channel.subsystem).empty()) continue;
      if (graph_.parent_in(child, channel.subsystem) == at) add_capacity(child);
    }
    if (numbers_.size() == first && channel.by_name && graph_.size(at) > 1) add_capacity(at);
  }
  PathPool path_pool{at, up,     first, static_cast<std::uint32_t>(numbers_.size()) - first,
                     0,  number, false};
  path_pool.has_capacity = path_pool.count > 0;
  if (up != kNone) {
    path_pool.depth = path_pools_[up].depth + 1;
    path_pool.has_capacity = path_pool.has_capacity || path_pools_[up].has_capacity;
  }
  const auto made = static_cast<std::uint32_t>(path_pools_.size());
  path_pools_.push_back(path_pool);
  path_pool_of_.own().emplace(key_of(at, number), made);
  return made;
}

const Planner* Channels::planner(PoolId pool) const {
  const auto it = planners_.find(pool.v);
  return it == planners_.end() ? nullptr : it->second.get();
}

std::int64_t Channels::most_charged(PoolId pool, std::int64_t start, std::int64_t end) const {
  const Planner* times = planner(pool);
  return times == nullptr ? 0 : times->max_used(0, start, end);
}

void Channels::apply(std::span<const CapacityCharge> charges, std::int64_t start, std::int64_t end,
                     int sign) {
  for (const CapacityCharge& charge : charges) {
    Shared<Planner>& times = planners_[charge.pool.v];
    if (!times) times = Shared<Planner>::make(1U);
    if (sign > 0) {
      times.own().add(start, end, {&charge.amount, 1});
    } else {
      times.own().remove(start, end, {&charge.amount, 1});
    }
    if (times->empty()) planners_.erase(charge.pool.v);
  }
}

std::uint64_t Channels::fingerprint() const {
  std::uint64_t out = 0;
  for (const auto& [pool, times] : planners_) {
    times->for_each_step([&](std::int64_t t, Planner::Amounts amounts) {
      const std::int64_t step[] = {static_cast<std::int64_t>(pool), t, amounts[0]};
      out += XXH3_64bits(step, sizeof step);
    });
  }
  return out;
}

std::uint64_t Channels::bytes() const {
  std::uint64_t out = path_pools_.capacity() * sizeof(PathPool) + numbers_.capacity() * 4 +
                      capacities_.capacity() * sizeof(PoolId) +
                      (path_pool_of_->size() + capacity_of_->size()) * 32;
  for (const auto& [pool, times] : planners_) {
    out += sizeof(Planner) + 32 + times->step_count() * 11;
  }
  return out;
}

}  // namespace copse
