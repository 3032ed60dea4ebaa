// SPDX-License-Identifier: Apache-2.0
#include "request/known_properties.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/nearest_word.hpp"

namespace copse {

namespace {

using Words = std::set<std::string_view>;

// Properties, and lists of hosts. The recursion is bounded by the depth of a constraint's text.
void add_wanted(const Constraint& constraint, Words& out,
                std::vector<const Constraint*>& hostlists) {
  if (constraint.op == Constraint::Op::negate) return;
  if (constraint.op == Constraint::Op::hostlist) hostlists.push_back(&constraint);
  if (constraint.op == Constraint::Op::properties) {
    for (const std::string& word : constraint.words) {
      if (!word.starts_with('^')) out.insert(word);
    }
  }
  for (const Constraint& operand : constraint.operands) add_wanted(operand, out, hostlists);
}

Words properties_of_nodes(const ResourceGraph& graph) {
  const TypeId node = graph.find_type("node"), storage = graph.find_type("storage_node");
  Words out;
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    const PoolId p{v};
    if (graph.type(p) != node && graph.type(p) != storage) continue;
    const auto* properties = graph.properties(p);
    if (properties == nullptr) continue;
    for (const auto& [key, value] : *properties) out.insert(key);
  }
  return out;
}

// A sentence for each list of which the machine has no host.
void add_unknown_hosts(const ResourceGraph& graph, const std::vector<const Constraint*>& hostlists,
                       std::vector<std::string>& out) {
  std::set<std::string> known;
  for (const PoolId p : graph.of_type(graph.find_type("node"))) known.insert(graph.name(p));
  for (const Constraint* list : hostlists) {
    const auto there = [&](const std::string& host) { return known.contains(host); };
    if (list->words.empty() || std::ranges::any_of(list->words, there)) continue;
    out.push_back(fmt::format("the machine has no node of the hostlist {}",
                              shown_word(compress_hostlist(list->words))));
  }
}

}  // namespace

std::vector<std::string> unknown_properties(const ResourceGraph& graph,
                                            const Constraint& constraint) {
  std::vector<std::string> out;
  Words wanted;
  std::vector<const Constraint*> hostlists;
  add_wanted(constraint, wanted, hostlists);
  if (!hostlists.empty()) add_unknown_hosts(graph, hostlists, out);
  if (wanted.empty()) return out;
  const Words known = properties_of_nodes(graph);
  const std::vector<std::string_view> words(known.begin(), known.end());
  for (const std::string_view word : wanted) {
    if (known.contains(word)) continue;
    out.push_back("no node has the property " + shown_word(word) + known_words_hint(word, words));
  }
  return out;
}

}  // namespace copse
