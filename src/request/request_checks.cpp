// SPDX-License-Identifier: Apache-2.0
#include "request/request_checks.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/nearest_word.hpp"

namespace copse {

namespace {

// The recursion is bounded by the depth of a request's text.
const Resource* first_unknown(const ResourceGraph& graph, const std::vector<Resource>& resources) {
  for (const Resource& r : resources) {
    if (graph.find_type(r.type) == kNoType) return &r;
    if (const Resource* below = first_unknown(graph, r.with)) return below;
  }
  return nullptr;
}

std::vector<std::string_view> types_of(const ResourceGraph& graph) {
  std::vector<std::string_view> out;
  for (std::uint32_t t = 0; t < graph.names().types.size(); ++t) {
    const std::string_view name = graph.names().types.text(t);
    const TypeId type = graph.find_type(name);
    const PoolId root = graph.root();
    if (graph.type(root) == type || graph.shape(root).total(type) > 0) out.push_back(name);
  }
  return out;
}

// The unit of the pools of a type, or "". O(pools of the type).
std::string_view unit_of(const ResourceGraph& graph, const std::string& type) {
  const TypeId of = graph.find_type(type);
  if (of == kNoType) return {};
  const auto pools = graph.of_type(of);
  return pools.empty() ? std::string_view() : graph.unit_text(pools.front());
}

const Resource* first_of_other_unit(const ResourceGraph& graph,
                                    const std::vector<Resource>& resources) {
  for (const Resource& r : resources) {
    if (!r.unit.empty()) {
      const std::string_view unit = unit_of(graph, r.type);
      if (!unit.empty() && unit != r.unit) return &r;
    }
    if (const Resource* below = first_of_other_unit(graph, r.with)) return below;
  }
  return nullptr;
}

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

// A sentence for each list without a host of the machine.
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

// A resource outside of slots is shared by default. The recursion is bounded by the parsers' depth.
bool exclusive_anywhere(const std::vector<Resource>& resources) {
  return std::ranges::any_of(resources, [](const Resource& r) {
    return r.is_slot() || r.exclusive == Exclusivity::yes || exclusive_anywhere(r.with);
  });
}

}  // namespace

std::optional<Error> unknown_type(const ResourceGraph& graph, const Request& request) {
  const Resource* unknown = first_unknown(graph, request.resources);
  if (unknown == nullptr) return std::nullopt;
  const std::vector<std::string_view> known = types_of(graph);
  const bool near = !nearest_word(unknown->type, known).empty();
  return Error{near ? ErrorCode::invalid : ErrorCode::not_found,
               unknown_word("resource type", unknown->type, known), unknown->place};
}

std::optional<Error> wrong_unit(const ResourceGraph& graph, const Request& request) {
  const Resource* other = first_of_other_unit(graph, request.resources);
  if (other == nullptr) return std::nullopt;
  return Error{ErrorCode::invalid,
               fmt::format("{} is counted in {} on this machine, not in {}", other->type,
                           unit_of(graph, other->type), shown_word(other->unit)),
               other->place};
}

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

bool takes_nothing(const Request& request, bool whole_nodes) {
  return !whole_nodes && !exclusive_anywhere(request.resources);
}

}  // namespace copse
