// SPDX-License-Identifier: Apache-2.0
#include "copse/engine.hpp"

#include <algorithm>
#include <cassert>

#include "engine/effect_apply.hpp"
#include "engine/impl.hpp"
#include "explain/channel_findings.hpp"
#include "explain/layer_findings.hpp"
#include "explain/why_not.hpp"

namespace copse {

const std::string& PreparedRequest::queue() const { return compiled_->queue; }

PreparedRequest* PreparedCache::find(std::string_view text) {
  if (!entries_.empty() && entries_.front().text == text) return &entries_.front().request;
  auto it = index_.find(text);
  if (it == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, it->second);
  return &entries_.front().request;
}

PreparedRequest* PreparedCache::insert(std::string_view text, PreparedRequest request) {
  if (entries_.size() >= max_ && !entries_.empty()) {
    index_.erase(entries_.back().text);
    entries_.pop_back();
  }
  entries_.push_front({std::string(text), std::move(request)});
  index_.emplace(entries_.front().text, entries_.begin());
  return &entries_.front().request;
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(ResourceGraph graph, EngineOptions options,
                                               Layouts layouts) {
  auto filters = PruneFilters::parse(options.prune_filters, graph);
  if (!filters) return std::unexpected(filters.error());
  auto impl = std::make_unique<Impl>(std::move(graph), std::move(options), std::move(*filters));
  impl->layouts = std::make_shared<const Layouts>(std::move(layouts));
  if (auto ok = impl->search.walks().add_treepool(*impl->layouts); !ok)
    return std::unexpected(ok.error());
  if (auto ok = impl->make_channels(); !ok) return std::unexpected(ok.error());
  for (PoolId p : impl->graph.born_down()) impl->set_status(p, Status::down);
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

std::unique_ptr<Engine> Engine::clone() const {
  return std::unique_ptr<Engine>(new Engine(std::make_unique<Impl>(*impl_)));
}

const ResourceGraph& Engine::graph() const { return impl_->graph; }
const EngineOptions& Engine::options() const { return impl_->options; }
Names& Engine::names() { return impl_->graph.names(); }

Result<PreparedRequest> Engine::prepare(Request request) {
  auto compiled = compile(request, impl_->graph, impl_->options.policy, impl_->options.traverser,
                          *impl_->layouts, impl_->channels.get());
  if (!compiled) return std::unexpected(compiled.error());
  if (auto ok = impl_->resolve_hres(*compiled, request); !ok) return std::unexpected(ok.error());
  compiled->graph_version = impl_->graph_version;
  PreparedRequest out;
  out.compiled_ = std::make_shared<CompiledRequest>(std::move(*compiled));
  out.request_ = std::move(request);
  out.engine_ = this;
  return out;
}

Result<PreparedRequest*> Engine::prepare(std::string_view text, std::string_view file) {
  if (PreparedRequest* known = impl_->prepared.find(text)) {
    known->duration_s_.reset();
    return known;
  }
  auto request = parse_jobspec(text, file);
  if (!request) return std::unexpected(request.error());
  auto made = prepare(std::move(*request));
  if (!made) {
    Error error = made.error();
    if (error.place.file.empty()) error.place.file = file;
    return std::unexpected(std::move(error));
  }
  return impl_->prepared.insert(text, std::move(*made));
}

namespace {

bool allocates(Operation op) {
  return op != Operation::satisfiability && op != Operation::without_allocating &&
         op != Operation::without_allocating_future;
}

std::unexpected<NoMatch> no_match(const Attempt& attempt, ErrorCode code, std::string text) {
  NoMatch out(Error{code, std::move(text), {}});
  out.remarks = attempt.match.remarks;
  out.visits = attempt.match.visits;
  return std::unexpected(std::move(out));
}

}  // namespace

// Why an auxiliary subsystem refused a request.
void Engine::Impl::remark_refusal(const CompiledRequest& request, const Attempt& attempt,
                                  std::vector<std::string>& remarks) const {
  if (!request.drawing) return;
  const bool infeasible = attempt.outcome == Attempt::Outcome::infeasible;
  const auto none = ChannelOffer::Cause::none;
  if (infeasible && attempt.refused_ever.cause != none) {
    request.never_drawn = refusal_text(graph, *channels, attempt.refused_ever, true);
  }
  std::string text;
  if (infeasible && !request.never_drawn.empty()) {
    text = request.never_drawn;
  } else if (attempt.refused_now.cause != none) {
    text = refusal_text(graph, *channels, attempt.refused_now, false);
  }
  if (text.empty() || std::ranges::find(remarks, text) != remarks.end()) return;
  remarks.push_back(std::move(text));
}

MatchResult Engine::match(Operation operation, PreparedRequest& request, JobId job) {
  Impl& e = *impl_;
  assert(request.engine_ == this);
  if (auto ok = e.refresh(request); !ok) return std::unexpected(NoMatch(ok.error()));
  const CompiledRequest& compiled = *request.compiled_;
  const auto duration_s = e.duration_of(request);
  if (!duration_s) {
    return fail(ErrorCode::invalid, "the duration is not between 0 and " +
                                        std::to_string(e.options.horizon - e.options.now) + " s");
  }
  if (allocates(operation) && e.grants.contains(job)) {
    return fail(ErrorCode::exists, "job " + std::to_string(job) + " has a grant already");
  }
  const Attempt& attempt = e.search.run(operation, compiled, *duration_s, job);
  if (attempt.outcome != Attempt::Outcome::found) {
    const bool never = attempt.outcome == Attempt::Outcome::infeasible;
    auto out =
        never
            ? no_match(attempt, ErrorCode::infeasible, "this system can never satisfy the request")
            : no_match(attempt, ErrorCode::insufficient, "no matching resources at this time");
    e.remark_refusal(compiled, attempt, out.error().remarks);
    return out;
  }
  if (operation == Operation::satisfiability) return &attempt.match;
  if (attempt.match.selection.empty()) {
    auto out = no_match(attempt, ErrorCode::insufficient, "the request takes nothing");
    out.error().takes_nothing = true;
    out.error().remarks.emplace_back(
        "nothing in this request is exclusive: put resources in a slot, or say exclusive: true");
    return out;
  }
  if (allocates(operation)) e.grant_match(job, attempt.match);
  e.search.walks().explored(attempt.match.selection, allocates(operation));
  if (e.effects->on() && allocates(operation)) {
    e.effects->granted(e.graph, e.channels.get(), *grant(job));
  } else if (e.effects->on() && e.options.policy.first_found && !e.search.walks().treepool()) {
    e.effects->explored(e.graph, attempt.match.selection);
  }
  return &attempt.match;
}

// Up to the duration before its own start a job is not in its own way: these times are tried as the
// engine is, the others without the old grant.
Result<bool> Engine::move_earlier(JobId job, PreparedRequest& request, std::int64_t from,
                                  std::int64_t before) {
  Impl& e = *impl_;
  assert(request.engine_ == this);
  const auto number = e.grants.number_of(job);
  if (!number) return fail(ErrorCode::not_found, "nonexistent job " + std::to_string(job));
  const std::int64_t own_start = e.grants[*number].start;
  before = std::min(before, own_start);
  from = std::max(from, e.options.now);
  if (from >= before) return false;
  if (auto ok = e.refresh(request); !ok) return std::unexpected(ok.error());
  const CompiledRequest& compiled = *request.compiled_;
  const std::int64_t window = e.options.horizon - e.options.now;
  const std::int64_t asked_s = request.duration_s();
  if (!compiled.impossible.empty() || asked_s < 0) return false;
  const std::int64_t duration_s = asked_s == 0 ? window : std::min(asked_s, window);
  const std::int64_t in_its_way = own_start - duration_s + 1;
  StartSearch& search = e.search;
  search.begin(job);
  bool found = from < in_its_way &&
               search.find_between(compiled, duration_s, from, std::min(before, in_its_way));
  from = std::max(from, in_its_way);
  const bool again = !found && from < before &&
                     search.times().any_between(compiled, duration_s, from, before, own_start);
  if (!found && !again) return false;
  search.times().end();  // its bounds are of the state as it was
  e.apply(*number, -1);
  if (again) found = search.find_between(compiled, duration_s, from, before);
  const Match& match = search.attempt().match;
  if (!found || match.selection.empty()) {
    e.apply(*number, 1);
    return false;
  }
  e.set_match(e.grants.own(*number), match);
  e.note_times(*number);
  e.apply(*number, 1);
  e.forget_growth();
  search.walks().explored(match.selection, true);
  if (e.effects->on()) e.effects->changed(e.graph, e.channels.get(), e.grants[*number], true);
  return true;
}

Result<Explanation> Engine::explain(PreparedRequest& request) {
  Impl& e = *impl_;
  assert(request.engine_ == this);
  if (auto ok = e.refresh(request); !ok) return std::unexpected(ok.error());
  const auto duration_s = e.duration_of(request);
  if (duration_s) {
    return why_not(e.machine(), e.search, request.request_, *request.compiled_, *duration_s);
  }
  Explanation out{Verdict::invalid, e.options.now, e.options.now, {}};
  Finding finding{.cause = Cause::duration};
  finding.needed = request.duration_s();
  finding.most_has = e.options.horizon - e.options.now;
  out.findings.push_back(std::move(finding));
  return out;
}

std::vector<Finding> Engine::short_layers(PreparedRequest& request, JobId job, bool ever) {
  Impl& e = *impl_;
  assert(request.engine_ == this);
  if (!e.refresh(request) || request.compiled_->hres.empty()) return {};
  const CompiledRequest& compiled = *request.compiled_;
  const auto duration_s = e.duration_of(request);
  if (!duration_s) return {};
  const std::int64_t start = ever ? 0 : e.options.now;
  const Window asked{
      .view = ever ? View::empty : View::now, .start = start, .end = start + *duration_s};
  return LayerFindings(e.graph, *e.supply, e.grants, e.search).find(compiled, asked, job).findings;
}

Result<void> Engine::cancel(JobId job) {
  const auto number = impl_->grants.number_of(job);
  if (!number) return fail(ErrorCode::not_found, "nonexistent job " + std::to_string(job));
  impl_->apply(*number, -1);
  impl_->grants.drop(*number);
  impl_->forget_growth();
  if (impl_->effects->on()) impl_->effects->take(effect::Cancelled{job});
  return {};
}

const Grant* Engine::grant(JobId job) const { return impl_->grants.find(job); }
std::size_t Engine::grant_count() const { return impl_->grants.size(); }
std::vector<JobId> Engine::jobs() const { return impl_->grants.jobs(); }

Status Engine::status(PoolId pool) const { return impl_->state.status(pool); }
void Engine::set_status(PoolId pool, Status status) {
  impl_->set_status(pool, status);
  if (!impl_->effects->on()) return;
  impl_->effects->take(effect::StatusSet{impl_->graph.uniq_id(pool), status});
}
void Engine::set_property(PoolId pool, std::string key, std::string value) {
  impl_->graph.set_property(pool, key, value);
  if (!impl_->effects->on()) return;
  impl_->effects->take(
      effect::PropertySet{impl_->graph.uniq_id(pool), std::move(key), std::move(value)});
}
void Engine::set_tag(PoolId pool, std::string key, std::string value) {
  impl_->graph.set_tag(pool, key, value);
  if (!impl_->effects->on()) return;
  impl_->effects->take(
      effect::TagSet{impl_->graph.uniq_id(pool), std::move(key), std::move(value)});
}

std::vector<Engine::FilterUse> Engine::filter_use(PoolId pool, JobId job) const {
  std::vector<FilterUse> out;
  const ResourceGraph& g = impl_->graph;
  if (g.leaf(pool)) return out;
  const Shape& shape = g.shape(pool);
  const auto row = impl_->state.row(g.interior(pool));
  const Grant* of_job = job == 0 ? nullptr : grant(job);
  for (TypeId type : impl_->filters.of(g.type(pool))) {
    const int k = shape.total_index(type);
    FilterUse use{type, 0, k < 0 ? 0 : shape.totals[static_cast<std::size_t>(k)].total};
    if (job == 0) {
      use.used = k < 0 ? 0 : row[static_cast<std::size_t>(k) + 1];
    } else if (of_job != nullptr) {
      std::vector<Emitted> emitted;
      expand(g, of_job->selection, emitted);
      for (const Emitted& e : emitted) {
        if (e.exclusive && e.pool != pool && g.below(e.pool, pool) && g.type(e.pool) == type) {
          use.used += g.size(e.pool);
        }
      }
    }
    out.push_back(use);
  }
  return out;
}

void Engine::observe(EffectSink* sink) { impl_->effects->observe(sink, impl_->graph); }
Result<void> Engine::apply(const Effect& effect) { return EffectApplier(*this).apply(effect); }

std::uint64_t Engine::fingerprint() const {
  const std::uint64_t drawn = impl_->supply == nullptr ? 0 : impl_->supply->fingerprint();
  const std::uint64_t channels = impl_->channels == nullptr ? 0 : impl_->channels->fingerprint();
  return impl_->state.fingerprint() ^ (drawn * 0x9e3779b97f4a7c15u) ^
         (channels * 0xc2b2ae3d27d4eb4fu);
}
std::uint64_t Engine::bytes() const {
  const std::uint64_t channels = impl_->channels == nullptr ? 0 : impl_->channels->bytes();
  return impl_->graph.bytes() + impl_->state.bytes() + channels;
}

}  // namespace copse
