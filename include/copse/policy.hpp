// SPDX-License-Identifier: Apache-2.0
//
// A policy: the order of preference among suitable pools.
//
// A policy is a small value. It gives every pool a score when the engine starts and when properties
// change. Matching then visits pools in the order of their scores. So a custom policy is as fast as
// the bundled ones.
//
//   copse::Policy coolest{.name = "coolest", .prefer_high = false, .score = my_score};
//
// A score reads the machine through a GraphView: functions that stay the same when the graph behind
// them changes, so that a plugin needs nothing else of the library (copse/plugin.hpp).
//
// Scores must be at least 1 to count: a pool with a score of 0 or less is never chosen. A slot
// scores 1 plus the sum of the scores of its pools. Pools of equal score are taken in the order of
// the graph. examples/policies has a template.
//
// A policy that needs to know what is free, or what else runs, visits pools instead (copse/policy/visit.hpp);
// its matches are slower.
//
// Other combinations are written as words: high or low and three switches, as for -P of Fluxion's
// resource-query:
//
//   policy=low node_centric=true node_exclusive=true        the same as lonodex
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/ids.hpp"

namespace copse {

using Score = std::int64_t;

class ResourceGraph;  // copse/graph.hpp

// A graph of pools, as a policy reads it. It is valid until the policy's function returns; texts are
// valid until the machine changes. Each function is one call through a pointer; O(1) but for path():
// O(depth), total(): O(log types) and property(): O(log properties).
class GraphView {
 public:
  // What each function does, over the graph that the program has.
  struct Functions {
    std::uint32_t (*pool_count)(const void*);
    std::string_view (*type)(const void*, PoolId);
    std::string_view (*unit)(const void*, PoolId);
    std::string (*name)(const void*, PoolId);
    std::string (*path)(const void*, PoolId);
    std::int64_t (*id)(const void*, PoolId);
    std::int64_t (*uniq_id)(const void*, PoolId);
    std::int64_t (*size)(const void*, PoolId);
    std::int64_t (*rank)(const void*, PoolId);
    PoolId (*parent)(const void*, PoolId);
    std::span<const PoolId> (*children)(const void*, PoolId);
    std::int64_t (*total)(const void*, PoolId, std::string_view type);
    std::optional<std::string_view> (*property)(const void*, PoolId, std::string_view key);
  };
  GraphView(const void* graph, const Functions& functions)
      : graph_(graph), functions_(&functions) {}

  // Pools have the numbers 0 to pool_count() - 1, those of removed pools included. 0 is the root.
  [[nodiscard]] std::uint32_t pool_count() const { return functions_->pool_count(graph_); }
  [[nodiscard]] std::string_view type(PoolId p) const { return functions_->type(graph_, p); }
  [[nodiscard]] std::string_view unit(PoolId p) const { return functions_->unit(graph_, p); }
  [[nodiscard]] std::string name(PoolId p) const { return functions_->name(graph_, p); }
  // In the dominant subsystem, "/cluster0/rack0/node3"; "" if it is not part of it.
  [[nodiscard]] std::string path(PoolId p) const { return functions_->path(graph_, p); }
  [[nodiscard]] std::int64_t id(PoolId p) const { return functions_->id(graph_, p); }  // -1: none
  [[nodiscard]] std::int64_t uniq_id(PoolId p) const { return functions_->uniq_id(graph_, p); }
  [[nodiscard]] std::int64_t size(PoolId p) const { return functions_->size(graph_, p); }  // units
  [[nodiscard]] std::int64_t rank(PoolId p) const {
    return functions_->rank(graph_, p);
  }  // -1: none
  // In the tree of the dominant subsystem: kNoPool at the root, children in the order of edges.
  [[nodiscard]] PoolId parent(PoolId p) const { return functions_->parent(graph_, p); }
  [[nodiscard]] std::span<const PoolId> children(PoolId p) const {
    return functions_->children(graph_, p);
  }
  // Units of a type strictly below a pool.
  [[nodiscard]] std::int64_t total(PoolId p, std::string_view type) const {
    return functions_->total(graph_, p, type);
  }
  [[nodiscard]] std::optional<std::string_view> property(PoolId p, std::string_view key) const {
    return functions_->property(graph_, p, key);
  }

 private:
  const void* graph_;
  const Functions* functions_;
};

class Visit;  // copse/policy/visit.hpp

struct Policy {
  std::string name;
  std::string summary{};    // one line for --help
  bool prefer_high = true;  // take the highest score first; else the lowest

  // The score of a pool; null: its id + 2. Called once per pool; may read properties.
  Score (*score)(GraphView, PoolId) = nullptr;
  // Added to the score of every pool strictly below this pool of type `node`; null: nothing.
  Score (*below_node)(GraphView, PoolId node) = nullptr;
  // The same two of the bundled policies, which read the graph itself. They go before the others.
  Score (*bundled_score)(const ResourceGraph&, PoolId) = nullptr;
  Score (*bundled_below_node)(const ResourceGraph&, PoolId node) = nullptr;
  [[nodiscard]] bool scores_by_id() const { return score == nullptr && bundled_score == nullptr; }
  [[nodiscard]] bool has_node_term() const {
    return bundled_below_node != nullptr || below_node != nullptr;
  }

  bool whole_nodes = false;  // if anything of a node is taken, the whole node is
  // Explore by weight (unused pools first, then those with most free), and stop as soon as enough
  // is found instead of searching for the best: Fluxion's `first`.
  bool first_found = false;
  // At the top level, compare the runs of consecutive scores that candidates belong to: Fluxion's
  // `locality`.
  bool by_runs = false;
  // Pools for a slot are taken in the reverse order of preference; slots are compared in order. All
  // slots of a pool are formed: O(children). Fluxion's `variation`.
  bool slots_reversed = false;
  // Use few nodes, and nodes in use before idle ones: `compact`. The nodes are chosen before the
  // walk. With few_racks: a request without gpus is first tried on the nodes without gpus.
  bool few_nodes = false;
  // With few_nodes: of the nodes with room, those with most free first (worst fit), as Flux's
  // sched-simple.
  bool most_free_first = false;
  // Use few of the pools between the machine and its nodes, racks and others, of any depth:
  // `few-racks`. The nodes are chosen before the walk (match/few_racks/rack_choice.hpp).
  bool few_racks = false;
  // With few_racks: of choices that are equally good, the one that leaves the largest piece.
  bool keep_large = false;

  // Called for each pool that a request names, after everything below it was visited, for each slot,
  // and at the end (copse/policy/visit.hpp). Returns its score, or 0 to refuse it. It may choose among what is
  // below. null: `score` is the score. Not for -T treepool; -T loop-aware does not search then.
  Score (*visit)(Visit&) = nullptr;
  std::shared_ptr<void> context{};  // for `visit`: Visit::context
};

// low, high, lonode, hinode, lonodex, hinodex, first, firstnodex, locality, variation; compact,
// few-racks, keep-large.
[[nodiscard]] std::span<const Policy> bundled_policies();

// A policy from words `key=value`, separated by blanks, in any order, each key once:
//   policy=high|low           highest or lowest scores first; required
//   node_centric=true|false   compare nodes before their contents: lonode, hinode
//   node_exclusive=true|false nodes are taken whole
//   stop_on_1_matches=true|false  first_found (also spelled set_stop_on_1_matches)
// Its name is the text. Errors: invalid, naming the first bad word. O(length of the text).
[[nodiscard]] Result<Policy> parse_policy(std::string_view words);

// The policy of that name, of `own` first, then of those bundled; an unknown name with a "=" is
// read by parse_policy(). Errors: not_found, and those of parse_policy().
[[nodiscard]] Result<Policy> find_policy(std::string_view name, std::span<const Policy> own = {});

}  // namespace copse
