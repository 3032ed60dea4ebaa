// SPDX-License-Identifier: Apache-2.0
//
// EngineParts: the parts of an engine, and operations on several parts.
//
// Invariant: grants and state agree: the state is the result of applying every grant to an empty
// state. The same is true of layers and channels, and charges.
#pragma once

#include <memory>
#include <optional>

#include "copse/engine.hpp"
#include "engine/changes/growth.hpp"
#include "engine/effects.hpp"
#include "engine/grant_events.hpp"
#include "engine/pool_index.hpp"
#include "engine/prepared_cache.hpp"
#include "explain/why_not.hpp"
#include "hres/channels.hpp"
#include "hres/hres_table.hpp"
#include "start_search/start_search.hpp"
#include "state/grants.hpp"
#include "state/state.hpp"

namespace copse {

struct EngineParts {
  // Errors: limit (layouts).
  [[nodiscard]] static Result<std::unique_ptr<EngineParts>> make(
      ResourceGraph graph, EngineOptions options, PruneFilters filters,
      std::shared_ptr<const Layouts> layouts);
  EngineParts(const EngineParts& other);  // see Engine::clone
  EngineParts& operator=(const EngineParts&) = delete;
  ~EngineParts() = default;

  [[nodiscard]] Result<void> make_channels();  // errors: not_found (a subsystem)
  void adopt(std::unique_ptr<Channels> from);
  void adopt(std::unique_ptr<HresTable> from);
  void set_status(PoolId pool, Status status);
  [[nodiscard]] std::int64_t usable_nodes() const;

  // --- Requests
  [[nodiscard]] Result<CompiledRequest> compile_request(const Request& request) const;
  // Recompiles if the machine has changed. Errors: as compile_request.
  [[nodiscard]] Result<void> refresh(PreparedRequest& request) const;
  // A request's duration: the whole window for 0; nullopt if it is invalid or longer than the
  // window.
  [[nodiscard]] std::optional<std::int64_t> duration_of(const PreparedRequest& request) const;

  // --- Grants
  void grant_match(JobId job, const Match& match);
  // Applies a grant to the state, layers and channels (sign 1), or removes it (-1).
  void apply(std::uint32_t number, int sign);
  void note_user(JobId job, const std::string& user);  // after its grant
  void drop(std::uint32_t number);                     // REQUIRES that it is not applied
  // After grants were removed, or the clock moved: forgets changes that are no longer planned.
  void forget_changes() { growth.forget_changes(graph, state); }

  // Whether the graph must be rebuilt for every change: caches of walks, and paths through several
  // parents, depend on the graph as built.
  [[nodiscard]] bool fixed_graph() const {
    return search.walks().fixed_graph() || graph.has_further_edges();
  }
  [[nodiscard]] EngineView view() const {
    return {graph, state, options, grants, hres.get(), channels.get(), layouts.get()};
  }

  ResourceGraph graph;
  EngineOptions options;
  PruneFilters filters;
  State state;
  std::unique_ptr<HresTable> hres;     // none: no hierarchical resources
  std::unique_ptr<Channels> channels;  // none: no auxiliary subsystems
  StartSearch search;
  std::shared_ptr<const Layouts> layouts;
  static constexpr std::size_t kPreparedBytesMax = std::size_t{64} << 20;
  PreparedCache prepared;
  Match updated;  // result of the last update

  Grants grants;
  GrantEvents grant_events;
  std::unique_ptr<EffectNotifier> effects =
      std::make_unique<EffectNotifier>();  // survives a rebuild of the graph
  PoolIndex pool_index;
  GrowthLedger growth;
  std::uint64_t graph_version = 0;  // number of rebuilds of the graph
  JobUsers users;                   // of jobs; kept for a visiting policy only
  VisitSources visit_sources;

 private:
  EngineParts(ResourceGraph graph_in, EngineOptions options_in, PruneFilters filters_in)
      : graph(std::move(graph_in)),
        options(std::move(options_in)),
        filters(std::move(filters_in)),
        state(graph, options.now),
        search(graph, state, options, filters),
        prepared(options.prepared_max, kPreparedBytesMax) {
    watch_growth();
  }
  void watch_growth();
  [[nodiscard]] Result<void> resolve_hres(CompiledRequest& compiled, const Request& request) const;
};

// Sets a grant from a match; its job stays.
void set_match(Grant& grant, const Match& match);

}  // namespace copse
