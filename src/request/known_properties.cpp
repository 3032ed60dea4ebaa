// SPDX-License-Identifier: Apache-2.0
#include "request/known_properties.hpp"

#include <set>
#include <string_view>

#include "base/nearest_word.hpp"

namespace copse {

namespace {

using Words = std::set<std::string_view>;

// The recursion is bounded by the depth of a constraint's text.
void add_wanted(const Constraint& constraint, Words& out) {
  if (constraint.op == Constraint::Op::negate) return;
  if (constraint.op == Constraint::Op::properties) {
    for (const std::string& word : constraint.words) {
      if (!word.starts_with('^')) out.insert(word);
    }
  }
  for (const Constraint& operand : constraint.operands) add_wanted(operand, out);
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

}  // namespace

std::vector<std::string> unknown_properties(const ResourceGraph& graph,
                                            const Constraint& constraint) {
  std::vector<std::string> out;
  Words wanted;
  add_wanted(constraint, wanted);
  if (wanted.empty()) return out;
  const Words known = properties_of_nodes(graph);
  const std::vector<std::string_view> words(known.begin(), known.end());
  for (const std::string_view word : wanted) {
    if (known.contains(word)) continue;
    out.push_back("no node has the property " + shown_word(word) + or_known(word, words));
  }
  return out;
}

}  // namespace copse
