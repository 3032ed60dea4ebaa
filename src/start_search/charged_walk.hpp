// SPDX-License-Identifier: Apache-2.0
//
// ChargedWalk: a walk together with its charges to layers of hierarchical resources and to
// capacities of auxiliary subsystems.
//
// Alternatives of hierarchical resources are the outer loop. A walk that takes amounts as it
// chooses pools needs no second pass: each tree of layers, and each chain of capacities, is a
// laminar matroid, in which every maximal choice is maximum. Other walks only check eligibility.
// Their result is then charged, and they are repeated without the excess pools.
//
// Cost: a walk, and its charge; at most kPassesMax walks for each alternative.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hres/availability/availability.hpp"
#include "hres/availability/layer_charger.hpp"
#include "hres/channels.hpp"
#include "hres/hres_table.hpp"
#include "start_search/walks.hpp"

namespace copse {

// The window of a query, and whether layers and channels count.
struct Window {
  StateView view = StateView::now;
  std::int64_t start = 0, end = 0;
  bool layers = true, channels = true;
};

class ChargedWalk {
 public:
  ChargedWalk(const ResourceGraph& graph, const State& state, const EngineOptions& options,
              Walks& walks);

  // Set hierarchical resources and channels. Each must outlive this or be replaced; nullptr: none.
  void set_hres(const HresTable* hres);
  void set_channels(Channels* channels);

  // Sets selection, charges and slots of result.match, which is empty unless the outcome is yes.
  [[nodiscard]] WalkOutcome select(LearnedRequest& request, const Window& window,
                                   SearchResult& result);

  // Recomputes the charges of a selection to layers, after it or they have changed. REQUIRES
  // layers.
  void recompute_charges(const Selection& selection, GrantCharges& charges);
  // Computes the charges of a selection that the caller chose, for the needs in `charges` over a
  // window. Its layer charges name the layers to be charged in mode 1; missing ones are chosen.
  // REQUIRES layers.
  void settle(const Selection& selection, const Window& window, JobId job, GrantCharges& charges);
  // Whether the ledger is consistent. O(layers + capacities).
  [[nodiscard]] bool check() const { return availability_.check(); }

  // The nodes that a selection uses, each once, in preorder.
  [[nodiscard]] const std::vector<PoolId>& nodes_of(const Selection& selection);
  // The least number of nodes that the request takes.
  [[nodiscard]] std::int64_t nodes_at_least(const CompiledRequest& request) const;

 private:
  // A query for one alternative; no needs: without hierarchical resources.
  struct Query {
    LearnedRequest& request;
    std::span<const HresNeed> needs;
    Window window;
    JobId job;
    bool charges;            // whether there are charges to channels
    std::int64_t nodes = 0;  // the least number of nodes
    bool exact = false;      // a failure of a walk that takes amounts as it goes is a proof
  };

  [[nodiscard]] WalkOutcome select_alternative(Query& query, SearchResult& result);
  [[nodiscard]] bool cannot_serve(const Query& query);
  [[nodiscard]] WalkOutcome walk(const Query& query, bool taking, SearchResult& result);
  [[nodiscard]] bool charge(const Query& query, SearchResult& result);
  [[nodiscard]] bool refuse_excess(const Query& query, const SearchResult& result);

  // Layers
  [[nodiscard]] bool select_in_block(const Query& query, SearchResult& result);
  [[nodiscard]] bool keep_only_in_two_trees(const Query& query);
  [[nodiscard]] bool takes_nodes_as_found(const CompiledRequest& request) const;

  // Channels
  [[nodiscard]] bool charge_channels(const ChargedPools& pools, GrantCharges& charges);
  [[nodiscard]] bool refuse_excess_of_channels(const ChargedPools& pools);
  [[nodiscard]] bool charges_as_found(const CompiledRequest& request) const;
  [[nodiscard]] bool too_few_capacities(const CompiledRequest& request);

  const ResourceGraph& graph_;
  const State& state_;
  const EngineOptions& options_;
  Walks& walks_;
  const TypeId node_;
  const HresTable* hres_ = nullptr;
  Availability availability_;
  std::optional<LayerCharger> charger_;  // set together with hres_
  std::vector<PoolId> nodes_;            // scratch
};

}  // namespace copse
