// SPDX-License-Identifier: Apache-2.0
//
// Walks: the traversers of one engine behind one question: what does a request get over a window?
//
// `loop_aware` walks in one pass first, and searches where that finds nothing. `treepool` has a
// walk of its own. All others are the simple walk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "copse/options.hpp"
#include "match/loop_aware/loop_aware_traverser.hpp"
#include "match/simple/simple_traverser.hpp"
#include "match/treepool/treepool_traverser.hpp"
#include "start_search/search_result.hpp"
#include "state/state.hpp"

namespace copse {

// Whether some count of the request may be more than its least.
[[nodiscard]] bool moldable(const CompiledRequest& request);

class Walks {
 public:
  Walks(const ResourceGraph& graph, State& state, const EngineOptions& options,
        const PruneFilters& filters);
  // The same for copies of graph, state, options and filters. What a search knows of single pools
  // is made again: O(pools) for loop_aware, O(nodes) for treepool, else O(1).
  Walks(const ResourceGraph& graph, State& state, const EngineOptions& options,
        const PruneFilters& filters, const Walks& other);

  // Needed by the treepool traverser, once, before anything is applied. Errors: limit (masks).
  [[nodiscard]] Result<void> add_treepool(const Layouts& layouts);

  // What the request gets over [start, end): the selection and slots of attempt.match.
  [[nodiscard]] WalkOutcome walk(const CompiledRequest& request, StateView view, std::int64_t start,
                                 std::int64_t end, SearchResult& result);

  // What the next walks draw from; nullptr: nothing. `taking`: what is found is taken at once,
  // where the walk compares no more than it needs; else it is only asked for.
  void set_availability(Availability* availability, bool taking);
  // The next walks skip pools that `bounds` rules out at its last queried time; nullptr: none.
  void skip_closed(const StartBounds* bounds) { simple_.skip_closed(bounds); }

  // Whether the simple walk can serve the request: its siblings do not clash, or are not searched.
  [[nodiscard]] bool simple_serves(const CompiledRequest& request) const {
    return loop_aware_ == nullptr || request.clash.empty();
  }
  [[nodiscard]] bool treepool() const { return treepool_ != nullptr; }
  // Caches of the search and of the treepool know the graph as it was built.
  [[nodiscard]] bool fixed_graph() const { return loop_aware_ != nullptr || treepool_ != nullptr; }
  [[nodiscard]] SimpleTraverser& simple() { return simple_; }
  [[nodiscard]] const SimpleTraverser& simple() const { return simple_; }

  // --- After the state has changed
  void applied(const Selection& selection, std::int64_t start, std::int64_t end, int sign) {
    if (treepool_ != nullptr) treepool_->nodes().applied(selection, start, end, sign);
  }
  void started(const Selection& selection) {
    if (treepool_ != nullptr) treepool_->nodes().started(selection);
  }
  void status_changed(PoolId pool) {
    if (treepool_ != nullptr) treepool_->nodes().status_changed(pool);
  }
  // After a match, committed or not: moves the exploration order of `first`.
  void explored(const Selection& selection, bool committed) {
    if (treepool_ == nullptr) simple_.explored(selection, committed);
  }

 private:
  const ResourceGraph& graph_;
  State& state_;
  const EngineOptions& options_;
  SimpleTraverser simple_;
  std::unique_ptr<LoopAwareTraverser> loop_aware_;  // of the loop-aware traverser
  std::unique_ptr<TreepoolTraverser> treepool_;     // of the treepool traverser
};

}  // namespace copse
