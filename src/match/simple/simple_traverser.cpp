// SPDX-License-Identifier: Apache-2.0
#include "match/simple/simple_traverser.hpp"

#include <algorithm>
#include <utility>

namespace copse {

// The parts refer to each other from construction on, but do not use each other before all are
// constructed.
SimpleTraverser::SimpleTraverser(const ResourceGraph& graph, State& state, const Policy& policy,
                                 const PruneFilters& filters, bool flexible_only)
    : walk_(graph, state, policy, filters),
      visitor_(walk_, children_, slots_),
      children_(walk_, visitor_),
      slots_(walk_, children_, passing_),
      passing_(walk_, visitor_, slots_),
      top_(walk_, visitor_, children_, slots_, passing_),
      flexible_(walk_.eligibility, state, walk_.policy, walk_.exploration),
      shapes_(graph),
      racks_(walk_.policy.few_nodes, walk_.policy.keep_large),
      flexible_only_(flexible_only),
      properties_version_(graph.properties_version()) {}

SimpleTraverser::SimpleTraverser(const ResourceGraph& graph, State& state,
                                 const PruneFilters& filters, const SimpleTraverser& other)
    : walk_(graph, state, filters, other.walk_),
      visitor_(walk_, children_, slots_),
      children_(walk_, visitor_),
      slots_(walk_, children_, passing_),
      passing_(walk_, visitor_, slots_),
      top_(walk_, visitor_, children_, slots_, passing_),
      flexible_(walk_.eligibility, state, walk_.policy, walk_.exploration),
      shapes_(graph, other.shapes_),
      racks_(walk_.policy.few_nodes, walk_.policy.keep_large),
      flexible_only_(other.flexible_only_),
      properties_version_(other.properties_version_) {}

// Scores may depend on properties: orders by scores are rebuilt when properties change.
void SimpleTraverser::forget_orders() {
  if (walk_.policy.scores_by_id() || properties_version_ == walk_.graph.properties_version()) {
    return;
  }
  properties_version_ = walk_.graph.properties_version();
  walk_.scores.update();
  children_.forget_lists();
  top_.forget_orders();
  walk_.exploration.forget_lists();
  walk_.state.lists().clear();
}

WalkResult SimpleTraverser::select(LearnedRequest& request, StateView view, std::int64_t start,
                                   std::int64_t end, Selection& out) {
  out.clear();
  forget_orders();
  walk_.result = {};
  walk_.eligibility.set_query(request, view, start, end);
  if (request.variants.empty()) {
    select_one(request, request.places_of(0), out);
  } else {
    for (std::size_t n = 0; n < request.variants.size() && !walk_.result.found; ++n) {
      const CompiledRequest& variant = request.variants[n];
      if (!variant.impossible.empty() || !shapes_.some_has(variant)) continue;
      select_one(variant, request.places_of(n), out);
    }
  }
  walk_.eligibility.places = nullptr;
  return std::move(walk_.result);
}

void SimpleTraverser::select_one(const CompiledRequest& request, LearnedPlaces& places,
                                 Selection& out) {
  walk_.eligibility.request = &request;
  walk_.eligibility.places = &places;
  const bool few = walk_.policy.few_nodes || walk_.policy.few_racks;
  if (few && walk_.eligibility.view != StateView::empty) select_on_few_nodes(out);
  if (!walk_.result.found) walk_everywhere(out);
}

void SimpleTraverser::select_on_few_nodes(Selection& out) {
  using Amounts = NodeRooms::Amounts;
  const Eligibility& eligibility = walk_.eligibility;
  const WatchedLists& lists = walk_.state.lists();
  if (walk_.policy.most_free_first) {
    select_on(nodes_.choose(eligibility, lists), out);
    return;
  }
  const ChosenNodes* const chosen = racks_.choose(eligibility, lists, Amounts::counted);
  if (select_on(chosen, out) || chosen == nullptr || !RackChoice::may_see_more(eligibility)) return;
  select_on(racks_.choose(eligibility, lists, Amounts::seen), out);
}

// Bounds may declare a pool open although it is not among the chosen nodes: the walk does not use
// them.
bool SimpleTraverser::select_on(const ChosenNodes* chosen, Selection& out) {
  if (chosen == nullptr) return false;
  const std::size_t taken =
      walk_.eligibility.availability == nullptr ? 0 : walk_.eligibility.availability->mark();
  const StartBounds* const bounds = std::exchange(walk_.eligibility.bounds, nullptr);
  walk_.eligibility.nodes = chosen;
  walk_everywhere(out);
  walk_.eligibility.nodes = nullptr;
  walk_.eligibility.bounds = bounds;
  if (!walk_.result.found && walk_.eligibility.availability != nullptr)
    walk_.eligibility.availability->undo_to(taken);
  return walk_.result.found;
}

void SimpleTraverser::walk_everywhere(Selection& out) {
  const CompiledRequest& request = *walk_.eligibility.request;
  WalkResult& result = walk_.result;
  if (flexible_only_ || request.alternatives || walk_.graph.has_further_edges()) {
    flexible_.select(out, result);
    return;
  }
  walk_.begin();
  visitor_.clear();
  children_.clear();
  slots_.clear();
  std::size_t first = 0;
  if (!walk_.eligibility.open(walk_.graph.root()) || !top_.choose(first)) return;
  builder_.clear();
  result.slots = walk_.arena.collect(first, walk_.arena.chosen.size() - first, walk_.eligibility,
                                     builder_, result.charged);
  builder_.finish(walk_.eligibility, out);
  result.found = true;
}

bool SimpleTraverser::may_select(const CompiledRequest& request) {
  if (!walk_.graph.has_further_edges()) return false;
  auto may = [&](const CompiledRequest& one) {
    walk_.eligibility.request = &one;
    return flexible_.may_select();
  };
  if (request.variants.empty()) return may(request);
  return std::any_of(
      request.variants.begin(), request.variants.end(),
      [&](const CompiledRequest& variant) { return variant.impossible.empty() && may(variant); });
}

void SimpleTraverser::candidates(const CompiledRequest& request, std::uint32_t level, bool inside,
                                 StateView view, std::int64_t start, std::int64_t end,
                                 std::vector<PoolId>& out) {
  walk_.eligibility.set_query(request, view, start, end);
  walk_.eligibility.bounds = nullptr;
  out.clear();
  for (PoolId p : walk_.graph.of_type(request.levels[level].type)) {
    const SimpleWalk::Marks m = walk_.marks();
    const Score term = walk_.eligibility.enclosing_term(p);
    ChoiceItem item;
    if (!walk_.graph.in_tree(p) || walk_.scores.own(p) + term <= 0) continue;
    if (!walk_.eligibility.path_open(p, walk_.graph.root()) ||
        !visitor_.visit(p, level, inside, term, item)) {
      continue;
    }
    walk_.rewind(m);
    out.push_back(p);
  }
  sort_by_preference(out);
}

void SimpleTraverser::attached(const GraphChange& change) {
  walk_.scores.attached(change.parent);
  walk_.exploration.attached(change.top);
  shapes_.attached(change);
  children_.attached(change);
  top_.attached(change.top);
}

}  // namespace copse
