// SPDX-License-Identifier: Apache-2.0
//
// The abstract interfaces of RFC 4 over a ResourceGraph: Walker, Pruning Filter, Evaluating Filter,
// Accumulator; with serializer.hpp the Serializer, with where.hpp what filters compare with.
//
//   // The three nodes with the most memory that are not in the rack "rack2".
//   copse::Accumulator best(3);
//   const auto node = where::type(graph, "node");
//   const auto memory = where::type(graph, "memory");
//   copse::walk(graph, graph.root(), graph.dominant(),
//       [&, rack2 = where::name(graph, "rack2")](const Visited& at) {
//         if (rack2(at.pool)) return Advance::skip_subtree;
//         return node(at.pool) ? Advance::skip_below : Advance::go_on;
//       },
//       [&](const Visited& at) {
//         if (!node(at.pool)) return;
//         std::int64_t units = 0;  // a walk of its own; it could be in another subsystem
//         copse::walk(graph, at.pool, graph.dominant(), go_on_always, [&](const Visited& below) {
//           if (memory(below.pool)) units += graph.size(below.pool);
//         });
//         best.push(at.pool, units);
//       });
//   auto text = copse::serialize(graph, best.pools());
//
// Walks keep no state outside the call: filters may walk again, in any subsystem. Filters must not
// change the graph's structure (nothing can); they may set properties and tags.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "copse/graph.hpp"
#include "copse/serializer.hpp"
#include "copse/where.hpp"

namespace copse {

// --- Walker

// What a pruning filter answers.
enum class Advance : std::uint8_t {
  go_on,         // down to what is below
  skip_below,    // nothing below is visited; this pool is still evaluated
  skip_subtree,  // nothing below is visited, nor is this pool evaluated
  stop,          // the walk ends here: no filter is called any more
};

// One visit.
struct Visited {
  PoolId pool;
  PoolId from = kNoPool;    // the pool that the walk came from; kNoPool at the start
  std::uint32_t depth = 0;  // edges from the start
};

inline constexpr auto go_on_always = [](const Visited&) { return Advance::go_on; };

// Visits `start` and what is below it in a subsystem, each pool once, children in edge order.
// prune(const Visited&) -> Advance is called on each preorder visit, evaluate(const Visited&) on
// each postorder visit; evaluate returns nothing, or an Advance of which only stop has a meaning.
// Returns false if a filter stopped the walk.
//
// In the dominant subsystem the walk follows the tree of ResourceGraph: [start, end(start)). Other
// subsystems may have pools with several parents: such a pool is visited below the first that the
// walk meets. REQUIRES that start and subsystem are of the graph.
// Cost: dominant, O(visits), memory O(depth); others, O(visits + edges · log edges), memory
// O(visits). No recursion: a chain of a million pools needs no more stack than one.
template <class Prune, class Evaluate>
bool walk(const ResourceGraph& graph, PoolId start, SubsystemId subsystem, Prune&& prune,
          Evaluate&& evaluate);

// --- Accumulator

// Matching pools by descending score; of equal scores, the one pushed first comes first.
//
// Invariant: holds the best_max best of what was pushed, in that order, and nothing else.
// Cost: 24 bytes an entry kept; push O(1) without a bound, else O(log best_max); ranked O(n log n).
class Accumulator {
 public:
  struct Entry {
    PoolId pool;
    std::int64_t score = 0;
    bool operator==(const Entry&) const = default;
  };
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  explicit Accumulator(std::size_t best_max = kAll) : best_max_(best_max) {}

  // Returns false if the pool is not among the best so far, and so was not kept.
  bool push(PoolId pool, std::int64_t score);
  // Whether a pool of this score would be kept; lets a filter save the work of finding out more.
  [[nodiscard]] bool would_keep(std::int64_t score) const;

  [[nodiscard]] std::size_t size() const { return kept_.size(); }
  [[nodiscard]] std::vector<Entry> ranked() const;
  [[nodiscard]] std::vector<PoolId> pools() const;  // those of ranked()
  void clear() { kept_.clear(); }

 private:
  struct Kept {
    Entry entry;
    std::uint64_t number;  // of the push
  };
  [[nodiscard]] static bool better(const Kept& a, const Kept& b) {
    return a.entry.score != b.entry.score ? a.entry.score > b.entry.score : a.number < b.number;
  }

  std::size_t best_max_;
  std::vector<Kept> kept_;  // bounded: a heap with the worst in front; else in order of pushes
  std::uint64_t pushes_ = 0;
};

// --- The walk itself

namespace detail {

template <class Evaluate>
bool evaluated(Evaluate& evaluate, const Visited& at) {  // false: stop
  if constexpr (std::is_void_v<std::invoke_result_t<Evaluate&, const Visited&>>) {
    evaluate(at);
    return true;
  } else {
    return evaluate(at) != Advance::stop;
  }
}

// Pool numbers are in preorder, so the walk counts up; skipping a subtree is going on at its end.
template <class Prune, class Evaluate>
bool walk_tree(const ResourceGraph& graph, PoolId start, Prune& prune, Evaluate& evaluate) {
  struct Open {
    Visited at;
    std::uint32_t end;
  };
  std::vector<Open> open;
  const std::uint32_t end = graph.end(start).v;
  for (std::uint32_t v = start.v;;) {
    while (!open.empty() && open.back().end <= v) {
      const Visited at = open.back().at;
      open.pop_back();
      if (!evaluated(evaluate, at)) return false;
    }
    if (v >= end) return true;
    Visited at{PoolId{v}};
    if (!open.empty()) at = {PoolId{v}, open.back().at.pool, open.back().at.depth + 1};
    const Advance advance = prune(std::as_const(at));
    if (advance == Advance::stop) return false;
    const std::uint32_t after = graph.end(at.pool).v;
    if (advance != Advance::skip_subtree) open.push_back({at, after});
    v = advance == Advance::go_on ? v + 1 : after;
  }
}

template <class Prune, class Evaluate>
bool walk_edges(const ResourceGraph& graph, PoolId start, SubsystemId subsystem, Prune& prune,
                Evaluate& evaluate) {
  struct Open {
    Visited at;
    std::size_t next, first;  // its children are pending[first …], up to the next one open
  };
  std::vector<Open> open;
  std::vector<PoolId> pending;
  std::unordered_set<std::uint32_t> met;
  auto enter = [&](const Visited& at) {
    met.insert(at.pool.v);
    const Advance advance = prune(at);
    if (advance == Advance::stop) return false;
    if (advance == Advance::skip_subtree) return true;
    open.push_back({at, pending.size(), pending.size()});
    if (advance == Advance::skip_below) return true;
    const std::vector<PoolId> children = graph.children(at.pool, subsystem);
    pending.insert(pending.end(), children.begin(), children.end());
    return true;
  };
  if (!enter(Visited{start})) return false;
  while (!open.empty()) {
    Open& top = open.back();
    if (top.next < pending.size()) {
      const Visited at{pending[top.next++], top.at.pool, top.at.depth + 1};
      if (!met.contains(at.pool.v) && !enter(at)) return false;
      continue;
    }
    const Visited at = top.at;
    pending.resize(top.first);
    open.pop_back();
    if (!evaluated(evaluate, at)) return false;
  }
  return true;
}

}  // namespace detail

template <class Prune, class Evaluate>
bool walk(const ResourceGraph& graph, PoolId start, SubsystemId subsystem, Prune&& prune,
          Evaluate&& evaluate) {
  // A pool outside the dominant tree may still have edges of its subsystem.
  if (subsystem == graph.dominant() && graph.in_tree(start) && !graph.changed()) {
    return detail::walk_tree(graph, start, prune, evaluate);
  }
  return detail::walk_edges(graph, start, subsystem, prune, evaluate);
}

}  // namespace copse
