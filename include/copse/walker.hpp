// SPDX-License-Identifier: Apache-2.0
//
// A walk over a ResourceGraph with a pruning and an evaluating filter, and an accumulator of what the
// latter finds (RFC 4). A walk has no state outside the call: filters may start another walk, in any
// subsystem.
//
//   copse::Accumulator<copse::PoolId> largest(3);
//   copse::walk(graph, graph.root(), graph.dominant(), [](const copse::Visited&) { return true; },
//               [&](const copse::Visited& at) { largest.add(graph.size(at.pool), at.pool); });
//   for (const auto& [score, pool] : largest.take()) …
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "copse/graph.hpp"

namespace copse {

struct Visited {
  PoolId pool;
  std::uint32_t depth = 0;  // edges from the start
  PoolId parent = kNoPool;  // through which it was reached; kNoPool: the start
};

// Visits `start` and the pools below it in a subsystem, each once, children in edge order.
// prune(const Visited&) → bool is called before the pools below. If it returns false, the pool is
// not evaluated, and nothing below it is visited. evaluate(const Visited&) is called after all
// pools below.
//
// The dominant subsystem is walked as the graph's tree, in which a pool has one parent, or, with
// Paths::all, by all of its edges. By those, as in other subsystems, a pool may have several
// parents, and is visited below the first one reached. REQUIRES that start and subsystem are of the graph.
// Cost: O(visits), in other subsystems O(visits + edges · log edges). Memory: 12 bytes per pool on
// the way and its siblings, in other subsystems O(visits). No recursion.
enum class Paths : std::uint8_t { tree, all };
template <class Prune, class Evaluate>
void walk(const ResourceGraph& graph, PoolId start, SubsystemId subsystem, Prune prune,
          Evaluate evaluate, Paths paths = Paths::tree) {
  struct Step {
    Visited at;
    bool entered = false;
  };
  std::vector<Step> todo{{{start}}};  // a stack
  std::unordered_set<std::uint32_t> met;
  const bool in_tree =
      subsystem == graph.dominant() && (paths == Paths::tree || !graph.has_further_edges());
  std::vector<PoolId> all;
  auto add = [&](std::span<const PoolId> children, const Visited& up) {
    for (std::size_t i = children.size(); i-- > 0;) {
      todo.push_back({{children[i], up.depth + 1, up.pool}});
    }
  };
  while (!todo.empty()) {
    const Visited at = todo.back().at;
    if (std::exchange(todo.back().entered, true)) {
      todo.pop_back();
      evaluate(at);
      continue;
    }
    if ((!in_tree && !met.insert(at.pool.v).second) || !prune(at)) {
      todo.pop_back();
      continue;
    }
    if (in_tree) {
      add(graph.children(at.pool), at);
    } else if (subsystem == graph.dominant()) {
      all.clear();
      graph.append_children(at.pool, all);
      add(all, at);
    } else {
      add(graph.children(at.pool, subsystem), at);
    }
  }
}

// Accumulator: keeps the best k items by score.
//
// Invariant: it has at most k items, and none that was not kept has a higher score. Of equal scores, those
// added first are kept, and come first. Size: that of k items. add: O(log k).
template <class Item>
class Accumulator {
 public:
  explicit Accumulator(std::size_t k) : k_(k) {}

  void add(std::int64_t score, Item item) {
    Entry entry{score, added_++, std::move(item)};
    if (k_ == 0) return;
    if (entries_.size() == k_) {
      if (!before(entry, entries_.front())) return;
      std::pop_heap(entries_.begin(), entries_.end(), before);
      entries_.pop_back();
    }
    entries_.push_back(std::move(entry));
    std::push_heap(entries_.begin(), entries_.end(), before);
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  // Whether a score would be kept.
  [[nodiscard]] bool takes(std::int64_t score) const {
    return k_ > 0 && (entries_.size() < k_ || score > entries_.front().score);
  }
  // What was kept, by descending score. Afterwards it is empty. O(k log k).
  [[nodiscard]] std::vector<std::pair<std::int64_t, Item>> take() {
    std::sort_heap(entries_.begin(), entries_.end(), before);
    std::vector<std::pair<std::int64_t, Item>> out;
    out.reserve(entries_.size());
    for (Entry& entry : entries_) out.emplace_back(entry.score, std::move(entry.item));
    entries_.clear();
    added_ = 0;
    return out;
  }

 private:
  struct Entry {
    std::int64_t score;
    std::uint64_t number;  // in order of adding
    Item item;
  };
  // Whether a comes before b: the worst one is at the front of the heap.
  static bool before(const Entry& a, const Entry& b) {
    return a.score != b.score ? a.score > b.score : a.number < b.number;
  }

  std::size_t k_;
  std::uint64_t added_ = 0;
  std::vector<Entry> entries_;  // a heap
};

}  // namespace copse
