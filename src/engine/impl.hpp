// SPDX-License-Identifier: Apache-2.0
//
// What an engine is made of. Invariants: grants_ and state_ agree: the state is what applying every
// grant to an empty state gives; by_job_ has every grant once.
#pragma once

#include <xxhash.h>

#include <deque>
#include <list>
#include <unordered_map>
#include <unordered_set>

#include "copse/engine.hpp"
#include "engine/clock.hpp"
#include "match/loop_aware/loop_aware_traverser.hpp"
#include "match/shared/openings.hpp"
#include "match/simple/matcher.hpp"
#include "match/treepool/treepool_traverser.hpp"
#include "state/state.hpp"
#include "supply/channel_offer.hpp"
#include "supply/channels.hpp"
#include "supply/offer.hpp"
#include "supply/supply.hpp"
#include "supply/supply_times.hpp"

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
        matcher(graph, state, options.policy, filters, options.exhaustive),
        openings(graph, state),
        prepared(options.prepared_max) {
    if (options.traverser == Traverser::loop_aware) {
      search = std::make_unique<LoopAwareTraverser>(graph, state, options.policy);
    }
  }

  using PoolMarks = std::unordered_set<std::uint32_t>;  // pool numbers
  // With EngineOptions::growth_waits: pools that came, their units, and the changes that were
  // planned when they did and still are. From the first of these to the last the pools do not
  // count.
  struct Growth {
    std::vector<PoolId> pools;
    std::vector<TypeTotal> units;
    std::deque<std::int64_t> changes;
  };
  enum class Outcome : std::uint8_t { found, insufficient, infeasible };

  // --- engine.cpp
  [[nodiscard]] Result<void> make_treepool();  // once, before anything is applied
  void set_status(PoolId pool, Status status);

  // --- match.cpp
  void begin_match(JobId job);
  [[nodiscard]] Result<void> refresh(PreparedRequest& request) const;
  // A request's duration: the whole window for 0; nothing if it is none, or longer than the window.
  [[nodiscard]] std::optional<std::int64_t> duration_of(const PreparedRequest& request) const;
  [[nodiscard]] Outcome run(Operation operation, const CompiledRequest& request,
                            std::int64_t duration_s);
  // Whether the one-pass walk can serve the request: not siblings that clash, if they are searched.
  [[nodiscard]] std::int64_t nodes_at_least(const CompiledRequest& request) const;
  [[nodiscard]] bool one_pass(const CompiledRequest& request) const {
    return search == nullptr || request.clash.empty();
  }
  [[nodiscard]] bool walk(const CompiledRequest& request, View view, std::int64_t start,
                          std::int64_t end);
  void remark_once(std::string remark);
  void remark_ended();
  [[nodiscard]] bool try_at(const CompiledRequest& request, View view, std::int64_t start,
                            std::int64_t duration_s);
  [[nodiscard]] std::optional<std::int64_t> next_time(const CompiledRequest& request,
                                                      std::int64_t duration_s, std::int64_t t);
  void begin_bounding(const CompiledRequest& request, std::int64_t duration_s);
  [[nodiscard]] Outcome reserve(const CompiledRequest& request, std::int64_t duration_s);
  [[nodiscard]] bool find_later(const CompiledRequest& request, std::int64_t duration_s,
                                std::int64_t from, std::int64_t before);
  const std::vector<std::int64_t>& allowed_at_root(const CompiledRequest& request);
  [[nodiscard]] bool find_between(const CompiledRequest& request, std::int64_t duration_s,
                                  std::int64_t from, std::int64_t before);
  [[nodiscard]] bool may_fit_between(const CompiledRequest& request, std::int64_t duration_s,
                                     std::int64_t from, std::int64_t before, std::int64_t until);
  [[nodiscard]] bool satisfiable(const CompiledRequest& request, std::int64_t duration_s);
  [[nodiscard]] bool enough_nodes(Operation operation, const CompiledRequest& request,
                                  std::int64_t duration_s) const;
  [[nodiscard]] bool total_fits(const CompiledRequest& request, bool empty) const;

  // --- supplied.cpp: pools and hierarchical resources together
  [[nodiscard]] Result<void> resolve_hres(CompiledRequest& compiled, const Request& request) const;
  [[nodiscard]] bool select(const CompiledRequest& request, View view, std::int64_t start,
                            std::int64_t end);
  [[nodiscard]] bool select_supplied(const CompiledRequest& request,
                                     std::span<const HresNeed> needs, View view, std::int64_t start,
                                     std::int64_t end);
  [[nodiscard]] bool select_in_block(const CompiledRequest& request,
                                     std::span<const HresNeed> needs, View view, std::int64_t start,
                                     std::int64_t end, std::int64_t nodes_wanted);
  [[nodiscard]] bool keep_only_in_two_trees(const CompiledRequest& request, View view,
                                            std::int64_t start, std::int64_t end,
                                            std::int64_t wanted);
  [[nodiscard]] bool takes_as_found(const CompiledRequest& request) const;
  void set_offer(Offer* to, bool taking);
  void nodes_of(const Selection& selection, std::vector<PoolId>& out) const;
  [[nodiscard]] std::optional<std::int64_t> next_supplied(const CompiledRequest& request,
                                                          std::int64_t duration_s, std::int64_t t);
  void adopt(std::unique_ptr<Supply> from);
  Supply& own_supply();  // made if there is none
  void redraw(Grant& grant);
  template <class Change>
  [[nodiscard]] Result<void> restructure(Change change);
  [[nodiscard]] bool draws_fit();

  // --- drawn.cpp: pools and what they draw along auxiliary subsystems
  [[nodiscard]] Result<void> make_channels();
  [[nodiscard]] bool select_pools(const CompiledRequest& request, View view, std::int64_t start,
                                  std::int64_t end);
  [[nodiscard]] bool select_drawn(const CompiledRequest& request, View view, std::int64_t start,
                                  std::int64_t end);
  void set_channels(ChannelOffer* to, bool taking);
  [[nodiscard]] bool charge_drawn(const DrawnPools& pools);
  [[nodiscard]] bool draws_as_found(const CompiledRequest& request) const;
  [[nodiscard]] bool too_few_draw(const CompiledRequest& request);
  [[nodiscard]] bool refuse_more(const DrawnPools& pools);
  [[nodiscard]] std::optional<std::int64_t> next_drawn(const CompiledRequest& request,
                                                       std::int64_t duration_s, std::int64_t t);
  void redraw_channels(Grant& grant);
  [[nodiscard]] std::string refusal_text(const ChannelOffer::Refusal& why, bool empty) const;
  void remark_refusal(const CompiledRequest& request, bool infeasible);
  [[nodiscard]] std::optional<Finding> drawn_too_much(const PreparedRequest& request,
                                                      const Explanation& so_far);
  [[nodiscard]] Finding refusal_finding(const CompiledRequest& request, const Explanation& so_far,
                                        const ChannelOffer::Refusal& why) const;

  // --- short_layers.cpp: why hierarchical resources are the reason that a request gets nothing.
  // `pools_do`: the request would get pools if it asked for nothing else.
  struct ShortLayers {
    std::vector<Finding> findings;
    bool pools_do = false;
  };
  [[nodiscard]] ShortLayers short_layers(const CompiledRequest& request, View view,
                                         std::int64_t start, std::int64_t end);
  [[nodiscard]] std::optional<Finding> short_alone(const HresNeed& need, std::int64_t nodes,
                                                   View view, std::int64_t start,
                                                   std::int64_t end) const;
  [[nodiscard]] std::optional<Finding> short_there(std::span<const HresNeed> needs, View view,
                                                   std::int64_t start, std::int64_t end);
  [[nodiscard]] Finding about_layer(const HresNeed& need, std::uint32_t layer, View view,
                                    std::int64_t start, std::int64_t end) const;

  // --- update.cpp
  Grant& new_grant(JobId job, std::int64_t start, std::int64_t end);
  void drop_grant(std::uint32_t number);  // REQUIRES that it is not applied
  void apply(std::uint32_t number, int sign);
  [[nodiscard]] PoolId not_free(const Selection& selection, std::int64_t start, std::int64_t end);
  [[nodiscard]] std::uint32_t take_from(std::uint32_t number, const PoolMarks& pools);

  // --- clock.cpp
  [[nodiscard]] bool stale(const Clock::Event& event) const;
  void note_times(std::uint32_t number);

  // --- grow.cpp
  // Whether a change of the graph is built in by building it again: caches of the search, and ways
  // through several parents, know the graph as it was built.
  [[nodiscard]] bool fixed_graph() const {
    return search != nullptr || treepool != nullptr || graph.has_further_edges();
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
  TypeId node;
  State state;
  Matcher matcher;
  Openings openings;
  std::unique_ptr<LoopAwareTraverser> search;  // of the loop-aware traverser
  std::unique_ptr<Supply> supply;              // none: no hierarchical resources
  std::unique_ptr<Offer> offer;                // with supply
  std::unique_ptr<SupplyTimes> supply_times;
  JobId asking = 0;                    // whose match is under way
  bool supply_unsure = false;          // the last select found nothing, which proves nothing
  std::vector<PoolId> with_nodes;      // scratch: nodes of a selection
  std::unique_ptr<Channels> channels;  // none: no auxiliary subsystems
  std::unique_ptr<ChannelOffer> channel_offer;  // with channels
  bool drawing_off = false;  // what is drawn does not count, to see whether that is the reason
  // Why the last select was refused something that it would draw: now or later, and ever.
  ChannelOffer::Refusal refused_now, refused_ever;
  Layouts layouts;
  std::unique_ptr<TreepoolTraverser> treepool;  // of the treepool traverser
  PreparedCache prepared;
  Match match;
  std::vector<std::string> remarks;
  bool takes_nothing = false;     // the request of the last match
  std::uint64_t search_left = 0;  // looks that searches of the match under way may still take
  bool search_ended = false;      // the last select's search ended without an answer
  bool order_unsure = false;      // what found nothing might, visiting pools in another order
  bool search_found = false;      // the last select's answer is the search's
  std::uint64_t visits = 0;
  bool bounding = false;              // openings bound the times of the match under way
  std::uint32_t in_vain = 0;          // more than 0: times were tried in vain of late
  std::vector<std::int64_t> allowed;  // scratch of next_time

  std::vector<Grant> grants;  // by number; job 0 and empty if free
  std::vector<std::uint32_t> free_grants;
  std::unordered_map<JobId, std::uint32_t> by_job;
  Clock clock;
  std::vector<Growth> growth;
  std::uint64_t graph_version = 0;  // counts how often the graph was built again
};

// An engine for the graph without some pools and with others attached, before it has any grant.
struct Engine::BuiltAgain {
  std::unique_ptr<Impl> impl;
  std::vector<PoolId> to;  // by pool number of the graph before
};

}  // namespace copse
