// SPDX-License-Identifier: Apache-2.0
#include "property/grant_laws.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace copse::property {

namespace {

// Every pool of a graph with its facts, in preorder.
std::string tree_text(const ResourceGraph& g) {
  std::string out;
  g.preorder(g.root(), [&](PoolId p) {
    out += fmt::format("{} {} {} {} {} leaf {}", g.path(p, g.dominant()), g.type_name(p), g.size(p),
                       g.id(p), g.rank(p), g.leaf(p));
    for (const TypeTotal& t : g.shape(p).totals) {
      out += fmt::format(" {}:{}", g.type_name(t.type), t.total);
    }
    out += '\n';
    return true;
  });
  return out;
}

}  // namespace

std::map<Number, bool> pools_of(const ResourceGraph& graph, const Selection& selection) {
  std::map<Number, bool> out;
  std::vector<ExpandedPool> expanded;
  expand(graph, selection, expanded);
  for (const ExpandedPool& e : expanded)
    out[static_cast<Number>(graph.uniq_id(e.pool))] = e.exclusive;
  return out;
}

std::vector<std::int64_t> change_times(const Engine& engine, const std::vector<JobId>& jobs,
                                       std::int64_t now) {
  std::vector<std::int64_t> out{now};
  for (JobId job : jobs) {
    const Grant& grant = *engine.grant(job);
    if (grant.start > now) out.push_back(grant.start);
    out.push_back(grant.end);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string grant_fault(const Engine& engine, const LiveMachine& machine,
                        const std::vector<JobId>& others, JobId job, const Answer& answer) {
  const Grant& mine = *engine.grant(job);
  if (mine.start != answer.start || mine.end != answer.end || mine.start >= mine.end ||
      mine.start < machine.machine().now || mine.end > machine.machine().horizon) {
    return "the grant's times are wrong";
  }
  const auto a = pools_of(engine.graph(), mine.selection);
  for (JobId other : others) {
    const Grant& theirs = *engine.grant(other);
    if (mine.start >= theirs.end || theirs.start >= mine.end) continue;
    const auto b = pools_of(engine.graph(), theirs.selection);
    if (machine.meet(a, b) || machine.meet(b, a)) {
      return fmt::format("shares units with job {}", other);
    }
  }
  return {};
}

Result<std::uint64_t> fresh_fingerprint(const Engine& engine, const Machine& now) {
  auto graph = now.build();
  if (!graph) return std::unexpected(graph.error());
  const auto fresh = Engine::create(std::move(*graph), engine.options());
  if (!fresh) return std::unexpected(fresh.error());
  const std::string grown = tree_text(engine.graph()), made = tree_text((*fresh)->graph());
  if (grown == made) return (*fresh)->fingerprint();
  return std::unexpected(Error{
      ErrorCode::invalid, "the graph is not as if it was made so:\n" + grown + "but\n" + made, {}});
}

}  // namespace copse::property
