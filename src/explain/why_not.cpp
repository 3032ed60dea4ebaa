// SPDX-License-Identifier: Apache-2.0
#include "explain/why_not.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/saturating.hpp"
#include "explain/channel_findings.hpp"
#include "explain/explain.hpp"
#include "explain/holders.hpp"
#include "explain/layer_findings.hpp"
#include "explain/treepool_findings.hpp"
#include "match/shared/eligibility.hpp"
#include "request/request_checks.hpp"

namespace copse {

namespace {

// Findings about demands for cores near GPUs (match/compile/near_domains.hpp): the domains of nodes, and
// which of them have what one slot needs.
//
// Cost: O(nodes × children × domains of a node), and that of find_holders().

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

// The finding for a request that fits if its slots may have cores and GPUs of any domain. It is about
// the demand that the fewest domains can serve. REQUIRES that the request has domains, and is that of
// `eligibility`.
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

std::vector<Finding> find_in_pools(const EngineView& m, const Request& request,
                                   const CompiledRequest& compiled, const Explanation& so_far) {
  Request split = request;
  if (compiled.resources != nullptr) split.resources = *compiled.resources;
  // Every grant uses the root: a grant that the root's row does not count starts later.
  const PoolId root = m.graph.root();
  const std::int64_t active = m.graph.leaf(root) ? 0 : m.state.row(m.graph.interior(root))[0];
  return find_causes(
      {
          .graph = m.graph,
          .state = m.state,
          .request = split,
          .compiled = compiled,
          .policy = m.options.policy,
          .grants = m.grants,
          .reservations = active < static_cast<std::int64_t>(m.grants.size()),
          .start = so_far.at,
          .end = so_far.until,
      },
      so_far.verdict);
}

// Leaves out the parts of slots whose type is one of `types`. The recursion is bounded by the parsers'
// depth. False: a slot would be empty.
bool leave_out(std::vector<Resource>& resources, const std::set<std::string_view>& types) {
  for (Resource& r : resources) {
    if (r.is_slot()) {
      std::erase_if(r.with, [&](const Resource& part) { return types.contains(part.type); });
      if (r.with.empty()) return false;
    }
    if (!leave_out(r.with, types)) return false;
  }
  return true;
}

// A part of a slot is short at all pools where another part is missing. Such a part is not the reason:
// without the others that are short, the machine could serve it. O(short types × a match).
void keep_reasons(const EngineView& m, StartSearch& search, const Request& request,
                  LearnedRequest& compiled, std::int64_t duration_s,
                  std::vector<Finding>& findings) {
  std::set<std::string_view> types;
  for (const Finding& f : findings) {
    if (f.cause == Cause::too_few) types.insert(f.type);
  }
  if (types.size() < 2 || m.channels != nullptr) return;
  std::set<std::string> served;
  for (const std::string_view type : types) {
    std::set<std::string_view> others = types;
    others.erase(type);
    Request alone = request;
    if (compiled.resources != nullptr) alone.resources = *compiled.resources;
    if (!leave_out(alone.resources, others)) return;
    auto without = compile(alone, m.graph, m.options.policy, m.options.traverser);
    if (!without) return;
    LearnedRequest again{std::move(*without)};
    again.hres = compiled.hres;
    if (search.satisfiable(again, duration_s)) served.emplace(type);
  }
  if (served.size() == types.size()) return;
  std::erase_if(findings, [&](const Finding& f) {
    return f.cause == Cause::too_few && served.contains(f.type);
  });
}

// What it would get now; nullptr: it does not fit.
const Selection* selected_now(StartSearch& search, LearnedRequest& compiled,
                              std::int64_t duration_s) {
  const SearchResult& result = search.run(Operation::without_allocating, compiled, duration_s, 0);
  return result.outcome == SearchResult::Outcome::found ? &result.match.selection : nullptr;
}

// Whether the request fits if the cores and GPUs of its slots may be of any domain of a node.
bool fits_apart(const EngineView& m, StartSearch& search, const Request& request,
                LearnedRequest& compiled, std::int64_t duration_s, Verdict verdict) {
  Request apart = request;
  apart.resources = *compiled.resources;
  auto anywhere =
      compile(apart, m.graph, m.options.policy, Walks::traverser_of(m.options), {}, nullptr);
  if (!anywhere) return false;
  LearnedRequest again{std::move(*anywhere)};
  again.hres = compiled.hres;
  return verdict == Verdict::infeasible ? search.satisfiable(again, duration_s)
                                        : fits_now(search, again, duration_s);
}

Explanation explained(const EngineView& m, StartSearch& search, const Request& request,
                      LearnedRequest& compiled, std::int64_t duration_s) {
  const std::int64_t now = m.options.now;
  Explanation out;
  out.at = now;
  out.until = now + duration_s;

  if (const Selection* taken = selected_now(search, compiled, duration_s)) {
    if (!taken->empty()) return out;
    out.verdict = Verdict::insufficient;
    out.findings.push_back(nothing_exclusive());
    return out;
  }
  if (!search.may_be_valid(duration_s)) {
    out.verdict = Verdict::infeasible;
    Finding& finding = out.findings.emplace_back(Finding{.cause = Cause::duration});
    finding.needed = duration_s;
    finding.most_has =
        std::max<std::int64_t>(m.options.valid_until - std::max(now, m.options.valid_from), 0);
    return out;
  }
  out.verdict =
      search.satisfiable(compiled, duration_s) ? Verdict::insufficient : Verdict::infeasible;
  if (out.verdict == Verdict::insufficient &&
      takes_nothing(request, m.options.policy.whole_nodes)) {
    out.findings.push_back(nothing_exclusive());
    return out;
  }
  if (!compiled.hres.empty()) {
    const bool ever = out.verdict == Verdict::infeasible;
    const Window asked{.view = ever ? StateView::empty : StateView::now,
                       .start = ever ? 0 : out.at,
                       .end = ever ? duration_s : out.until};
    auto layers = LayerFindings(m.graph, *m.hres, m.grants, search).find(compiled, asked, 0);
    out.findings = std::move(layers.findings);
    if (layers.pools_fit && !out.findings.empty()) return out;
  }
  if (compiled.treepool != nullptr) {
    auto findings = treepool_findings(
        {m.graph, m.state, *m.layouts, request, *compiled.treepool, m.grants, out.at, out.until},
        out.verdict);
    std::ranges::move(findings, std::back_inserter(out.findings));
    return out;
  }
  if (m.channels != nullptr) {
    if (auto capacity =
            find_short_capacity(m.graph, *m.channels, m.grants, search, compiled, out)) {
      out.findings.push_back(std::move(*capacity));
      return out;
    }
  }
  if (!compiled.domains.empty() &&
      fits_apart(m, search, request, compiled, duration_s, out.verdict)) {
    const bool ever = out.verdict == Verdict::infeasible;
    const Eligibility& eligibility =
        search.walks().simple().eligibility(compiled, ever ? StateView::empty : StateView::now,
                                            ever ? 0 : out.at, ever ? duration_s : out.until);
    out.findings.push_back(near_finding(eligibility, m.grants));
    return out;
  }
  std::vector<Finding> in_pools = find_in_pools(m, request, compiled, out);
  if (out.verdict == Verdict::infeasible) {
    keep_reasons(m, search, request, compiled, duration_s, in_pools);
  }
  for (Finding& finding : in_pools) {
    if (out.findings.size() < Explanation::kFindingsMax) out.findings.push_back(std::move(finding));
  }
  return out;
}

}  // namespace

bool fits_now(StartSearch& search, LearnedRequest& compiled, std::int64_t duration_s) {
  const Selection* taken = selected_now(search, compiled, duration_s);
  return taken != nullptr && !taken->empty();
}

Explanation why_not(const EngineView& machine, StartSearch& search, const Request& request,
                    LearnedRequest& compiled, std::int64_t duration_s) {
  Explanation out = explained(machine, search, request, compiled, duration_s);
  mark_endless(out.findings, machine.options.horizon);
  return out;
}

}  // namespace copse
