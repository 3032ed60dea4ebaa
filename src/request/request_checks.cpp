// SPDX-License-Identifier: Apache-2.0
#include "request/request_checks.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/nearest_word.hpp"
#include "base/saturating.hpp"

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

// How many bytes a unit is; 0: it is none of bytes.
std::int64_t bytes_of(std::string_view unit) {
  constexpr std::string_view kPrefixes = "KMGTPE";
  if (unit == "B") return 1;
  if (unit.size() < 2 || unit.back() != 'B') return 0;
  const bool binary = unit.size() == 3 && unit[1] == 'i';
  if (unit.size() != 2 && !binary) return 0;
  const char first = unit.front() == 'k' && !binary ? 'K' : unit.front();
  const std::size_t power = kPrefixes.find(first);
  if (power == kPrefixes.npos) return 0;
  std::int64_t out = 1;
  for (std::size_t i = 0; i <= power; ++i) out *= binary ? 1024 : 1000;
  return out;
}

// An amount times from/to, if that is exact and no overflow; an unlimited one stays so.
bool convert(std::int64_t& amount, std::int64_t from, std::int64_t to) {
  if (amount == Count::kUnlimited) return true;
  const std::int64_t common = std::gcd(from, to);
  if (amount % (to / common) != 0) return false;
  return !__builtin_mul_overflow(amount / (to / common), from / common, &amount);
}

bool convert(Count& count, std::int64_t from, std::int64_t to) {
  if (!convert(count.min, from, to) || !convert(count.max, from, to)) return false;
  // A step of one amount is another amount; a factor or a power is none.
  if (count.op == '+' && count.moldable() && !convert(count.operand, from, to)) return false;
  if (count.op == '^' && count.moldable()) return false;
  if (count.set == nullptr) return true;
  Count::Ranges ranges = *count.set;
  for (auto& [first, last] : ranges) {
    // Between two amounts there would be others that have no exact value.
    if (first != last || !convert(first, from, to)) return false;
    last = first;
  }
  count.set = std::make_shared<const Count::Ranges>(std::move(ranges));
  return true;
}

// Converts what is at and below these resources. Returns the first that does not fit; the recursion is
// bounded by the parsers' depth.
const Resource* first_not_fitting(const ResourceGraph& graph, std::vector<Resource>& resources) {
  for (Resource& r : resources) {
    const std::string_view unit = r.unit.empty() ? std::string_view() : unit_of(graph, r.type);
    if (!unit.empty() && unit != r.unit) {
      const std::int64_t from = bytes_of(r.unit), to = bytes_of(unit);
      if (from == 0 || to == 0 || !convert(r.count, from, to)) return &r;
      r.unit = unit;
    }
    if (const Resource* below = first_not_fitting(graph, r.with)) return below;
  }
  return nullptr;
}

bool has_units(const std::vector<Resource>& resources) {
  return std::ranges::any_of(
      resources, [](const Resource& r) { return !r.unit.empty() || has_units(r.with); });
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

std::optional<Error> fit_units(const ResourceGraph& graph, Request& request) {
  if (!has_units(request.resources)) return std::nullopt;
  std::vector<Resource> fitted = request.resources;
  const Resource* other = first_not_fitting(graph, fitted);
  if (other == nullptr) {
    request.resources = std::move(fitted);
    return std::nullopt;
  }
  const std::string_view unit = unit_of(graph, other->type);
  const bool inexact = bytes_of(other->unit) > 0 && bytes_of(unit) > 0;
  return Error{
      ErrorCode::invalid,
      fmt::format("{} is counted in {} on this machine, not in {}{}", other->type, unit,
                  shown_word(other->unit),
                  inexact ? fmt::format(", and the amount is no whole number of {}", unit) : ""),
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

namespace {

void add_unknown(const ResourceGraph& graph, const std::vector<Resource>& resources,
                 std::vector<std::string>& out) {
  for (const Resource& resource : resources) {
    add_unknown(graph, resource.with, out);
    if (resource.properties.empty()) continue;
    Words known;
    const TypeId type = graph.find_type(resource.type);
    for (const PoolId p : type == kNoType ? std::vector<PoolId>() : graph.of_type(type)) {
      const auto* properties = graph.properties(p);
      if (properties == nullptr) continue;
      for (const auto& [key, value] : *properties) known.insert(key);
    }
    const std::vector<std::string_view> words(known.begin(), known.end());
    for (const std::string& word : resource.properties) {
      if (word.starts_with('^') || known.contains(word)) continue;
      std::string sentence = fmt::format("no {} has the property {}{}", resource.type,
                                         shown_word(word), known_words_hint(word, words));
      if (std::ranges::find(out, sentence) == out.end()) out.push_back(std::move(sentence));
    }
  }
}

}  // namespace

std::vector<std::string> unknown_properties(const ResourceGraph& graph, const Request& request) {
  std::vector<std::string> out = unknown_properties(graph, request.constraint);
  add_unknown(graph, request.resources, out);
  return out;
}

bool takes_nothing(const Request& request, bool whole_nodes) {
  return !whole_nodes && !exclusive_anywhere(request.resources);
}

std::int64_t least_units(const std::vector<Resource>& resources, std::string_view type) {
  std::int64_t out = 0;
  for (const Resource& each : resources) {
    const std::int64_t inside = each.type == type ? 1 : least_units(each.with, type);
    out = saturating_sum(out, saturating_product(each.count.min, inside));
  }
  return out;
}

}  // namespace copse
