// SPDX-License-Identifier: Apache-2.0
//
// Walks: the traversers of one engine behind one interface: find pools for a request over a window.
//
// `loop_aware` uses the simple walk first, and searches if that finds nothing. `treepool` has a
// separate walk. `simple` and `flexible` use SimpleTraverser, which passes requests with
// alternatives to the flexible walk.
#pragma once

#include <cstdint>
#include <memory>

#include "copse/graph.hpp"
#include "copse/options.hpp"
#include "match/loop_aware/loop_aware_traverser.hpp"
#include "match/shared/near_cores.hpp"
#include "match/simple/simple_traverser.hpp"
#include "match/treepool/treepool_traverser.hpp"
#include "start_search/search_result.hpp"
#include "state/state.hpp"

namespace copse {

// Whether some count of the request is a range.
[[nodiscard]] bool moldable(const CompiledRequest& request);

// Whether walks compare more candidates than they need.
[[nodiscard]] bool compares_all(const EngineOptions& options);

class Walks {
 public:
  Walks(const ResourceGraph& graph, State& state, const EngineOptions& options,
        const PruneFilters& filters);
  // The same for copies of graph, state, options and filters. Caches about single pools are
  // rebuilt: O(pools) for loop_aware, O(nodes) for treepool, else O(1).
  Walks(const ResourceGraph& graph, State& state, const EngineOptions& options,
        const PruneFilters& filters, const Walks& other);

  // Needed by the treepool traverser, once, before anything is applied. Errors: limit (masks).
  [[nodiscard]] Result<void> add_treepool(const Layouts& layouts);

  // Finds pools for the request over [start, end): sets the selection and slots of result.match.
  // Cores near the chosen GPUs are preferred.
  [[nodiscard]] WalkOutcome walk(LearnedRequest& request, StateView view, std::int64_t start,
                                 std::int64_t end, SearchResult& result);

  // Sets the availability for later walks; nullptr: no charges. `taking`: amounts are taken as
  // pools are found, if the walk compares no more pools than it needs; else eligibility is only
  // checked.
  void set_availability(Availability* availability, bool taking);
  // The next walks skip pools that `bounds` excludes at its last queried time; nullptr: none.
  void skip_closed(const StartBounds* bounds) { simple_.skip_closed(bounds); }

  // The traverser that requests are compiled for. The search knows no visits: with a visiting policy,
  // the loop-aware traverser has the simple walk only.
  [[nodiscard]] static Traverser traverser_of(const EngineOptions& options) {
    const bool visits = options.policy.visit != nullptr;
    return visits && options.traverser == Traverser::loop_aware ? Traverser::simple
                                                                : options.traverser;
  }
  // Whether the simple walk is sufficient for the request: its siblings do not compete, or there is
  // no search.
  [[nodiscard]] bool simple_serves(const CompiledRequest& request) const {
    return loop_aware_ == nullptr || request.clash.empty();
  }
  // What visiting policies may ask about; nullptr: nothing.
  void set_visit_sources(const VisitSources* sources) { simple_.set_visit_sources(sources); }
  [[nodiscard]] bool treepool() const { return treepool_ != nullptr; }
  // Whether the graph must not change: caches of the loop-aware search and of treepool depend on
  // it.
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
  // After a match, granted or not: updates the exploration order of `first`.
  void explored(const Selection& selection, bool committed) {
    if (treepool_ == nullptr) simple_.explored(selection, committed);
  }

 private:
  [[nodiscard]] WalkOutcome find(LearnedRequest& request, StateView view, std::int64_t start,
                                 std::int64_t end, SearchResult& result);

  const ResourceGraph& graph_;
  State& state_;
  const EngineOptions& options_;
  NearCores near_cores_;
  SimpleTraverser simple_;
  std::unique_ptr<LoopAwareTraverser> loop_aware_;  // of the loop-aware traverser
  std::unique_ptr<TreepoolTraverser> treepool_;     // of the treepool traverser
};

}  // namespace copse
