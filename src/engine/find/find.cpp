// SPDX-License-Identifier: Apache-2.0
#include "engine/find/find.hpp"

#include <algorithm>
#include <initializer_list>
#include <unordered_map>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/job_id.hpp"
#include "base/nearest_word.hpp"
#include "copse/walker.hpp"
#include "engine/find/find_criteria.hpp"

namespace copse {

namespace {

constexpr std::size_t kTermsMax = 1000;
constexpr int kDepthMax = 100;
constexpr std::size_t kHostsMax = 1u << 20;  // of all terms together

bool blank(char c) { return c == ' ' || c == '\t'; }

class FindParser {
 public:
  explicit FindParser(std::string_view text) : rest_(text) {}

  bool run(FindExpression& out) {
    out_ = &out;
    return expression(0) && (skip_blanks(), rest_.empty());
  }
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  [[nodiscard]] const std::string& too_much() const { return too_much_; }  // empty: no limit hit

 private:
  void skip_blanks() {
    while (!rest_.empty() && blank(rest_.front())) rest_.remove_prefix(1);
  }

  // A word up to a space or parenthesis.
  std::string_view word() {
    std::size_t n = 0;
    while (n < rest_.size() && !blank(rest_[n]) && rest_[n] != '(' && rest_[n] != ')') ++n;
    const std::string_view w = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return w;
  }

  bool expression(int depth) {
    if (depth > kDepthMax) return refuse("criteria are nested deeper than 100");
    bool any = false;
    for (;;) {
      skip_blanks();
      if (rest_.empty() || rest_.front() == ')') return any;
      FindStep::Kind join = FindStep::Kind::both;
      if (any) {
        std::string_view saved = rest_;
        const std::string_view w = word();
        if (w == "or") {
          join = FindStep::Kind::either;
        } else if (w != "and") {
          rest_ = saved;
        }
        skip_blanks();
      }
      if (!term(depth)) return false;
      if (any) out_->steps.push_back({join, 0});
      any = true;
    }
  }

  bool term(int depth) {
    if (!rest_.empty() && rest_.front() == '(') {
      rest_.remove_prefix(1);
      if (!expression(depth + 1)) return false;
      if (rest_.empty() || rest_.front() != ')') return false;
      rest_.remove_prefix(1);
      return rest_.empty() || blank(rest_.front()) || rest_.front() == ')';
    }
    const std::string_view w = word();
    const std::size_t equals = w.find('=');
    if (equals == std::string_view::npos || equals + 1 == w.size()) {
      wrong_ = w.empty() ? "a criterion is missing, such as status=up"
                         : fmt::format("\"{:.64}\" is not a criterion, such as status=up", w);
      return false;
    }
    if (out_->terms.size() >= kTermsMax) return refuse("there are more than 1,000 criteria");
    auto made = leaf(w.substr(0, equals), w.substr(equals + 1));
    if (!made) return false;
    out_->steps.push_back({FindStep::Kind::term, static_cast<std::uint32_t>(out_->terms.size())});
    out_->terms.push_back(std::move(*made));
    return true;
  }

  bool refuse(const char* why) {
    too_much_ = why;
    return false;
  }

  std::nullopt_t unknown(std::string_view what, std::string_view word,
                         std::initializer_list<std::string_view> known) {
    wrong_ = unknown_word(what, word, {known.begin(), known.size()});
    return std::nullopt;
  }

  std::optional<FindTerm> leaf(std::string_view key, std::string_view value) {
    using Key = FindTerm::Key;
    FindTerm t{};
    std::string low(value);
    std::transform(low.begin(), low.end(), low.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    auto choose = [&](std::string_view a, Key if_a, std::string_view b, Key if_b) {
      t.key = low == a ? if_a : if_b;
      return low == a || low == b;
    };
    if (key == "status") {
      if (!choose("up", Key::status_up, "down", Key::status_down)) {
        return unknown(key, value, {"up", "down"});
      }
    } else if (key == "sched-now") {
      if (!choose("allocated", Key::allocated, "free", Key::free_now)) {
        return unknown(key, value, {"allocated", "free"});
      }
    } else if (key == "sched-future") {
      if (!choose("reserved", Key::reserved, "free", Key::free_later)) {
        return unknown(key, value, {"reserved", "free"});
      }
    } else if (key == "property") {
      t.key = Key::property;
      t.word = value;
    } else if (key == "names") {
      auto names = expand_hostlist(value, hosts_left_);
      if (!names && names.error().code == ErrorCode::limit) {
        refuse("names= lists more than 1,048,576 hosts");
      }
      if (!names) return std::nullopt;
      hosts_left_ -= names->size();
      t.key = Key::names;
      t.names = std::move(*names);
      std::sort(t.names.begin(), t.names.end());
    } else if (key == "agfilter") {
      t.key = Key::agfilter;
      t.flag = low == "true" || low == "t";
      if (!t.flag && low != "false" && low != "f") return unknown(key, value, {"true", "false"});
    } else {
      if (key == "jobid-alloc")
        t.key = Key::job_alloc;
      else if (key == "jobid-reserved")
        t.key = Key::job_reserved;
      else if (key == "jobid-tag")
        t.key = Key::job_tag;
      else if (key == "jobid-span")
        t.key = Key::job_span;
      else
        return unknown("key", key,
                       {"status", "sched-now", "sched-future", "property", "names", "agfilter",
                        "jobid-alloc", "jobid-reserved", "jobid-tag", "jobid-span"});
      t.job = parse_job_id(value);
      if (!t.job) {
        wrong_ = fmt::format("\"{:.64}\" is not a job id", value);
        return std::nullopt;
      }
    }
    return t;
  }

  std::string_view rest_;
  FindExpression* out_ = nullptr;
  std::size_t hosts_left_ = kHostsMax;
  std::string too_much_, wrong_;
};

}  // namespace

std::string criteria_error(std::string_view text) {
  FindExpression out;
  FindParser parser(text);
  if (parser.run(out)) return {};
  if (!parser.too_much().empty()) return parser.too_much();
  if (!parser.wrong().empty()) return parser.wrong();
  return "a criterion or a parenthesis is missing or superfluous";
}

Result<FindExpression> parse_find(std::string_view text) {
  FindExpression out;
  FindParser parser(text);
  if (!parser.run(out)) {
    if (!parser.too_much().empty())
      return fail(ErrorCode::limit, "invalid criteria: " + parser.too_much());
    return fail(ErrorCode::invalid, "invalid criteria: " + std::string(text) + ".");
  }
  return out;
}

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
      const bool holds = evaluate([&](const FindTerm& t) { return term(t, p, here); });
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
