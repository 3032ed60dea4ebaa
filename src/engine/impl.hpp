// SPDX-License-Identifier: Apache-2.0
//
// What an engine is made of. Invariants: grants_ and state_ agree: the state is what applying every
// grant to an empty state gives; by_job_ has every grant once.
#pragma once

#include <xxhash.h>

#include <list>
#include <unordered_map>

#include "copse/engine.hpp"
#include "match/loop_aware.hpp"
#include "match/matcher.hpp"
#include "state/state.hpp"

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
        node(graph.find_type("node")),
        state(graph, options.now),
        matcher(graph, state, options.policy, filters),
        prepared(options.prepared_max) {
    if (options.traverser == Traverser::loop_aware) {
      search = std::make_unique<LoopAware>(graph, state, options.policy);
    }
  }

  enum class Outcome : std::uint8_t { found, insufficient, infeasible };

  // --- match.cpp
  [[nodiscard]] Result<void> refresh(PreparedRequest& request) const;
  [[nodiscard]] Outcome run(Operation operation, const CompiledRequest& request);
  [[nodiscard]] const std::string& refusal(const CompiledRequest& request) const;
  [[nodiscard]] bool select(const CompiledRequest& request, View view, std::int64_t start,
                            std::int64_t end);
  void remark_once(std::string remark);
  void remark_ended();
  [[nodiscard]] bool try_at(const CompiledRequest& request, View view, std::int64_t start,
                            std::int64_t duration_s);
  [[nodiscard]] Outcome reserve(const CompiledRequest& request, std::int64_t duration_s);
  [[nodiscard]] bool satisfiable(const CompiledRequest& request, std::int64_t duration_s);
  [[nodiscard]] bool enough_nodes(Operation operation, const CompiledRequest& request,
                                  std::int64_t duration_s) const;
  [[nodiscard]] bool total_fits(const CompiledRequest& request, bool empty) const;

  ResourceGraph graph;
  EngineOptions options;
  PruneFilters filters;
  TypeId node;
  State state;
  Matcher matcher;
  std::unique_ptr<LoopAware> search;  // of the loop-aware traverser
  PreparedCache prepared;
  Match match;
  std::vector<std::string> remarks;
  std::uint64_t search_left = 0;  // looks that searches of the match under way may still take
  bool search_ended = false;      // the last select's search ended without an answer
  std::uint64_t visits = 0;

  std::vector<Grant> grants;  // by number; job 0 and empty if free
  std::vector<std::uint32_t> free_grants;
  std::unordered_map<JobId, std::uint32_t> by_job;
};

}  // namespace copse
