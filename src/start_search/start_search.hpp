// SPDX-License-Identifier: Apache-2.0
//
// StartSearch: finds where and when a request starts. It tries the present, and then the times at
// which something changes, and classifies failures. It grants nothing.
//
// Infeasible is proved: the request does not fit the empty machine. All other failures are
// insufficient.
//
// Cost: a walk for each time tried; satisfiable() one more; its result is kept in the LearnedRequest.
#pragma once

#include <cstdint>
#include <functional>

#include "start_search/charged_walk.hpp"
#include "start_search/search_result.hpp"
#include "start_search/start_times.hpp"
#include "start_search/walks.hpp"

namespace copse {

class StartSearch {
 public:
  StartSearch(const ResourceGraph& graph, State& state, const EngineOptions& options,
              const PruneFilters& filters);
  // The same for copies of graph, state, options and filters. It has no layers, channels or growth
  // yet.
  StartSearch(const ResourceGraph& graph, State& state, const EngineOptions& options,
              const PruneFilters& filters, const StartSearch& other);

  // Whether growth lets a request be tried over [start, end): EngineOptions::growth_waits.
  using Counts = std::function<bool(const CompiledRequest&, std::int64_t, std::int64_t)>;
  void set_growth(Counts counts) { counts_growth_ = std::move(counts); }
  // The usable nodes that the machine lost: EngineOptions::counts_nodes_first goes on counting them.
  void set_nodes_lost(std::function<std::int64_t()> nodes) { nodes_lost_ = std::move(nodes); }
  // What visiting policies may ask about; begin() sets its job.
  void set_visit_sources(VisitSources* sources) {
    visit_sources_ = sources;
    walks_.set_visit_sources(sources);
  }
  void set_hres(const HresTable* hres);
  void set_channels(Channels* channels);

  // Searches for a request. The result is valid until the next call.
  // REQUIRES a duration above 0 that ends by the horizon.
  const SearchResult& run(Operation operation, LearnedRequest& request, std::int64_t duration_s,
                          JobId job);

  // --- Parts of run(), for reservations that move and for explanations
  SearchResult& begin(JobId job);
  // Tries a start at a time after now, whether or not something changes then. Sets result().match.
  [[nodiscard]] bool find_at(LearnedRequest& request, std::int64_t duration_s, std::int64_t time_s);
  // Tries starts in [from, before): now, and when something changes. Sets result().match.
  [[nodiscard]] bool find_between(LearnedRequest& request, std::int64_t duration_s,
                                  std::int64_t from, std::int64_t before);
  // Whether the request fits the empty machine, or this is unknown.
  [[nodiscard]] bool satisfiable(LearnedRequest& request, std::int64_t duration_s);
  // Whether its totals fit below the root, on the empty machine or now.
  [[nodiscard]] bool total_fits(const CompiledRequest& request, bool empty) const;
  [[nodiscard]] WalkOutcome select(LearnedRequest& request, const Window& window);
  // Allows the loop-aware search the visits of one window, whatever was used before.
  void allow_one_search();
  [[nodiscard]] const SearchResult& result() const { return result_; }
  [[nodiscard]] Walks& walks() { return walks_; }
  [[nodiscard]] const Walks& walks() const { return walks_; }
  [[nodiscard]] ChargedWalk& charged_walk() { return charged_walk_; }
  [[nodiscard]] StartTimes& times() { return times_; }

  // Whether a job fits between the times of the machine (EngineOptions::valid_from), from now on.
  [[nodiscard]] bool may_be_valid(std::int64_t duration_s) const;
  // The sentence that says which of them excludes a start now; nullopt: none.
  [[nodiscard]] std::optional<std::string> why_not_valid(std::int64_t duration_s) const;

 private:
  using Outcome = SearchResult::Outcome;

  [[nodiscard]] Outcome outcome_of(Operation operation, LearnedRequest& request,
                                   std::int64_t duration_s);
  [[nodiscard]] Outcome unexplained_outcome_of(Operation operation, LearnedRequest& request,
                                               std::int64_t duration_s);
  [[nodiscard]] std::int64_t end_of(std::int64_t start, std::int64_t duration_s) const;
  [[nodiscard]] bool is_valid(std::int64_t start, std::int64_t end) const;
  [[nodiscard]] Outcome failure(LearnedRequest& request, std::int64_t duration_s);
  [[nodiscard]] bool enough_nodes(Operation operation, const CompiledRequest& request,
                                  std::int64_t duration_s) const;
  [[nodiscard]] bool try_at(LearnedRequest& request, StateView view, std::int64_t start,
                            std::int64_t duration_s);
  void bound_times(const CompiledRequest& request, std::int64_t duration_s);
  [[nodiscard]] bool find_later(LearnedRequest& request, std::int64_t duration_s, std::int64_t from,
                                std::int64_t before);
  void remark_ended();

  const ResourceGraph& graph_;
  const State& state_;
  const EngineOptions& options_;
  const PruneFilters& filters_;
  const TypeId node_;
  Walks walks_;
  ChargedWalk charged_walk_;
  StartTimes times_;
  Counts counts_growth_;
  std::function<std::int64_t()> nodes_lost_;
  VisitSources* visit_sources_ = nullptr;
  SearchResult result_;
};

}  // namespace copse
