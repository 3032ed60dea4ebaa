// SPDX-License-Identifier: Apache-2.0
#include "explain/why_not.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/channel_findings.hpp"
#include "explain/explain.hpp"
#include "explain/holders.hpp"
#include "explain/layer_findings.hpp"
#include "explain/near_findings.hpp"
#include "explain/treepool_findings.hpp"
#include "request/request_checks.hpp"

namespace copse {

namespace {

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
