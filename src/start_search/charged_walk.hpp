// SPDX-License-Identifier: Apache-2.0
//
// ChargedWalk: pools together with the amounts that they draw, from layers of hierarchical
// resources and from capacities of auxiliary subsystems.
//
// Alternatives of hierarchical resources come before nodes. A walk that takes amounts as it chooses
// pools needs no second pass: each tree of layers, and each chain of capacities, is a laminar
// matroid, in which every maximal choice is maximum. Other walks only ask. They are then charged,
// and walk again without the pools in excess.
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

// One window to be asked for, and which supplies count.
struct Window {
  StateView view = StateView::now;
  std::int64_t start = 0, end = 0;
  bool layers = true, channels = true;
};

class ChargedWalk {
 public:
  ChargedWalk(const ResourceGraph& graph, const State& state, const EngineOptions& options,
              Walks& walks);

  // What walks draw from; each outlives this or is replaced. nullptr: there is none.
  void set_hres(const HresTable* hres);
  void set_channels(Channels* channels);

  // Selection, draw and slots go to attempt.match, which is empty unless the answer is yes.
  [[nodiscard]] WalkOutcome select(const CompiledRequest& request, const Window& window,
                                   SearchResult& result);

  // What a selection draws from layers, after it or they have changed. REQUIRES layers.
  void recompute_charges(const Selection& selection, GrantCharges& charges);
  // What a selection of another's making draws in a window for the needs of `draw`. Its charges
  // name layers that pay in mode 1; payers that it does not name are chosen. REQUIRES layers.
  void settle(const Selection& selection, const Window& window, JobId job, GrantCharges& charges);
  // Whether the ledger of what was taken is in order. O(layers + capacities).
  [[nodiscard]] bool check() const { return availability_.check(); }

  // The nodes that a selection takes something of, each once, in preorder.
  [[nodiscard]] const std::vector<PoolId>& nodes_of(const Selection& selection);
  // The least number of nodes that the request takes.
  [[nodiscard]] std::int64_t nodes_at_least(const CompiledRequest& request) const;

 private:
  // One alternative; no needs: no hierarchical resources are asked for.
  struct Query {
    const CompiledRequest& request;
    std::span<const HresNeed> needs;
    Window window;
    JobId job;
    bool charges;            // along channels
    std::int64_t nodes = 0;  // at least
    bool exact = false;      // a walk that takes as it goes and fails proves that there is nothing
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
  std::optional<LayerCharger> charger_;  // with supply_
  std::vector<PoolId> nodes_;            // scratch
};

}  // namespace copse
