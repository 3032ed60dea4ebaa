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

// Without the pools that a grant shares although it takes units of them.
std::map<Number, bool> undivided(const LiveMachine& machine, std::map<Number, bool> pools) {
  const Machine& m = machine.machine();
  std::erase_if(pools, [&](const auto& p) { return m.divisible.contains(m.pools[p.first].type); });
  return pools;
}

// Whether the grants have more units of a divisible pool than there are, when one of them starts.
std::string units_fault(const ResourceGraph& graph, const std::vector<const Grant*>& grants) {
  for (const Grant* begins : grants) {
    std::map<PoolId, std::int64_t> units;
    for (const Grant* grant : grants) {
      if (grant->start > begins->start || begins->start >= grant->end) continue;
      for (const PoolAmount& amount : grant->selection.amounts) {
        units[amount.pool] += amount.units;
        if (amount.units <= 0 && graph.size(amount.pool) > 0)
          return fmt::format("has {} units of a pool", amount.units);
      }
    }
    for (const auto& [pool, sum] : units) {
      if (sum > graph.size(pool)) return fmt::format("{} of {} units", sum, graph.size(pool));
    }
  }
  return {};
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

std::map<Number, std::int64_t> amounts_of(const ResourceGraph& graph, const Selection& selection) {
  std::map<Number, std::int64_t> out;
  for (const PoolAmount& amount : selection.amounts) {
    out[static_cast<Number>(graph.uniq_id(amount.pool))] = amount.units;
  }
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
  const auto a = undivided(machine, pools_of(engine.graph(), mine.selection));
  std::vector<const Grant*> beside{&mine};
  for (JobId other : others) {
    const Grant& theirs = *engine.grant(other);
    if (mine.start >= theirs.end || theirs.start >= mine.end) continue;
    beside.push_back(&theirs);
    const auto b = undivided(machine, pools_of(engine.graph(), theirs.selection));
    if (machine.meet(a, b) || machine.meet(b, a)) {
      return fmt::format("shares units with job {}", other);
    }
  }
  return units_fault(engine.graph(), beside);
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
