// SPDX-License-Identifier: Apache-2.0
//
// Exploration: the order in which `first` visits children (specification: Fluxion's out-edges by
// weight).
//
// Children are explored by (weight descending, uniq_id descending). All weights start at the
// largest number. After each match, every interior pool of the selection gets a new weight: the
// units that it has free now of the last type of its prune filter. A pool that has no units of this
// type keeps its weight until a job is recorded in its filter: one with a pool of a tracked type
// below it. So used parts come after unused
// ones and, among these, those with most free come first. Cancelling does not restore weights:
// recorded sessions of the reference pin that.
//
// Size: 8 bytes and a bit per interior pool; parents of more than kFew interior children that were
// explored have a candidate list as well.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "state/state.hpp"

namespace copse {

// The types that prune filters track, by pool type.
class PruneFilters {
 public:
  // "HL:LL[,HL:LL…]", blanks removed; HL may be ALL. Words become known types of `names`. Types of
  // pools without children are tracked at type cluster if no filter names them; so are, when a
  // machine changes, the leaf types of `before`: tracked types never depend on how often a graph
  // was rebuilt. Errors: invalid, naming the bad pair; limit (more than 1,000 pairs).
  [[nodiscard]] static Result<PruneFilters> parse(std::string_view text, ResourceGraph& graph,
                                                  const PruneFilters* before = nullptr);

  // By type: whether leaf pools of it were known. Filters that have only this are sufficient as
  // `before` of parse().
  [[nodiscard]] const std::vector<bool>& leaf_types() const { return leaves_; }
  [[nodiscard]] static PruneFilters of_leaf_types(std::vector<bool> leaves) {
    PruneFilters out;
    out.leaves_ = std::move(leaves);
    return out;
  }

  // Types that a pool of this type tracks, in Fluxion's order: its own by type order, then ALL's.
  [[nodiscard]] const std::vector<TypeId>& of(TypeId pool_type) const {
    return by_type_[pool_type.v];
  }
  // Whether a pool of this type (and a leaf, if `leaf`) existed when the filters were parsed. If
  // not, they must be parsed again.
  [[nodiscard]] bool knows(TypeId type, bool leaf) const {
    return type.v < by_type_.size() && (!leaf || leaves_[type.v]);
  }
  // Whether any filter tracks the type.
  [[nodiscard]] bool tracked(TypeId type) const {
    return type.v < tracked_.size() && tracked_[type.v];
  }

 private:
  std::vector<std::vector<TypeId>> by_type_;
  std::vector<bool> tracked_, leaves_;
};

class Exploration {
 public:
  static constexpr std::uint64_t kUntouched = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint32_t kFew = 64;

  Exploration(const ResourceGraph& graph, State& state, const PruneFilters& filters);
  // The same order for copies of graph, state and filters: weights are shared, lists are rebuilt.
  Exploration(const ResourceGraph& graph, State& state, const PruneFilters& filters,
              const Exploration& other)
      : graph_(graph),
        state_(state),
        filters_(filters),
        weights_(other.weights_),
        recorded_(other.recorded_) {}

  [[nodiscard]] std::uint64_t weight(PoolId p) const {
    return graph_.leaf(p) ? kUntouched : weight_at(graph_.interior(p));
  }
  // Puts pools in the order in which they are explored.
  template <class Iterator>
  void sort(Iterator first, Iterator last) const {
    std::sort(first, last, [&](PoolId a, PoolId b) {
      const std::uint64_t wa = weight(a), wb = weight(b);
      return wa != wb ? wa > wb : graph_.uniq_id(a) > graph_.uniq_id(b);
    });
  }
  // After a match: `recorded`: it was granted (else it was a match without allocation).
  void update(const Selection& selection, bool recorded);

  // After a subtree was attached: its pools are unused.
  void attached(PoolId top);
  // After one was removed below `parent`: a pool without children gets its initial weight.
  void removed(PoolId parent);

  // The interior children of p in order of exploration; made on first use.
  // REQUIRES more than kFew interior children.
  WatchedList& list(PoolId p);
  void forget_lists() { lists_.clear(); }  // after WatchedLists::clear

  // Weights by interior number, to be kept when a graph is rebuilt.
  struct Weight {
    std::uint64_t weight;
    bool recorded;
  };
  [[nodiscard]] Weight weight_of(std::uint32_t i) const { return {weight_at(i), recorded_[i]}; }
  void set_weight(std::uint32_t i, Weight w) {  // REQUIRES that no list was built yet
    set_weight_of(i, w.weight);
    recorded_[i] = w.recorded;
  }

 private:
  [[nodiscard]] std::uint64_t weight_at(std::uint32_t i) const { return ~weights_[i]; }
  void set_weight_of(std::uint32_t i, std::uint64_t weight) { weights_.own(i) = ~weight; }
  void touch(std::uint32_t interior);
  [[nodiscard]] bool tracks_below(std::uint32_t interior) const;
  void reweigh(std::uint32_t interior, std::uint64_t weight);

  const ResourceGraph& graph_;
  State& state_;
  const PruneFilters& filters_;
  SharedChunks<std::uint64_t, 512> weights_;  // their complements: untouched ones are 0
  std::vector<bool> recorded_;
  std::unordered_map<std::uint32_t, WatchedList*> lists_;  // by parent
};

}  // namespace copse
