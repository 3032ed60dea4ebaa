// SPDX-License-Identifier: Apache-2.0
#include "explain/channel_findings.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "explain/explain.hpp"
#include "explain/holders.hpp"

namespace copse {

namespace {

// The vertex with charges to a channel; if there are several, or the request as a whole was
// refused, the first.
std::uint32_t charged_level(const CompiledRequest& request,
                            const ChannelAvailability::Refusal& why) {
  if (why.level < request.levels.size()) return why.level;
  for (std::uint32_t n = 0; n < request.levels.size(); ++n) {
    for (const ChannelNeed& need : request.levels[n].charges) {
      if (need.channel == why.channel) return n;
    }
  }
  return why.level;
}

void set_source(const CompiledRequest& request, const ChannelAvailability::Refusal& why,
                const std::string& channel, Finding& out) {
  const std::uint32_t level = charged_level(request, why);
  if (!request.variants.empty() || level >= request.levels.size()) return;
  const LevelSource source = level_source(*request.resources, request, level);
  for (const ChannelResource& wanted : source.resource->channel_charges) {
    if (wanted.type != channel) continue;
    out.path = fmt::format("{} > {}[{}]", source.path, wanted.type, wanted.amount);
    out.place = wanted.place;
    return;
  }
}

Finding finding_of(const ResourceGraph& graph, const Channels& channels, const Grants& grants,
                   const CompiledRequest& request, const Explanation& so_far,
                   const ChannelAvailability::Refusal& why) {
  const Channels::Channel& channel = channels.channel(why.channel);
  Finding out{.cause = Cause::capacity, .type = channel.name, .counted = false};
  out.needed = why.wanted;
  out.factors = {why.wanted};
  out.most_has = why.size;
  out.most_fits = why.free;
  const bool none = why.cause == ChannelAvailability::Cause::no_capacity;
  if (none) out.cause = Cause::no_capacity;
  if (why.cause == ChannelAvailability::Cause::down) out.cause = Cause::capacity_down;
  const PoolId at = none ? why.by : why.pool;
  out.where = graph.path(at, none ? graph.dominant() : channel.subsystem);
  if (!none) out.unit = graph.unit_text(at);
  set_source(request, why, channel.name, out);
  if (out.cause != Cause::capacity || so_far.verdict == Verdict::infeasible) return out;
  std::vector<Holder> holders;
  grants.for_each([&](std::uint32_t, const Grant& grant) {
    if (grant.end <= so_far.at || grant.start >= so_far.until) return;
    for (const CapacityCharge& charge : grant.charges.capacities) {
      if (charge.pool == at) {
        holders.push_back({grant.job, grant.start, grant.end, charge.amount});
      }
    }
  });
  set_holders(std::move(holders), out);
  return out;
}

}  // namespace

std::string refusal_text(const ResourceGraph& graph, const Channels& channels,
                         const ChannelAvailability::Refusal& why, bool empty) {
  const Channels::Channel& channel = channels.channel(why.channel);
  auto path = [&](PoolId p) {
    const std::string own = graph.path(p, channel.subsystem);
    return own.empty() ? graph.path(p, graph.dominant()) : own;
  };
  if (why.cause == ChannelAvailability::Cause::no_capacity) {
    return fmt::format("{}: no capacity on the path up {} from {}", channel.name,
                       graph.subsystem_name(channel.subsystem),
                       graph.path(why.by, graph.dominant()));
  }
  const PoolId pool = why.pool;
  const std::string unit =
      graph.unit_text(pool).empty() ? std::string() : " " + graph.unit_text(pool);
  if (why.cause == ChannelAvailability::Cause::down) {
    return fmt::format("{}: {} is down; {}{} are needed", channel.name, path(pool), why.wanted,
                       unit);
  }
  const std::string more = why.more == 0 ? "" : fmt::format(" and {} more", why.more);
  const std::string has = empty ? fmt::format("{}{}", why.size, unit)
                                : fmt::format("{}{} left of {}{}", why.free, unit, why.size, unit);
  return fmt::format("{}: {}{} has {}; at least {}{} are needed", channel.name, path(why.pool),
                     more, has, why.wanted, unit);
}

std::optional<Finding> find_short_capacity(const ResourceGraph& graph, const Channels& channels,
                                           const Grants& grants, StartSearch& search,
                                           LearnedRequest& request, const Explanation& so_far) {
  if (!request.charges_channels || !request.impossible.empty()) return {};
  const bool ever = so_far.verdict == Verdict::infeasible;
  Window window{
      .view = ever ? StateView::empty : StateView::now, .start = so_far.at, .end = so_far.until};
  search.begin(0);
  (void)search.select(request, window);
  const SearchResult& result = search.result();
  const ChannelAvailability::Refusal why = ever ? result.refused_ever : result.refused_now;
  if (why.cause == ChannelAvailability::Cause::none) return {};
  window.channels = false;
  search.begin(0);
  if (search.select(request, window) != WalkOutcome::yes) return {};
  search.begin(0);
  return finding_of(graph, channels, grants, request, so_far, why);
}

}  // namespace copse
