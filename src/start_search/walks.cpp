// SPDX-License-Identifier: Apache-2.0
#include "start_search/walks.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace copse {

bool moldable(const CompiledRequest& request) {
  return (request.treepool != nullptr && request.treepool->moldable()) ||
         std::any_of(request.levels.begin(), request.levels.end(),
                     [](const Level& l) { return l.count.moldable(); }) ||
         std::any_of(request.variants.begin(), request.variants.end(), moldable);
}

bool compares_all(const EngineOptions& options) {
  const Policy& policy = options.policy;
  return options.exhaustive || policy.by_runs || policy.slots_reversed || policy.visit != nullptr;
}

namespace {

bool searches(const EngineOptions& options) {
  return Walks::traverser_of(options) == Traverser::loop_aware;
}

bool visits_all(const EngineOptions& options) {
  return options.exhaustive || options.policy.visit != nullptr;
}

}  // namespace

Walks::Walks(const ResourceGraph& graph, State& state, const EngineOptions& options,
             const PruneFilters& filters)
    : graph_(graph),
      state_(state),
      options_(options),
      near_cores_(graph),
      simple_(graph, state, options.policy, filters, visits_all(options)) {
  if (searches(options)) {
    loop_aware_ = std::make_unique<LoopAwareTraverser>(graph, state, options.policy);
  }
}

Walks::Walks(const ResourceGraph& graph, State& state, const EngineOptions& options,
             const PruneFilters& filters, const Walks& other)
    : graph_(graph),
      state_(state),
      options_(options),
      near_cores_(graph),
      simple_(graph, state, filters, other.simple_) {
  if (other.loop_aware_ != nullptr) {
    loop_aware_ = std::make_unique<LoopAwareTraverser>(graph, state, options.policy);
  }
  if (other.treepool_ != nullptr) {
    treepool_ = std::make_unique<TreepoolTraverser>(graph, state, *other.treepool_);
  }
}

Result<void> Walks::add_treepool(const Layouts& layouts) {
  if (options_.traverser != Traverser::treepool) return {};
  auto made = TreepoolTraverser::create(graph_, state_, layouts);
  if (!made) return std::unexpected(made.error());
  treepool_ = std::move(*made);
  return {};
}

void Walks::set_availability(Availability* availability, bool taking) {
  if (treepool_ != nullptr) treepool_->set_availability(availability);
  if (loop_aware_ != nullptr) loop_aware_->set_availability(availability);
  simple_.set_availability(availability, taking);
}

namespace {

// RFC 20: nslots is greater than 0. What is granted without a slot is one.
std::int64_t slots_of(std::int64_t formed) { return std::max<std::int64_t>(formed, 1); }

}  // namespace

WalkOutcome Walks::walk(LearnedRequest& request, StateView view, std::int64_t start,
                        std::int64_t end, SearchResult& result) {
  const WalkOutcome outcome = find(request, view, start, end, result);
  // A slot that demands a domain keeps its cores: others might be of another domain.
  const bool chosen =
      outcome == WalkOutcome::yes && view != StateView::empty && request.domains.empty();
  if (chosen && treepool_ == nullptr) {
    near_cores_.prefer(simple_.eligibility(request, view, start, end), result.match.selection);
  }
  return outcome;
}

WalkOutcome Walks::find(LearnedRequest& request, StateView view, std::int64_t start,
                        std::int64_t end, SearchResult& result) {
  Match& match = result.match;
  result.charged.clear();
  if (treepool_ != nullptr) {
    const auto answer = treepool_->select(request, view, start, end, match.selection);
    match.nslots = answer.nslots;
    match.visits += answer.visits;
    return answer.found ? WalkOutcome::yes : WalkOutcome::no;
  }
  if (simple_serves(request)) {
    WalkResult walked = simple_.select(request, view, start, end, match.selection);
    match.visits += walked.visits;
    if (!walked.found && walked.refused > 0) {
      result.remark_once(
          fmt::format("the policy \"{}\" refused pools that would fit", options_.policy.name));
    }
    if (view != StateView::empty) {
      for (const Remark& remark : walked.remarks) {
        result.remark_once(remark_text(remark, graph_));
      }
    }
    if (walked.found) {
      match.nslots = slots_of(walked.slots);
      result.charged = std::move(walked.charged);
      return WalkOutcome::yes;
    }
  }
  const bool searches = loop_aware_ != nullptr && request.domains.empty() &&  // it knows none
                        loop_aware_->may_help(request);
  // A pool with several parents is visited on the first path only: another order might find more.
  const bool unordered =
      view == StateView::empty && graph_.has_further_edges() &&
      (searches || !simple_serves(request) || moldable(request) || simple_.may_select(request));
  const WalkOutcome nothing = unordered ? WalkOutcome::order_dependent : WalkOutcome::no;
  if (!searches) return nothing;
  const std::uint64_t most = std::min(options_.search_pools_max, result.visits_left);
  const auto answer = loop_aware_->select(request, view, start, end, most, match.selection);
  match.visits += answer.visits;
  result.visits_left -= std::min(result.visits_left, answer.visits);
  if (answer.outcome == LoopAwareTraverser::Outcome::yes) {
    match.nslots = slots_of(answer.slots);
    result.charged = loop_aware_->charged();
    return WalkOutcome::yes;
  }
  return answer.outcome == LoopAwareTraverser::Outcome::limit_reached ? WalkOutcome::limit_reached
                                                                      : nothing;
}

}  // namespace copse
