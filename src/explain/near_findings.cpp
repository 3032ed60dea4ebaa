// SPDX-License-Identifier: Apache-2.0
#include "explain/near_findings.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/saturating.hpp"
#include "explain/holders.hpp"

namespace copse {

namespace {

// The domains of all nodes for the slots of one demand.
struct DomainCounts {
  Candidates domains;
  std::int64_t slots = 0;  // that fit
  std::vector<Obstacle> obstacles{};
};

class DomainCensus {
 public:
  DomainCensus(const Eligibility& eligibility, const Level& slot)
      : eligibility_(eligibility),
        graph_(eligibility.graph),
        request_(*eligibility.request),
        slot_(slot) {}

  DomainCounts count() {
    for (const PoolId node : graph_.of_type(eligibility_.node)) {
      if (!graph_.removed(node)) visit(node);
    }
    return std::move(out_);
  }

 private:
  void visit(PoolId node) {
    const auto domains = request_.domains[slot_.domain - 1].of_rank(graph_.rank(node));
    const auto all = static_cast<std::uint64_t>(domains.size());
    Candidates& counts = out_.domains;
    counts.all += all;
    switch (eligibility_.rejection(node)) {
      case Rejection::none: break;
      case Rejection::excluded: counts.excluded += all; return;
      case Rejection::down: counts.down += all; return;
      case Rejection::allocated:
      case Rejection::busy:
        counts.held += all;
        if (all > 0) out_.obstacles.push_back({node, Obstacle::Scope::below});
        return;
      default: counts.too_small += all; return;
    }
    bool held = false;
    for (const NearDomain& domain : domains) {
      const std::int64_t now = slots_in(node, domain, false);
      out_.slots = saturating_sum(out_.slots, now);
      if (now > 0) {
        ++counts.fit;
      } else if (slots_in(node, domain, true) > 0) {
        ++counts.busy;
        held = true;
      } else {
        ++counts.lacking;
      }
    }
    if (held) out_.obstacles.push_back({node, Obstacle::Scope::below});
  }

  // How many slots a domain of a node has room for. `empty`: without jobs.
  [[nodiscard]] std::int64_t slots_in(PoolId node, const NearDomain& domain, bool empty) const {
    std::int64_t slots = INT64_MAX;
    for (std::uint32_t c = slot_.first; c < slot_.first + slot_.children; ++c) {
      const Level& level = request_.levels[c];
      if (level.near == nullptr || level.count.min <= 0) continue;
      std::int64_t units = 0;
      for (const PoolId p : graph_.children(node)) {
        if (graph_.type(p) != level.type || !request_.agrees(p, level)) continue;
        if (!(domain.*level.near).contains(graph_.id(p))) continue;
        if (empty || (eligibility_.passable(p) && eligibility_.idle(p))) units += graph_.size(p);
      }
      slots = std::min(slots, units / level.count.min);
    }
    return slots;
  }

  const Eligibility& eligibility_;
  const ResourceGraph& graph_;
  const CompiledRequest& request_;
  const Level& slot_;
  DomainCounts out_;
};

}  // namespace

Finding near_finding(const Eligibility& eligibility, const Grants& grants) {
  const CompiledRequest& request = *eligibility.request;
  const ResourceGraph& graph = eligibility.graph;
  std::vector<std::int64_t> times(request.levels.size(), 1);  // how often each level is requested
  bool some = false;
  std::uint32_t worst = 0;
  DomainCounts fewest;
  for (std::uint32_t n = 0; n < request.levels.size(); ++n) {  // parents come before children
    const Level& level = request.levels[n];
    times[n] = saturating_product(times[n], level.count.min);
    for (std::uint32_t c = level.first; c < level.first + level.children; ++c) times[c] = times[n];
    if (level.domain == 0) continue;
    DomainCounts here = DomainCensus(eligibility, level).count();
    if (some && here.slots >= fewest.slots) continue;
    some = true;
    worst = n;
    fewest = std::move(here);
  }
  const Level& slot = request.levels[worst];
  const NearDomains& demand = request.domains[slot.domain - 1];
  Finding out{.cause = Cause::not_together, .path = demand.path, .place = demand.place};
  out.type = demand.name;
  // One domain that fits is enough for a slot: if there is none, even the first slot is refused.
  out.needed = fewest.domains.fit == 0 ? 1 : times[worst];
  out.factors = {out.needed};
  for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
    const Level& level = request.levels[c];
    if (level.near != nullptr) out.each.push_back({graph.type_name(level.type), level.count.min});
  }
  out.where = "node";
  out.candidates = fewest.domains;
  out.most_has = static_cast<std::int64_t>(fewest.domains.all);
  out.most_fits = static_cast<std::int64_t>(fewest.domains.fit);
  if (eligibility.view != StateView::empty) {
    find_holders(graph, eligibility.state, grants, fewest.obstacles, graph.find_type("core"),
                 eligibility.start, eligibility.end, out);
  }
  return out;
}

}  // namespace copse
