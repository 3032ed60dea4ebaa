// SPDX-License-Identifier: Apache-2.0
//
// Why not: the verdict is what a match says, the reasons are looked for in explain/explain.hpp.
#include "explain/explain.hpp"

#include "engine/impl.hpp"

namespace copse {

Result<Explanation> Engine::explain(PreparedRequest& request) {
  Impl& e = *impl_;
  if (auto ok = e.refresh(request); !ok) return std::unexpected(ok.error());
  const CompiledRequest& compiled = *request.compiled_;
  Explanation out;
  out.at = out.until = e.options.now;
  const auto duration = e.duration_of(request);
  if (!duration) {
    out.verdict = Verdict::invalid;
    Finding finding{.cause = Cause::duration};
    finding.needed = request.duration_s();
    finding.most_has = e.options.horizon - e.options.now;
    out.findings.push_back(std::move(finding));
    return out;
  }
  const std::int64_t duration_s = *duration;
  out.until = e.options.now + duration_s;

  e.begin_match(0);
  const bool found =
      e.run(Operation::without_allocating, compiled, duration_s) == Impl::Outcome::found;
  const bool nothing = found && e.match.selection.empty();
  e.match.selection.clear();
  e.remarks.clear();
  e.takes_nothing = false;
  if (found && !nothing) return out;
  if (nothing) {
    out.verdict = Verdict::insufficient;
    out.findings.push_back(nothing_exclusive());
    return out;
  }
  out.verdict = e.satisfiable(compiled, duration_s) ? Verdict::insufficient : Verdict::infeasible;
  bool pools_do = false;
  if (!compiled.hres.empty()) {
    const bool ever = out.verdict == Verdict::infeasible;
    auto layers = e.short_layers(compiled, ever ? View::empty : View::now, ever ? 0 : out.at,
                                 ever ? duration_s : out.until);
    e.remarks.clear();
    out.findings = std::move(layers.findings);
    pools_do = layers.pools_do && !out.findings.empty();
  }
  // Of a treepool there are no levels to look for causes at.
  if (e.treepool != nullptr || pools_do) return out;
  if (auto drawn = e.drawn_too_much(request, out)) {
    out.findings.push_back(std::move(*drawn));
    return out;
  }
  Request split = request.request_;
  if (compiled.resources != nullptr) split.resources = *compiled.resources;
  // Every grant touches the root: those that are not in its row start later.
  const PoolId root = e.graph.root();
  const std::int64_t active = e.graph.leaf(root) ? 0 : e.state.row(e.graph.interior(root))[0];
  const JobOfGrant job_of = [&](std::uint32_t grant) { return e.grants[grant].job; };
  auto causes = find_causes(
      {
          .graph = e.graph,
          .state = e.state,
          .request = split,
          .compiled = compiled,
          .policy = e.options.policy,
          .job_of = job_of,
          .reservations = active < static_cast<std::int64_t>(e.by_job.size()),
          .start = out.at,
          .end = out.until,
      },
      out.verdict);
  for (Finding& finding : causes) {
    if (out.findings.size() < Explanation::kFindingsMax) out.findings.push_back(std::move(finding));
  }
  return out;
}

}  // namespace copse
