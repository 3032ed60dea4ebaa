// SPDX-License-Identifier: Apache-2.0
//
// Pools and what they draw along auxiliary subsystems in one match. The walk takes what pools draw
// as they are chosen; where it compares more pools than it needs, it only asks, and is told
// afterwards which pools are too many.
#include <algorithm>

#include <fmt/format.h>

#include "engine/impl.hpp"
#include "explain/explain.hpp"

namespace copse {

namespace {
// Walks are told which pools are too many at most so often.
constexpr int kThinningsMax = 64;
}  // namespace

Result<void> Engine::Impl::make_channels() {
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
  channels = std::make_unique<Channels>(graph, std::move(auxiliary));
  channel_offer = std::make_unique<ChannelOffer>(graph, state, *channels);
  return {};
}

void Engine::Impl::set_channels(ChannelOffer* to, bool taking) {
  if (search != nullptr) search->set_channels(to);
  matcher.set_channels(to, taking);
}

bool Engine::Impl::select_pools(const CompiledRequest& request, View view, std::int64_t start,
                                std::int64_t end) {
  match.draw.drawn.clear();
  match.draw.channels.clear();
  if (!request.drawing || drawing_off) return walk(request, view, start, end);
  const bool found = select_drawn(request, view, start, end);
  set_channels(nullptr, false);
  (view == View::empty ? refused_ever : refused_now) =
      found ? ChannelOffer::Refusal{} : channel_offer->refusal();
  if (!found) match.selection.clear();
  return found;
}

// Where the walk takes what pools draw as it finds them, all alike, what it finds is all that there
// is: capacities above each other let every choice that cannot be added to
// be a largest one. Else a failure proves nothing, unless capacities alone would not do.
bool Engine::Impl::select_drawn(const CompiledRequest& request, View view, std::int64_t start,
                                std::int64_t end) {
  ChannelOffer& capacities = *channel_offer;
  capacities.begin(start, end, view == View::empty);
  if (std::any_of(request.least_drawn.begin(), request.least_drawn.end(),
                  [&](const ChannelNeed& all) { return capacities.lacks(all); })) {
    return false;
  }
  const bool exact = draws_as_found(request);
  if (!exact && view == View::empty && too_few_draw(request)) return false;
  bool taking = true;
  for (int pass = 0; pass < kThinningsMax; ++pass) {
    set_channels(&capacities, taking);
    if (!walk(request, view, start, end)) {
      if (!capacities.crowded() || exact) return false;
      supply_unsure = true;
      if (!taking) return false;
      taking = false;  // what was taken on the way may have been too much
      capacities.again();
      continue;
    }
    const bool searched = search != nullptr && search_found;
    const DrawnPools& pools = searched ? search->drawn() : matcher.drawn();
    if (charge_drawn(pools)) return true;
    taking = false;
    supply_unsure = true;
    if (!refuse_more(pools)) return false;
  }
  return false;
}

// What was chosen, and what it comes to; false: not all of it is there.
bool Engine::Impl::charge_drawn(const DrawnPools& pools) {
  ChannelOffer& capacities = *channel_offer;
  capacities.again();
  match.draw.drawn.clear();
  match.draw.channels.clear();
  for (const DrawnPool& p : pools) {
    if (!capacities.take(p.pool, p.level, p.needs)) return false;
    for (const ChannelNeed& need : p.needs) {
      match.draw.drawn.push_back({p.pool, need.channel, need.amount});
    }
  }
  capacities.charges(match.draw.channels);
  return true;
}

// Of what was chosen, in order of preference, keeps what fits together; the rest is refused from
// now on. False: there is none that is too much.
bool Engine::Impl::refuse_more(const DrawnPools& pools) {
  ChannelOffer& capacities = *channel_offer;
  capacities.again();
  std::vector<const DrawnPool*> more;
  for (const DrawnPool& p : pools) {
    if (!capacities.take(p.pool, p.level, p.needs)) more.push_back(&p);
  }
  for (const DrawnPool* p : more) capacities.refuse(p->pool, p->level);
  capacities.again();
  return !more.empty();
}

// One list of pools that draw alike, each from one channel, and nobody else; in a slot or not,
// below single pools. Then a place where the list fails has nothing taken anywhere else, and fails
// for good.
bool Engine::Impl::draws_as_found(const CompiledRequest& request) const {
  if (!request.hres.empty() || !request.variants.empty() || request.alternatives) return false;
  if (graph.has_further_edges() || (search != nullptr && !request.clash.empty())) return false;
  if (options.exhaustive || options.policy.by_runs || options.policy.slots_reversed) return false;
  const auto drawing = std::count_if(request.levels.begin(), request.levels.end(),
                                     [](const Level& l) { return !l.draws.empty(); });
  if (request.top != 1 || drawing != 1) return false;
  const Level* level = &request.levels.front();
  while (level->draws.empty()) {
    if (level->children != 1 || level->count.moldable()) return false;
    const Level& child = request.levels[level->first];
    // A slot of one that draws: any number. (Others are formed place by place, and what is left
    // over at one would be missed at the next.)
    const bool around = level->slot && !child.draws.empty() && child.most == 1;
    if (!around && level->count.min != 1) return false;
    level = &child;
  }
  if (graph.largest(level->type) > 1) return false;
  return level->draws.size() == 1 && !level->count.moldable();
}

// Whether the capacities have too little for the pools that some level takes at least: for each
// draw alone, taking pools in any order finds as many as there can be. O(pools of those types).
bool Engine::Impl::too_few_draw(const CompiledRequest& request) {
  ChannelOffer& capacities = *channel_offer;
  bool few = false;
  for (std::uint32_t n = 0; n < request.levels.size() && !few; ++n) {
    const Level& level = request.levels[n];
    if (level.slot || level.alternative) continue;
    const std::int64_t size = std::max<std::int64_t>(graph.largest(level.type), 1);
    for (std::size_t d = 0; d < level.draws.size() && !few; ++d) {
      const ChannelOffer::Needs need(&level.draws[d], 1);
      std::int64_t pools = level.count.min / size + (level.count.min % size != 0 ? 1 : 0);
      for (const ChannelNeed& all : request.least_drawn) {
        // The level's pools are as many as what they draw together says, if no other draws it.
        const bool only = std::count_if(request.levels.begin(), request.levels.end(),
                                        [&](const Level& l) { return !l.draws.empty(); }) == 1;
        if (only && all.channel == need[0].channel) {
          pools = std::max(pools, all.amount / need[0].amount);
        }
      }
      capacities.again();
      std::int64_t found = 0;
      graph.preorder(graph.root(), [&](PoolId p) {
        if (graph.type(p) == level.type && found < pools) {
          found += capacities.take(p, n, need) ? 1 : 0;
        }
        return found < pools && !graph.leaf(p);
      });
      few = found < pools;
    }
  }
  capacities.again();
  return few;
}

// The first time from `t` on at which the roots of channels have what the request draws at least: t
// itself, or a time at which something changes.
std::optional<std::int64_t> Engine::Impl::next_drawn(const CompiledRequest& request,
                                                     std::int64_t duration_s, std::int64_t t) {
  for (std::size_t served = 0, n = 0; served < request.least_drawn.size(); ++n) {
    const ChannelNeed& all = request.least_drawn[n % request.least_drawn.size()];
    ++served;
    const std::uint32_t number = channels->root_stop(all.channel);
    if (number == Channels::kNone || channels->stop(number).count != 1) continue;
    const Channels::Stop stop = channels->stop(number);
    const PoolId pool = channels->capacity(channels->capacities(stop)[0]);
    const std::int64_t at_most = graph.size(pool) - all.amount;
    if (at_most < 0) return {};
    const Planner* times = channels->planner(pool);
    if (times == nullptr) continue;
    const std::int64_t end = t + std::min(duration_s, options.horizon - t);
    if (times->max_used(0, t, end) <= at_most) continue;
    const auto at = times->earliest_fit(t + 1, duration_s, options.horizon, {&at_most, 1});
    if (!at) return {};
    t = *at;
    served = 1;  // the others may not have theirs now
  }
  return t;
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

// --- Why not

// "power: /panel0/power0 has 0 W left of 10000 W; 2000 W are wanted"
std::string Engine::Impl::refusal_text(const ChannelOffer::Refusal& why, bool empty) const {
  const Channels::Channel& channel = channels->channel(why.channel);
  auto path = [&](PoolId p) {
    const std::string own = graph.path(p, channel.subsystem);
    return own.empty() ? graph.path(p, graph.dominant()) : own;
  };
  if (why.cause == ChannelOffer::Cause::no_capacity) {
    return fmt::format("{}: nothing on the way up {} from {} has a capacity of it", channel.name,
                       graph.subsystem_name(channel.subsystem),
                       graph.path(why.by, graph.dominant()));
  }
  const PoolId pool = why.pool;
  const std::string unit =
      graph.unit_text(pool).empty() ? std::string() : " " + graph.unit_text(pool);
  if (why.cause == ChannelOffer::Cause::down) {
    return fmt::format("{}: {} is down; {}{} are wanted of it", channel.name, path(pool),
                       why.wanted, unit);
  }
  const std::string more = why.more == 0 ? "" : fmt::format(" and {} more", why.more);
  const std::string has = empty ? fmt::format("{}{}", why.size, unit)
                                : fmt::format("{}{} left of {}{}", why.free, unit, why.size, unit);
  return fmt::format("{}: {}{} has {}; {}{} or more are wanted", channel.name, path(why.pool), more,
                     has, why.wanted, unit);
}

void Engine::Impl::remark_refusal(const CompiledRequest& request, bool infeasible) {
  if (!request.drawing) return;
  if (infeasible && refused_ever.cause != ChannelOffer::Cause::none) {
    request.never_drawn = refusal_text(refused_ever, true);
  }
  if (infeasible && !request.never_drawn.empty()) {
    remark_once(request.never_drawn);
  } else if (refused_now.cause != ChannelOffer::Cause::none) {
    remark_once(refusal_text(refused_now, false));
  }
}

// The reason, if without what it draws the request would be served.
std::optional<Finding> Engine::Impl::drawn_too_much(const PreparedRequest& prepared_request,
                                                    const Explanation& so_far) {
  const CompiledRequest& request = *prepared_request.compiled_;
  if (!request.drawing || !request.impossible.empty()) return {};
  const bool ever = so_far.verdict == Verdict::infeasible;
  const View view = ever ? View::empty : View::now;
  search_left = std::max(search_left, options.search_pools_max);
  [[maybe_unused]] const bool found = select(request, view, so_far.at, so_far.until);
  const ChannelOffer::Refusal why = ever ? refused_ever : refused_now;
  drawing_off = true;
  const bool otherwise =
      why.cause != ChannelOffer::Cause::none && select(request, view, so_far.at, so_far.until);
  drawing_off = false;
  match.selection.clear();
  if (!otherwise) return {};
  return refusal_finding(request, so_far, why);
}

Finding Engine::Impl::refusal_finding(const CompiledRequest& request, const Explanation& so_far,
                                      const ChannelOffer::Refusal& why) const {
  const Channels::Channel& channel = channels->channel(why.channel);
  Finding out{.cause = Cause::capacity, .type = channel.name, .counted = false};
  out.needed = why.wanted;
  out.factors = {why.wanted};
  out.most_has = why.size;
  out.most_fits = why.free;
  const bool none = why.cause == ChannelOffer::Cause::no_capacity;
  if (none) out.cause = Cause::no_capacity;
  if (why.cause == ChannelOffer::Cause::down) out.cause = Cause::capacity_down;
  const PoolId at = none ? why.by : why.pool;
  out.where = graph.path(at, none ? graph.dominant() : channel.subsystem);
  if (!none) out.unit = graph.unit_text(at);
  // The level that draws it: of several, and where the request as a whole was refused, the first.
  std::uint32_t level = why.level;
  for (std::uint32_t n = 0; n < request.levels.size() && level >= request.levels.size(); ++n) {
    for (const ChannelNeed& need : request.levels[n].draws) {
      if (need.channel == why.channel) level = n;
    }
  }
  if (request.variants.empty() && level < request.levels.size()) {
    const LevelSource source = level_source(*request.resources, request, level);
    for (const DrawnResource& drawn : source.resource->draws) {
      if (drawn.type != channel.name) continue;
      out.path = fmt::format("{} > {}[{}]", source.path, drawn.type, drawn.amount);
      out.place = drawn.place;
      break;
    }
  }
  if (out.cause != Cause::capacity || so_far.verdict == Verdict::infeasible) return out;
  std::vector<Holder> holders;
  for (const auto& [job, number] : by_job) {
    const Grant& grant = grants[number];
    if (grant.end <= so_far.at || grant.start >= so_far.until) continue;
    for (const ChannelCharge& charge : grant.draw.channels) {
      if (charge.pool == at) holders.push_back({job, grant.start, grant.end, charge.amount});
    }
  }
  std::sort(holders.begin(), holders.end(), [](const Holder& a, const Holder& b) {
    return std::pair{a.end, a.job} < std::pair{b.end, b.job};
  });
  const std::size_t shown = std::min(holders.size(), Finding::kHoldersMax);
  out.more_holders = holders.size() - shown;
  out.holders.assign(holders.begin(), holders.begin() + static_cast<std::ptrdiff_t>(shown));
  return out;
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
