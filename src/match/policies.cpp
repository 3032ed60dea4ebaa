// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>

#include "copse/policy.hpp"

namespace copse {

namespace {

// Fluxion's node-centric term: nodes differ by 10,000 a number, and by uniq_id within that.
Score node_term(const ResourceGraph& graph, PoolId node) {
  const auto uniq = static_cast<Score>(graph.uniq_id(node) % 10'000);
  Score term = 0;
  if (__builtin_add_overflow(graph.id(node), Score{2}, &term) ||
      __builtin_mul_overflow(term, Score{10'000}, &term)) {
    term = INT64_MAX / 4;
  }
  return term + std::abs(uniq - 1);
}

}  // namespace

std::span<const Policy> bundled_policies() {
  static const std::array<Policy, 9> policies{{
      {.name = "first",
       .summary = "what is found first: untouched parts, then those with most free",
       .below_node = node_term,
       .first_found = true},
      {.name = "firstnodex",
       .summary = "first, and nodes are taken whole",
       .below_node = node_term,
       .whole_nodes = true,
       .first_found = true},
      {.name = "low", .summary = "lowest ids first", .prefer_high = false},
      {.name = "high", .summary = "highest ids first"},
      {.name = "lonode",
       .summary = "what is in the nodes of lowest id first",
       .prefer_high = false,
       .below_node = node_term},
      {.name = "hinode",
       .summary = "what is in the nodes of highest id first",
       .below_node = node_term},
      {.name = "lonodex",
       .summary = "lonode, and nodes are taken whole",
       .prefer_high = false,
       .below_node = node_term,
       .whole_nodes = true},
      {.name = "hinodex",
       .summary = "hinode, and nodes are taken whole",
       .below_node = node_term,
       .whole_nodes = true},
      {.name = "locality", .summary = "the highest run of consecutive ids", .by_runs = true},
  }};
  return policies;
}

Result<Policy> find_policy(std::string_view name, std::span<const Policy> own) {
  for (const Policy& p : own) {
    if (p.name == name) return p;
  }
  std::string known;
  for (const Policy& p : own) known += p.name + ", ";
  for (const Policy& p : bundled_policies()) {
    if (p.name == name) return p;
    known += p.name + ", ";
  }
  known.resize(known.size() - 2);
  return fail(ErrorCode::not_found,
              "unknown match policy \"" + std::string(name) + "\"; there are: " + known);
}

}  // namespace copse
