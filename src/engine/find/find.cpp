// SPDX-License-Identifier: Apache-2.0
#include "engine/find/find.hpp"

#include <algorithm>
#include <unordered_map>

#include "copse/walker.hpp"
#include "engine/find/find_expression.hpp"
#include "engine/find/free_units.hpp"

namespace copse {

namespace {

// Facts that a walk inherits: down, allocated and reserved apply to everything below.
struct Inherited {
  bool down = false, allocated = false, reserved = false;
};

// Pools of one job, by number.
struct JobPools {
  std::vector<bool> exclusive, touched;
  std::vector<bool> spans;   // whether the prune filter has a span of the job
  std::vector<bool> on_way;  // used, or above a used pool
};

class Finder {
 public:
  Finder(const ResourceGraph& graph, const State& state, const PruneFilters& filters,
         const FindExpression& expression)
      : graph_(graph), state_(state), filters_(filters), expression_(expression) {}

  void add_job(const Grant& grant) {
    JobPools& pools = jobs_[grant.job];
    pools.exclusive.resize(graph_.pool_count());
    pools.touched.resize(graph_.pool_count());
    pools.on_way.resize(graph_.pool_count());
    pools.spans.resize(graph_.pool_count());
    std::vector<ExpandedPool> expanded;
    expand(graph_, grant.selection, expanded);
    add_spans(expanded, pools);
    for (const ExpandedPool& e : expanded) {
      pools.touched[e.pool.v] = true;
      pools.exclusive[e.pool.v] = e.exclusive;
      for (PoolId p = e.pool; p != kNoPool && !pools.on_way[p.v]; p = graph_.parent(p)) {
        pools.on_way[p.v] = true;
      }
    }
    reserved_[grant.job] = grant.start > state_.now();
  }

  // Children before parents; a pool is shown if the expression is true for it, or if a pool below
  // it is shown. With `filters_only`, pools without a prune filter are left out.
  void run(bool filters_only, std::vector<ExpandedPool>& out) {
    struct Open {
      std::size_t shown;  // out.size() when it was entered
      Inherited inherited;
      bool holds;
    };
    std::vector<Open> open;
    // With several parents, a job's pools may be found on another path than that of its grant.
    const bool of_jobs =
        !graph_.has_further_edges() &&
        std::ranges::any_of(expression_.terms, [](const FindTerm& t) { return t.job.has_value(); });
    const auto prune = [&](const Visited& at) {
      const PoolId p = at.pool;
      if (of_jobs && !evaluate([&](const FindTerm& t) { return may_hold_below(t, p); })) {
        return false;
      }
      Inherited here = open.empty() ? Inherited{} : open.back().inherited;
      here.down |= !state_.usable(p);
      for (const ExclusiveSpan& span : state_.exclusive_spans().all(p)) {
        (span.start <= state_.now() ? here.allocated : here.reserved) = true;
      }
      const bool holds =
          evaluate([&](const FindTerm& t) { return term(t, p, here); }) && among_best(p);
      if (holds && best_ != nullptr) best_->add(score_of(p), p);
      open.push_back({out.size(), here, holds});
      return true;
    };
    const auto show = [&](const Visited& at) {
      const Open closed = open.back();
      open.pop_back();
      if (!closed.holds && out.size() == closed.shown) return;
      if (filters_only && (graph_.leaf(at.pool) || !has_filter(at.pool))) return;
      const bool moved = at.parent != kNoPool && at.parent != graph_.parent(at.pool);
      out.push_back({at.pool, at.depth, true, false, moved ? at.parent : kNoPool});
    };
    walk(graph_, graph_.root(), graph_.dominant(), prune, show, Paths::all);
  }

  // With `best=`: the pools for which the expression is true are found first, and the best of them kept.
  void keep_best() {
    if (!expression_.best) return;
    Accumulator<PoolId> best(expression_.best->count);
    best_ = &best;
    std::vector<ExpandedPool> all;
    run(false, all);
    best_ = nullptr;
    chosen_.assign(graph_.pool_count(), false);
    for (const auto& [score, pool] : best.take()) chosen_[pool.v] = true;
  }

 private:
  // A filter has a span of a job that has a pool of a tracked type below it. `expanded`: children
  // before parents.
  void add_spans(const std::vector<ExpandedPool>& expanded, JobPools& pools) const {
    std::vector<bool> tracked;  // by depth: whether such a pool was seen there, below the next one
    for (const ExpandedPool& e : expanded) {
      tracked.resize(std::max<std::size_t>(tracked.size(), e.depth + 2));
      const bool below = tracked[e.depth + 1];
      pools.spans[e.pool.v] = below && !graph_.leaf(e.pool) && has_filter(e.pool);
      tracked[e.depth + 1] = false;
      if (below || filters_.tracked(graph_.type(e.pool))) tracked[e.depth] = true;
    }
  }

  [[nodiscard]] bool among_best(PoolId p) const { return chosen_.empty() || chosen_[p.v]; }

  [[nodiscard]] Score score_of(PoolId p) const {
    const BestPools& best = *expression_.best;
    Score score = best.score == BestPools::Score::id ? graph_.id(p) : graph_.size(p);
    if (best.score == BestPools::Score::free) {
      score = free_units(state_, p, graph_.find_type(best.type));
    }
    return best.lowest ? -score : score;
  }

  [[nodiscard]] bool has_filter(PoolId p) const { return !filters_.of(graph_.type(p)).empty(); }

  // The expression with holds(term) → bool for each of its terms.
  template <class Holds>
  bool evaluate(Holds holds) {
    stack_.clear();
    for (const FindStep& step : expression_.steps) {
      if (step.kind == FindStep::Kind::term) {
        stack_.push_back(holds(expression_.terms[step.term]));
        continue;
      }
      const bool b = stack_.back();
      stack_.pop_back();
      const bool a = stack_.back();
      stack_.back() = step.kind == FindStep::Kind::both ? a && b : a || b;
    }
    return stack_.back();
  }

  // False if the term is false at p and everywhere below it.
  bool may_hold_below(const FindTerm& t, PoolId p) {
    return !t.job || of_job(*t.job, p, &JobPools::on_way);
  }

  bool term(const FindTerm& t, PoolId p, const Inherited& here) {
    using Key = FindTerm::Key;
    switch (t.key) {
      case Key::status_up: return !here.down;
      case Key::status_down: return here.down;
      case Key::allocated: return here.allocated;
      case Key::free_now: return !here.allocated;
      case Key::reserved: return here.reserved;
      case Key::free_later: return !here.reserved;
      case Key::agfilter: return t.flag;
      case Key::always: return true;
      case Key::type: return graph_.type_name(p) == t.word;
      case Key::basename: return graph_.basename_text(p) == t.word;
      case Key::id: return graph_.id(p) >= 0 && t.ids.contains(graph_.id(p));
      case Key::size: return t.flag ? graph_.size(p) >= t.number : graph_.size(p) == t.number;
      case Key::uuid: return graph_.uuid(p) == t.word;
      case Key::tag: {
        const auto* tags = graph_.tags(p);
        const auto tag =
            tags == nullptr ? ResourceGraph::Attributes::const_iterator() : tags->find(t.word);
        if (tags == nullptr || tag == tags->end()) return false;
        return !t.value || tag->second == *t.value;
      }
      case Key::names: return std::binary_search(t.names.begin(), t.names.end(), graph_.name(p));
      case Key::property: {
        const auto* properties = graph_.properties(p);
        return properties != nullptr && properties->contains(t.word);
      }
      case Key::job_alloc: return of_job(*t.job, p, &JobPools::exclusive) && !reserved_[*t.job];
      case Key::job_reserved: return of_job(*t.job, p, &JobPools::exclusive) && reserved_[*t.job];
      case Key::job_tag: return of_job(*t.job, p, &JobPools::touched);
      case Key::job_span: return of_job(*t.job, p, &JobPools::spans);
    }
    return false;
  }

  bool of_job(JobId job, PoolId p, std::vector<bool> JobPools::* pools) {
    auto it = jobs_.find(job);
    return it != jobs_.end() && (it->second.*pools)[p.v];
  }

  const ResourceGraph& graph_;
  const State& state_;
  const PruneFilters& filters_;
  const FindExpression& expression_;
  std::unordered_map<JobId, JobPools> jobs_;
  std::unordered_map<JobId, bool> reserved_;
  std::vector<bool> stack_;
  Accumulator<PoolId>* best_ = nullptr;  // collects, if it is set
  std::vector<bool> chosen_;             // by pool: the best ones; empty: all
};

}  // namespace

Result<Engine::FindResult> find(const EngineParts& e, std::string_view text) {
  auto expression = parse_find(text);
  if (!expression) return std::unexpected(expression.error());
  Engine::FindResult found;
  Finder finder(e.graph, e.state, e.filters, *expression);
  for (const FindTerm& t : expression->terms) {
    if (t.key == FindTerm::Key::agfilter) found.with_filters |= t.flag;
    if (!t.job) continue;
    if (const Grant* g = e.grants.find(*t.job)) finder.add_job(*g);
    found.filter_job = *t.job;
  }
  finder.keep_best();
  finder.run(found.with_filters, found.pools);
  return found;
}

std::vector<Engine::FilterUse> filter_use(const EngineParts& e, PoolId pool, JobId job) {
  std::vector<Engine::FilterUse> out;
  const ResourceGraph& g = e.graph;
  if (g.leaf(pool)) return out;
  const Shape& shape = g.shape(pool);
  const auto row = e.state.row(g.interior(pool));
  const Grant* of_job = job == 0 ? nullptr : e.grants.find(job);
  for (TypeId type : e.filters.of(g.type(pool))) {
    const int k = shape.total_index(type);
    Engine::FilterUse use{type, 0, k < 0 ? 0 : shape.totals[static_cast<std::size_t>(k)].total};
    if (job == 0) {
      use.used = k < 0 ? 0 : row[static_cast<std::size_t>(k) + 1];
    } else if (of_job != nullptr) {
      std::vector<ExpandedPool> expanded;
      expand(g, of_job->selection, expanded);
      for (const ExpandedPool& has : expanded) {
        if (has.exclusive && has.pool != pool && g.below(has.pool, pool) &&
            g.type(has.pool) == type) {
          use.used += g.size(has.pool);
        }
      }
    }
    out.push_back(use);
  }
  return out;
}

}  // namespace copse
