// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/match_summary.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/hostlist.hpp"
#include "base/saturating.hpp"
#include "text/counted.hpp"

namespace copse {

namespace {

// Units of leaves and cores by type and unit, in the order in which they were found.
using Amounts = std::vector<std::pair<std::pair<std::string, std::string>, std::int64_t>>;

void add(Amounts& amounts, const ResourceGraph& graph, PoolId pool) {
  // Pools of one unit are counted.
  const std::string& unit = graph.unit_text(pool);
  const bool counted = unit.empty() && graph.size(pool) == 1;
  const std::pair<std::string, std::string> key(graph.type_name(pool),
                                                unit.empty() && !counted ? "units" : unit);
  auto at = std::ranges::find(amounts, key, &Amounts::value_type::first);
  if (at == amounts.end()) at = amounts.insert(at, {key, 0});
  at->second = saturating_sum(at->second, graph.size(pool));
}

std::string text_of(Amounts amounts) {
  std::ranges::sort(amounts);
  std::string out;
  for (const auto& [key, units] : amounts) {
    const auto& [type, unit] = key;
    out += out.empty() ? "" : ", ";
    out += unit.empty() ? counted(units, type) : fmt::format("{} {} of {}", units, unit, type);
  }
  return out;
}

PoolId node_of(const ResourceGraph& graph, PoolId pool, TypeId node) {
  while (pool != kNoPool && graph.type(pool) != node) pool = graph.parent(pool);
  return pool;
}

std::string times(const Engine& engine, const Match& match) {
  std::string out;
  if (match.start > engine.now()) out += ", from " + readable_time(match.start);
  if (match.end < engine.options().horizon) out += ", until " + readable_time(match.end);
  return out;
}

}  // namespace

void append_summary(std::string& out, const Engine& engine, const Match& match) {
  const ResourceGraph& graph = engine.graph();
  const TypeId node = graph.find_type("node"), core = graph.find_type("core");
  std::vector<ExpandedPool> pools;
  expand(graph, match.selection, pools);
  list_contents(graph, pools);
  std::map<PoolId, Amounts> by_node;
  Amounts elsewhere;
  for (const ExpandedPool& e : pools) {
    if (!e.exclusive) continue;
    const PoolId at = node_of(graph, e.pool, node);
    if (e.pool == at) {
      by_node[at];  // a node without leaves is granted, too
    } else if (graph.leaf(e.pool) || graph.type(e.pool) == core) {
      add(at == kNoPool ? elsewhere : by_node[at], graph, e.pool);
    }
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const auto& [at, amounts] : by_node) {
    const std::string text = text_of(amounts);
    auto group = std::ranges::find(groups, text, [](const auto& g) { return g.first; });
    if (group == groups.end()) group = groups.insert(group, {text, {}});
    group->second.push_back(graph.name(at));
  }
  const std::string when = times(engine, match);
  for (const auto& [text, names] : groups) {
    out += compress_hostlist(names);
    if (!text.empty()) out += ' ' + text + (names.size() > 1 ? " each" : "");
    out += when + '\n';
  }
  if (!elsewhere.empty()) out += text_of(elsewhere) + when + '\n';
}

}  // namespace copse
