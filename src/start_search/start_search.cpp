// SPDX-License-Identifier: Apache-2.0
#include "start_search/start_search.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/saturating.hpp"

namespace copse {

namespace {

// A match may visit this many times the pools of one search.
constexpr std::uint64_t kSearchesMax = 10;
// The number of times that are tried before the empty machine is checked.
constexpr std::uint32_t kTriedMax = 3;

}  // namespace

StartSearch::StartSearch(const ResourceGraph& graph, State& state, const EngineOptions& options,
                         const PruneFilters& filters)
    : graph_(graph),
      state_(state),
      options_(options),
      filters_(filters),
      node_(graph.find_type("node")),
      walks_(graph, state, options, filters),
      charged_walk_(graph, state, options, walks_),
      times_(graph, state, options) {}

StartSearch::StartSearch(const ResourceGraph& graph, State& state, const EngineOptions& options,
                         const PruneFilters& filters, const StartSearch& other)
    : graph_(graph),
      state_(state),
      options_(options),
      filters_(filters),
      node_(other.node_),
      walks_(graph, state, options, filters, other.walks_),
      charged_walk_(graph, state, options, walks_),
      times_(graph, state, options, other.times_) {}

void StartSearch::set_hres(const HresTable* hres) {
  charged_walk_.set_hres(hres);
  times_.set_hres(hres);
}

void StartSearch::set_channels(Channels* channels) {
  charged_walk_.set_channels(channels);
  times_.set_channels(channels);
}

SearchResult& StartSearch::begin(JobId job) {
  const std::uint64_t one = options_.search_pools_max;
  result_.begin(job, one > UINT64_MAX / kSearchesMax ? UINT64_MAX : one * kSearchesMax);
  times_.end();
  if (visit_sources_ != nullptr) visit_sources_->job = job;
  return result_;
}

void StartSearch::allow_one_search() {
  result_.visits_left = std::max(result_.visits_left, options_.search_pools_max);
}

const SearchResult& StartSearch::run(Operation operation, LearnedRequest& request,
                                     std::int64_t duration_s, JobId job) {
  assert(duration_s > 0 && duration_s <= options_.horizon - options_.now);
  begin(job);
  result_.outcome = outcome_of(operation, request, duration_s);
  return result_;
}

StartSearch::Outcome StartSearch::outcome_of(Operation operation, LearnedRequest& request,
                                             std::int64_t duration_s) {
  const Outcome outcome = unexplained_outcome_of(operation, request, duration_s);
  if (outcome == Outcome::found) return outcome;
  if (auto why = why_not_valid(duration_s)) result_.remark_once(std::move(*why));
  return outcome;
}

StartSearch::Outcome StartSearch::unexplained_outcome_of(Operation operation,
                                                         LearnedRequest& request,
                                                         std::int64_t duration_s) {
  const std::int64_t now = options_.now;
  const bool impossible = !request.impossible.empty();
  if (impossible) result_.match.remarks.push_back(request.impossible);
  if (request.treepool != nullptr) {
    for (const std::string& remark : request.treepool->remarks) result_.remark_once(remark);
  }
  if (operation == Operation::satisfiability) {
    const Outcome outcome = failure(request, duration_s);
    if (outcome == Outcome::insufficient &&
        (request.satisfiable_unknown || request.order_unknown)) {
      return outcome;
    }
    result_.match.selection.clear();
    result_.match.start = result_.match.end = now;
    return outcome == Outcome::infeasible ? outcome : Outcome::found;
  }
  const bool may_wait = operation == Operation::allocate_orelse_reserve ||
                        operation == Operation::without_allocating_future;
  const bool ask = operation == Operation::allocate_with_satisfiability;
  if (!enough_nodes(operation, request, duration_s)) {
    return ask ? Outcome::infeasible : Outcome::insufficient;
  }
  if (impossible) return may_wait || ask ? Outcome::infeasible : Outcome::insufficient;
  if (total_fits(request, false)) {
    if (may_wait) bound_times(request, duration_s);
    const bool open = times_.now_open();
    if (open && try_at(request, StateView::now, now, duration_s)) {
      times_.note_immediate_start();
      return Outcome::found;
    }
    if (may_wait && open) times_.note_failed_search();
  }
  if (may_wait && find_later(request, duration_s, now + 1, options_.horizon)) {
    return Outcome::found;
  }
  return may_wait || ask ? failure(request, duration_s) : Outcome::insufficient;
}

std::optional<std::string> StartSearch::why_not_valid(std::int64_t duration_s) const {
  const std::int64_t now = options_.now, from = options_.valid_from, until = options_.valid_until;
  if (is_valid(now, end_of(now, duration_s))) return {};
  if (now < from) return fmt::format("the machine's R begins at {} (its starttime)", from);
  return fmt::format("the machine's R {} at {} (its expiration)", now < until ? "ends" : "ended",
                     until);
}

bool StartSearch::may_be_valid(std::int64_t duration_s) const {
  const std::int64_t first = std::max(options_.now, options_.valid_from);
  return is_valid(first, end_of(first, duration_s));
}

// The end of a job that starts at a time. One without a duration ends with the machine.
std::int64_t StartSearch::end_of(std::int64_t start, std::int64_t duration_s) const {
  const std::int64_t end = start + std::min(duration_s, options_.horizon - start);
  const bool endless = duration_s == options_.horizon - options_.now;
  return endless && options_.valid_until > 0 ? std::min(end, options_.valid_until) : end;
}

bool StartSearch::is_valid(std::int64_t start, std::int64_t end) const {
  return start >= options_.valid_from &&
         (options_.valid_until == 0 ||
          (start < options_.valid_until && end <= options_.valid_until));
}

StartSearch::Outcome StartSearch::failure(LearnedRequest& request, std::int64_t duration_s) {
  if (!may_be_valid(duration_s)) return Outcome::infeasible;
  return satisfiable(request, duration_s) ? Outcome::insufficient : Outcome::infeasible;
}

bool StartSearch::total_fits(const CompiledRequest& request, bool empty) const {
  const PoolId root = graph_.root();
  if (graph_.leaf(root)) return true;
  const Shape& shape = graph_.shape(root);
  const auto row = state_.row(graph_.interior(root));
  return std::all_of(request.total.begin(), request.total.end(), [&](const Need& n) {
    const int k = shape.total_index(n.type);
    std::int64_t free = n.type == graph_.type(root) ? graph_.size(root) : 0;
    if (k >= 0) {
      const auto at = static_cast<std::size_t>(k);
      free += shape.totals[at].total - (empty ? 0 : row[at + 1]);
    }
    return n.units <= free;
  });
}

WalkOutcome StartSearch::select(LearnedRequest& request, const Window& window) {
  return charged_walk_.select(request, window, result_);
}

void StartSearch::remark_ended() {
  result_.remark_once(
      fmt::format("the search ended at its bound of {} pools without an answer: there may "
                  "be a match nevertheless",
                  options_.search_pools_max));
}

// A search that reached its limit is not a proof: the request then counts as satisfiable.
bool StartSearch::satisfiable(LearnedRequest& request, std::int64_t duration_s) {
  if (!request.satisfiable) {
    allow_one_search();
    WalkOutcome found = WalkOutcome::no;
    if (request.impossible.empty() && total_fits(request, true) &&
        (walks_.treepool() || walks_.simple().some_shape_has(request))) {
      found = select(request, {.view = StateView::empty, .start = 0, .end = duration_s});
      result_.match.nslots = 0;  // nothing is granted
    }
    request.satisfiable = found != WalkOutcome::no;
    request.satisfiable_unknown =
        found == WalkOutcome::uncertain || found == WalkOutcome::limit_reached;
    request.order_unknown = found == WalkOutcome::order_dependent;
  }
  if (request.order_unknown) {
    result_.remark_once(
        "some pools have several parents: it is not known whether there is a match");
  }
  if (request.satisfiable_unknown && request.hres.empty() && !request.charges_channels)
    remark_ended();
  return *request.satisfiable;
}

// Fluxion's test before any walk: the least number of nodes must be up and, under a constraint,
// allowed and free: now, or (if the job may wait) at the horizon. Recorded sessions pin that
// allocate_with_satisfiability calls a request infeasible if too few nodes are up. Removed nodes
// count as up here, as in Fluxion: what is too large for the rest is then found to be infeasible.
bool StartSearch::enough_nodes(Operation operation, const CompiledRequest& request,
                               std::int64_t duration_s) const {
  if (!options_.counts_nodes_first || walks_.treepool() || !filters_.tracked(node_)) return true;
  const std::int64_t needed = request.total_of(node_);
  const std::int64_t lost = nodes_lost_ ? std::max<std::int64_t>(nodes_lost_(), 0) : 0;
  if (needed > saturating_sum(state_.usable_units(node_), lost)) return false;
  if (!request.constrained() || needed <= 0) return true;
  const bool now_only =
      operation == Operation::allocate || operation == Operation::without_allocating;
  const std::int64_t at = now_only ? options_.now : options_.horizon - 1;
  const bool ask_status = operation != Operation::allocate_with_satisfiability;
  std::int64_t count = 0;
  for (std::uint32_t v = 0; v < graph_.pool_count() && count < needed; ++v) {
    const PoolId p{v};
    if (graph_.type(p) != node_ || graph_.removed(p) || !request.allowed[v]) continue;
    bool free = !ask_status || state_.usable(p);
    for (PoolId up = p; up != kNoPool && free; up = graph_.parent(up)) {
      free = !state_.allocated(up, at, at + duration_s);  // a span covers all pools below
    }
    if (free) ++count;
  }
  return count >= needed;
}

bool StartSearch::try_at(LearnedRequest& request, StateView view, std::int64_t start,
                         std::int64_t duration_s) {
  const std::int64_t end = end_of(start, duration_s);
  if (!is_valid(start, end)) return false;
  result_.match.start = start;
  result_.match.end = end;
  walks_.skip_closed(times_.bounds());
  const WalkOutcome found = select(request, {.view = view, .start = start, .end = end});
  walks_.skip_closed(nullptr);
  if (found == WalkOutcome::limit_reached) remark_ended();
  return found == WalkOutcome::yes;
}

void StartSearch::bound_times(const CompiledRequest& request, std::int64_t duration_s) {
  times_.begin(request, duration_s,
               !options_.exhaustive && !walks_.treepool() && walks_.simple_serves(request));
}

// Tries, in order, the times of [from, before) at which something changes and the request may fit.
// REQUIRES from > now.
bool StartSearch::find_later(LearnedRequest& request, std::int64_t duration_s, std::int64_t from,
                             std::int64_t before) {
  if (times_.bounds() == nullptr) bound_times(request, duration_s);
  times_.begin_layers(result_.job, charged_walk_.nodes_at_least(request));
  std::uint32_t tried = 0;
  if (options_.valid_from > 0 &&
      options_.valid_from >= from) {  // at first, what changes is that the machine may be used
    if (options_.valid_from < before && find_at(request, duration_s, options_.valid_from)) {
      return true;
    }
    from = options_.valid_from + 1;
  }
  for (auto t = times_.next(from); t && *t < before; t = times_.next(*t + 1)) {
    const std::int64_t end = end_of(*t, duration_s);
    if (!is_valid(*t, end)) break;  // nor any later time
    if ((!counts_growth_ || counts_growth_(request, *t, end)) &&
        try_at(request, StateView::later, *t, duration_s)) {
      return true;
    }
    // With fixed counts, a request that does not fit the empty machine never fits. A moldable count
    // requests more if more is free, so it may fit a busy machine but not an empty one.
    if (++tried == kTriedMax && !moldable(request) && !satisfiable(request, duration_s)) break;
    times_.note_failed_try();
  }
  return false;
}

bool StartSearch::find_at(LearnedRequest& request, std::int64_t duration_s, std::int64_t time_s) {
  const std::int64_t end = end_of(time_s, duration_s);
  return (!counts_growth_ || counts_growth_(request, time_s, end)) &&
         try_at(request, StateView::later, time_s, duration_s);
}

bool StartSearch::find_between(LearnedRequest& request, std::int64_t duration_s, std::int64_t from,
                               std::int64_t before) {
  const std::int64_t now = options_.now;
  if (from <= now && now < before && total_fits(request, false) &&
      try_at(request, StateView::now, now, duration_s)) {
    return true;
  }
  return find_later(request, duration_s, std::max(from, now + 1), before);
}

}  // namespace copse
