// SPDX-License-Identifier: Apache-2.0
//
// What an engine is made of. Invariant: grants and state agree: the state is what applying every
// grant to an empty state gives.
#pragma once

#include <xxhash.h>

#include <list>
#include <unordered_map>
#include <unordered_set>

#include "copse/engine.hpp"
#include "engine/clock.hpp"
#include "engine/effects.hpp"
#include "engine/growth.hpp"
#include "engine/pool_index.hpp"
#include "explain/why_not.hpp"
#include "search/start_search.hpp"
#include "state/grants.hpp"
#include "state/state.hpp"
#include "supply/channels.hpp"
#include "supply/supply.hpp"

namespace copse {

// Prepared requests by the content of their text; the one used longest ago goes first.
class PreparedCache {
 public:
  explicit PreparedCache(std::size_t max) : max_(max) {}
  [[nodiscard]] PreparedRequest* find(std::string_view text);
  PreparedRequest* insert(std::string_view text, PreparedRequest request);

 private:
  struct Entry {
    std::string text;
    PreparedRequest request;
  };
  std::size_t max_;
  std::list<Entry> entries_;  // used last first
  struct TextHash {
    std::size_t operator()(std::string_view text) const {
      return XXH3_64bits(text.data(), text.size());
    }
  };
  std::unordered_map<std::string_view, std::list<Entry>::iterator, TextHash> index_;
};

struct Engine::Impl {
  Impl(ResourceGraph graph_in, EngineOptions options_in, PruneFilters filters_in)
      : graph(std::move(graph_in)),
        options(std::move(options_in)),
        filters(std::move(filters_in)),
        state(graph, options.now),
        search(graph, state, options, filters),
        prepared(options.prepared_max) {
    watch_growth();
  }
  Impl(const Impl& other);  // see Engine::clone

  using PoolMarks = std::unordered_set<std::uint32_t>;  // pool numbers

  // --- impl.cpp
  void watch_growth();
  [[nodiscard]] Result<void> make_channels();
  void adopt(std::unique_ptr<Channels> from);
  void adopt(std::unique_ptr<Supply> from);
  void set_status(PoolId pool, Status status);
  [[nodiscard]] Result<void> refresh(PreparedRequest& request) const;
  // A request's duration: the whole window for 0; nothing if it is none, or longer than the window.
  [[nodiscard]] std::optional<std::int64_t> duration_of(const PreparedRequest& request) const;
  [[nodiscard]] Result<void> resolve_hres(CompiledRequest& compiled, const Request& request) const;
  // Books what a match gave.
  void grant_match(JobId job, const Match& match);
  void set_match(Grant& grant, const Match& match);
  void apply(std::uint32_t number, int sign);
  // Adds why an auxiliary subsystem refused a request.
  void remark_refusal(const CompiledRequest& request, const Attempt& attempt,
                      std::vector<std::string>& remarks) const;
  [[nodiscard]] Machine machine() const {
    return {graph, state, options, grants, supply.get(), channels.get()};
  }

  // --- supply_changes.cpp
  Supply& own_supply();  // made if there is none
  void redraw(Grant& grant);
  void redraw_channels(Grant& grant);
  template <class Change>
  [[nodiscard]] Result<void> restructure(Change change, effect::Redrawn& redrawn);
  [[nodiscard]] bool draws_fit();

  // --- update.cpp
  [[nodiscard]] PoolId not_free(const Selection& selection, std::int64_t start, std::int64_t end);
  // Whether somebody may be given this who does not ask: its pools are free, what it draws is
  // there.
  [[nodiscard]] Result<void> may_have(const Grant& grant);
  [[nodiscard]] std::uint32_t take_from(std::uint32_t number, const PoolMarks& pools);

  // --- clock.cpp
  [[nodiscard]] bool stale(const Clock::Event& event) const;
  void note_times(std::uint32_t number);

  // --- grow.cpp
  // Whether a change of the graph is built in by building it again: caches of the search, and ways
  // through several parents, know the graph as it was built.
  [[nodiscard]] bool fixed_graph() const {
    return search.walks().fixed_graph() || graph.has_further_edges();
  }
  [[nodiscard]] Result<BuiltAgain> build_again(std::span<const NewSubtree> subtrees,
                                               const PoolMarks& without) const;
  [[nodiscard]] std::optional<Growth> growth_of(const NewSubtree& subtree) const;
  // After pools are marked for removal, and after grants were taken back: what no longer is or
  // no longer waits is forgotten.
  void forget_growth(const PoolMarks& gone);
  void forget_growth();
  [[nodiscard]] bool counts_growth(const CompiledRequest& request, std::int64_t start,
                                   std::int64_t end) const;
  [[nodiscard]] std::vector<std::uint32_t> holders(PoolId top, bool with_below) const;
  void mark_below(PoolId top, PoolMarks& marks) const;  // `top` as well
  void attach(const NewSubtree& subtree);               // REQUIRES that the graph may attach it
  void remove(PoolId top, std::vector<JobId>& jobs);    // REQUIRES that the graph may remove it
  void prime_filters(PoolId top);

  ResourceGraph graph;
  EngineOptions options;
  PruneFilters filters;
  State state;
  std::unique_ptr<Supply> supply;      // none: no hierarchical resources
  std::unique_ptr<Channels> channels;  // none: no auxiliary subsystems
  StartSearch search;
  std::shared_ptr<const Layouts> layouts;
  PreparedCache prepared;
  Match updated;  // the last update's

  Grants grants;
  Clock clock;
  std::unique_ptr<Effects> effects = std::make_unique<Effects>();  // stays when the graph goes
  PoolIndex pool_index;
  std::vector<Growth> growth;
  std::uint64_t graph_version = 0;  // counts how often the graph was built again
};

// An engine for the graph without some pools and with others attached, before it has any grant.
struct Engine::BuiltAgain {
  std::unique_ptr<Impl> impl;
  std::vector<PoolId> to;  // by pool number of the graph before
};

}  // namespace copse
