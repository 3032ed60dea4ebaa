// SPDX-License-Identifier: Apache-2.0
//
// At which times a request is tried, and what a failure means.
#include <algorithm>

#include <fmt/format.h>

#include "engine/impl.hpp"

namespace copse {

namespace {

// A match may look at so many times as many pools as one search.
constexpr std::uint64_t kSearchesMax = 10;
// Matches that found what they wanted at once before times are tried without bounds again.
constexpr std::uint32_t kVainMax = 16;
// Times that are tried before it is asked whether the request fits the empty machine at all.
constexpr std::uint32_t kTriedMax = 3;

bool moldable(const CompiledRequest& request) {
  return (request.treepool != nullptr && request.treepool->moldable()) ||
         std::any_of(request.levels.begin(), request.levels.end(),
                     [](const Level& l) { return l.count.moldable(); }) ||
         std::any_of(request.variants.begin(), request.variants.end(), moldable);
}

bool allocates(Operation op) {
  return op != Operation::satisfiability && op != Operation::without_allocating &&
         op != Operation::without_allocating_future;
}

}  // namespace

// Whether the whole request fits what is below the root, empty or now, by the numbers alone.
bool Engine::Impl::total_fits(const CompiledRequest& request, bool empty) const {
  const PoolId root = graph.root();
  if (graph.leaf(root)) return true;
  const Shape& shape = graph.shape(root);
  const auto row = state.row(graph.interior(root));
  for (const Need& n : request.total) {
    const int k = shape.total_index(n.type);
    std::int64_t free = n.type == graph.type(root) ? graph.size(root) : 0;
    if (k >= 0) {
      const auto at = static_cast<std::size_t>(k);
      free += shape.totals[at].total - (empty ? 0 : row[at + 1]);
    }
    if (n.units > free) return false;
  }
  return true;
}

// One pass first; where that finds nothing, and the traverser may, a search. The selection is in
// `match`.
bool Engine::Impl::walk(const CompiledRequest& request, View view, std::int64_t start,
                        std::int64_t end) {
  search_ended = search_found = false;
  if (treepool != nullptr) {
    const auto answer = treepool->select(request, view, start, end, match.selection);
    match.nslots = answer.nslots;
    visits += answer.visits;
    return answer.found;
  }
  if (one_pass(request)) {
    const bool found = matcher.select(request, view, start, end, match.selection);
    visits += matcher.visits();
    if (found) return true;
  }
  const bool searched = search != nullptr && search->may_help(request);
  if (view == View::empty && graph.has_further_edges()) {
    order_unsure |=
        searched || !one_pass(request) || moldable(request) || matcher.may_select(request);
  }
  if (!searched) return false;
  const std::uint64_t most = std::min(options.search_pools_max, search_left);
  using Found = LoopAwareTraverser::Found;
  const auto answer = search->select(request, view, start, end, most, match.selection);
  visits += answer.visits;
  search_left -= std::min(search_left, answer.visits);
  search_ended = answer.found == Found::ended;
  search_found = answer.found == Found::yes;
  return search_found;
}

void Engine::Impl::remark_once(std::string remark) {
  if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) {
    remarks.push_back(std::move(remark));
  }
}

void Engine::Impl::remark_ended() {
  remark_once(
      fmt::format("the search ended at its bound of {} pools without an answer: there may "
                  "be a match all the same",
                  options.search_pools_max));
}

// A search that ended proves nothing: the request then counts as satisfiable.
bool Engine::Impl::satisfiable(const CompiledRequest& request, std::int64_t duration_s) {
  if (!request.satisfiable) {
    order_unsure = false;
    search_left = std::max(search_left, options.search_pools_max);
    search_ended = false;
    const bool may = request.impossible.empty() && total_fits(request, true) &&
                     (treepool != nullptr || matcher.some_shape_has(request));
    const bool found = may && select(request, View::empty, 0, duration_s);
    request.satisfiable_unknown = search_ended || supply_unsure;
    request.order_unknown = order_unsure && !found;
    request.satisfiable = may && (found || request.satisfiable_unknown || request.order_unknown);
  }
  if (request.order_unknown) {
    remark_once("some pools have several parents: it is not known whether there is a match");
  }
  if (request.satisfiable_unknown && request.hres.empty() && !request.drawing) {
    remark_ended();
  }
  return *request.satisfiable;
}

// Fluxion's test before any walk: as many nodes as the request needs at least must be up and, under
// a constraint, allowed and free: now, or (if the job may wait) at the end of time. Recorded
// sessions pin that allocate_with_satisfiability takes too few nodes that are up for infeasible.
bool Engine::Impl::enough_nodes(Operation operation, const CompiledRequest& request,
                                std::int64_t duration_s) const {
  if (!options.counts_nodes_first || treepool != nullptr || !filters.tracked(node)) return true;
  const std::int64_t needed = request.total_of(node);
  if (needed > state.usable_units(node)) return false;
  if (!request.constrained() || needed <= 0) return true;
  const bool now_only =
      operation == Operation::allocate || operation == Operation::without_allocating;
  const std::int64_t at = now_only ? options.now : options.horizon - 1;
  const bool ask_status = operation != Operation::allocate_with_satisfiability;
  std::int64_t count = 0;
  for (std::uint32_t v = 0; v < graph.pool_count() && count < needed; ++v) {
    const PoolId p{v};
    if (graph.type(p) != node || graph.removed(p) || !request.allowed[v]) continue;
    bool free = !ask_status || state.usable(p);
    for (PoolId up = p; up != kNoPool && free; up = graph.parent(up)) {
      free = !state.held(up, at, at + duration_s);  // a hold stands for all that is below
    }
    if (free) ++count;
  }
  return count >= needed;
}

bool Engine::Impl::try_at(const CompiledRequest& request, View view, std::int64_t start,
                          std::int64_t duration_s) {
  const std::int64_t end = std::min(duration_s, options.horizon - start) + start;
  match.start = start;
  match.end = end;
  matcher.skip_closed(bounding ? &openings : nullptr);
  const bool found = select(request, view, start, end);
  matcher.skip_closed(nullptr);
  if (search_ended) remark_ended();
  if (!one_pass(request)) return found;
  for (const std::string& remark : matcher.remarks()) remark_once(remark);
  return found;
}

// How much of each dimension of the root's planner may be in use where the request fits.
const std::vector<std::int64_t>& Engine::Impl::allowed_at_root(const CompiledRequest& request) {
  const Shape& shape = graph.shape(graph.root());
  allowed.assign(shape.totals.size() + 1, INT64_MAX);
  for (std::size_t k = 0; k < shape.totals.size(); ++k) {
    const TypeId type = shape.totals[k].type;
    const std::int64_t units = request.total_of(type);
    if (units > 0) allowed[k + 1] = shape.totals[k].total - units;
    if (units > 0 && type == graph.type(graph.root())) allowed[k + 1] += graph.size(graph.root());
  }
  return allowed;
}

// The first time from `t` on, in force or a change, at which neither the totals of the machine nor,
// if asked, the pools of the types wanted rule the request out.
std::optional<std::int64_t> Engine::Impl::next_time(const CompiledRequest& request,
                                                    std::int64_t duration_s, std::int64_t t) {
  const PoolId root = graph.root();
  const Planner* planner = graph.leaf(root) ? nullptr : state.planner(graph.interior(root));
  if (planner == nullptr) return {};  // nothing ever changes
  allowed_at_root(request);
  for (;;) {
    const auto fit = planner->earliest_fit(t, duration_s, options.horizon, allowed);
    auto at = fit;
    if (at && bounding) at = openings.next(*at);
    if (at && request.drawing) at = next_drawn(request, duration_s, *at);
    if (!at || *at == *fit) return at;
    t = *at;
  }
}

// Windows of single pools cost O(pools): they are worth it where times were tried in vain.
void Engine::Impl::begin_bounding(const CompiledRequest& request, std::int64_t duration_s) {
  bounding = !options.exhaustive && treepool == nullptr && one_pass(request) &&
             openings.begin(request, duration_s, options.horizon, in_vain > 0);
}

// Tries, in order, the times of [from, before) at which something changes and the request may fit.
// REQUIRES from > now.
bool Engine::Impl::find_later(const CompiledRequest& request, std::int64_t duration_s,
                              std::int64_t from, std::int64_t before) {
  std::uint32_t tried = 0;
  if (!bounding) begin_bounding(request, duration_s);
  const bool supplied = !request.hres.empty();
  if (supplied) {
    supply_times->begin(request.hres, asking, duration_s, options.horizon, nodes_at_least(request));
  }
  auto next = [&](std::int64_t t) {
    return supplied ? next_supplied(request, duration_s, t) : next_time(request, duration_s, t);
  };
  for (auto t = next(from); t && *t < before; t = next(*t + 1)) {
    const std::int64_t end = *t + std::min(duration_s, options.horizon - *t);
    if (counts_growth(request, *t, end) && try_at(request, View::later, *t, duration_s)) {
      return true;
    }
    // Fixed counts: what does not fit the empty machine fits it never. A moldable count asks for
    // more when more is free, so that a busier machine may give what an empty one does not.
    if (++tried == kTriedMax && !moldable(request) && !satisfiable(request, duration_s)) break;
    const bool first_time = in_vain == 0;
    in_vain = kVainMax;
    if (first_time) begin_bounding(request, duration_s);
  }
  return false;
}

Engine::Impl::Outcome Engine::Impl::reserve(const CompiledRequest& request,
                                            std::int64_t duration_s) {
  if (find_later(request, duration_s, options.now + 1, options.horizon)) return Outcome::found;
  return satisfiable(request, duration_s) ? Outcome::insufficient : Outcome::infeasible;
}

Engine::Impl::Outcome Engine::Impl::run(Operation operation, const CompiledRequest& request,
                                        std::int64_t duration_s) {
  auto failed = [&] {
    return satisfiable(request, duration_s) ? Outcome::insufficient : Outcome::infeasible;
  };
  const std::string& why_not = request.impossible;
  if (!why_not.empty()) remarks.push_back(why_not);
  if (request.treepool != nullptr) {
    for (const std::string& remark : request.treepool->remarks) remark_once(remark);
  }
  if (operation == Operation::satisfiability) {
    const Outcome outcome = failed();
    if (outcome == Outcome::insufficient && (request.satisfiable_unknown || request.order_unknown))
      return outcome;
    match.selection.clear();
    match.start = match.end = options.now;
    return outcome == Outcome::infeasible ? outcome : Outcome::found;
  }
  const bool may_wait = operation == Operation::allocate_orelse_reserve ||
                        operation == Operation::without_allocating_future;
  const bool ask = operation == Operation::allocate_with_satisfiability;
  if (!enough_nodes(operation, request, duration_s)) {
    return ask ? Outcome::infeasible : Outcome::insufficient;
  }
  bounding = false;
  if (why_not.empty() && total_fits(request, false)) {
    if (may_wait) begin_bounding(request, duration_s);
    const bool open = !bounding || openings.next(options.now) == options.now;
    if (open && try_at(request, View::now, options.now, duration_s)) {
      if (in_vain > 0) --in_vain;
      return Outcome::found;
    }
    if (may_wait && open) in_vain = kVainMax;
  }
  if (!why_not.empty()) {
    return may_wait || ask ? Outcome::infeasible : Outcome::insufficient;
  }
  if (may_wait) return reserve(request, duration_s);
  return ask ? failed() : Outcome::insufficient;
}

// A constraint, or a policy's scores, may have been evaluated against other properties, and the
// machine may have changed.
Result<void> Engine::Impl::refresh(PreparedRequest& prepared_request) const {
  CompiledRequest& compiled = *prepared_request.compiled_;
  bool stale = compiled.graph_version != graph_version;
  if (!stale && compiled.changes_seen != graph.changes().size()) {
    // Needs were computed with the largest pool of each type, constraints pool by pool.
    stale = compiled.constrained() || !compiled.variants.empty() ||
            graph.largest_version() != compiled.largest_version;
    compiled.changes_seen = graph.changes().size();
    compiled.satisfiable.reset();
  }
  stale = stale || compiled.supply_structure != (supply == nullptr ? 0 : supply->structure());
  if (supply != nullptr && compiled.supply_version != supply->version()) {
    compiled.supply_version = supply->version();
    if (!compiled.hres.empty()) compiled.satisfiable.reset();
  }
  if (!stale) {
    if (compiled.properties_version == graph.properties_version()) return {};
    if (!compiled.constrained() && options.policy.score == nullptr) return {};
  }
  auto again = compile(prepared_request.request_, graph, options.policy, options.traverser, layouts,
                       channels.get());
  if (!again) return std::unexpected(again.error());
  if (auto ok = resolve_hres(*again, prepared_request.request_); !ok) return ok;
  *prepared_request.compiled_ = std::move(*again);
  prepared_request.compiled_->graph_version = graph_version;
  return {};
}

std::optional<std::int64_t> Engine::Impl::duration_of(const PreparedRequest& request) const {
  const std::int64_t window = options.horizon - options.now;
  const std::int64_t duration_s = request.duration_s();
  if (duration_s < 0 || duration_s > window) return {};
  return duration_s == 0 ? window : duration_s;
}

void Engine::Impl::begin_match(JobId job) {
  asking = job;
  remarks.clear();
  takes_nothing = false;
  visits = 0;
  bounding = false;
  refused_now = refused_ever = {};
  search_left = options.search_pools_max > UINT64_MAX / kSearchesMax
                    ? UINT64_MAX
                    : options.search_pools_max * kSearchesMax;
}

Result<const Match*> Engine::match(Operation operation, PreparedRequest& request, JobId job) {
  Impl& e = *impl_;
  e.begin_match(job);
  if (auto ok = e.refresh(request); !ok) return std::unexpected(ok.error());
  const CompiledRequest& compiled = *request.compiled_;
  const auto duration_s = e.duration_of(request);
  if (!duration_s) {
    return fail(ErrorCode::invalid, "the duration is not between 0 and " +
                                        std::to_string(e.options.horizon - e.options.now) + " s");
  }
  if (allocates(operation) && e.by_job.contains(job)) {
    return fail(ErrorCode::exists, "job " + std::to_string(job) + " has a grant already");
  }
  switch (e.run(operation, compiled, *duration_s)) {
    case Impl::Outcome::found: break;
    case Impl::Outcome::insufficient:
      e.remark_refusal(compiled, false);
      return fail(ErrorCode::insufficient, "no matching resources at this time");
    case Impl::Outcome::infeasible:
      e.remark_refusal(compiled, true);
      return fail(ErrorCode::infeasible, "this system can never satisfy the request");
  }
  if (operation == Operation::satisfiability) return &e.match;
  if (e.match.selection.empty()) {
    e.takes_nothing = true;
    e.remarks.push_back(
        "nothing in this request is exclusive: put resources in a slot, or say exclusive: true");
    return fail(ErrorCode::insufficient, "the request takes nothing");
  }
  if (allocates(operation)) {
    Grant& grant = e.new_grant(job, e.match.start, e.match.end);
    grant.selection.taken.assign(e.match.selection.taken.begin(), e.match.selection.taken.end());
    grant.selection.moved = e.match.selection.moved;
    grant.nslots = e.match.nslots;
    grant.draw = e.match.draw;
    e.apply(e.by_job.at(job), 1);
  }
  if (e.treepool == nullptr) e.matcher.explored(e.match.selection, allocates(operation));
  return &e.match;
}

}  // namespace copse
