// SPDX-License-Identifier: Apache-2.0
#include "copse/engine.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "engine/changes/grow.hpp"
#include "engine/changes/layer_changes.hpp"
#include "engine/changes/rebuild.hpp"
#include "engine/effect_apply.hpp"
#include "engine/find/find.hpp"
#include "engine/find/free_units.hpp"
#include "engine/match_commands.hpp"
#include "engine/partial.hpp"
#include "engine/parts.hpp"
#include "explain/holders.hpp"
#include "explain/layer_findings.hpp"
#include "explain/why_not.hpp"
#include "match/shared/scores.hpp"
#include "request/request_checks.hpp"

namespace copse {

namespace {

// Searches for a request. A policy that throws while it visits fails for this request only: nothing is
// granted before a search ends.
template <class Search>
auto searched(StartSearch& search, Search find) -> decltype(find()) {
  try {
    return find();
  } catch (const VisitFailure& failure) {
    search.begin(0);  // it forgets what it knew of this one
    return std::unexpected(Error{ErrorCode::invalid, failure.what(), {}});
  }
}

}  // namespace

Engine::Engine(std::unique_ptr<EngineParts> parts) : parts_(std::move(parts)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(ResourceGraph graph, EngineOptions options,
                                               Layouts layouts) {
  if (options.policy.visit != nullptr && options.traverser == Traverser::treepool) {
    return fail(ErrorCode::invalid, "the policy \"" + options.policy.name +
                                        "\" visits pools, which the traverser treepool does not");
  }
  auto filters = PruneFilters::parse(options.prune_filters, graph);
  if (!filters) return std::unexpected(filters.error());
  auto parts = EngineParts::make(std::move(graph), std::move(options), std::move(*filters),
                                 std::make_shared<const Layouts>(std::move(layouts)));
  if (!parts) return std::unexpected(parts.error());
  EngineParts& e = **parts;
  if (auto ok = e.make_channels(); !ok) return std::unexpected(ok.error());
  for (PoolId p : e.graph.initially_down()) e.set_status(p, Status::down);
  return std::unique_ptr<Engine>(new Engine(std::move(*parts)));
}

std::unique_ptr<Engine> Engine::clone() const {
  return std::unique_ptr<Engine>(new Engine(std::make_unique<EngineParts>(*parts_)));
}

const ResourceGraph& Engine::graph() const { return parts_->graph; }
const EngineOptions& Engine::options() const { return parts_->options; }
Names& Engine::names() { return parts_->graph.names(); }

Result<PreparedRequest> Engine::prepare(Request request) {
  auto compiled = parts_->compile_request(request);
  if (!compiled) return std::unexpected(compiled.error());
  PreparedRequest out;
  out.compiled_ = std::make_shared<LearnedRequest>(LearnedRequest{std::move(*compiled)});
  out.request_ = std::move(request);
  out.engine_ = this;
  return out;
}

// What was learned about places holds for other nodes.
Result<PreparedRequest> Engine::without_nodes(PreparedRequest& request,
                                              std::span<const PoolId> nodes) const {
  if (auto ok = parts_->refresh(request); !ok) return std::unexpected(ok.error());
  PreparedRequest out = request;
  out.compiled_ = std::make_shared<LearnedRequest>(*request.compiled_);
  LearnedRequest& compiled = *out.compiled_;
  compiled.allowed = AllowedPools(request.compiled_->allowed, nodes, graph());
  compiled.places.clear();
  for (CompiledRequest& variant : compiled.variants) variant.allowed = compiled.allowed;
  return out;
}

Result<PreparedRequest*> Engine::prepare(std::string_view text, std::string_view file) {
  if (PreparedRequest* known = parts_->prepared.find(text)) {
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
  return parts_->prepared.insert(text, std::move(*made), parts_->graph.pool_count());
}

MatchResult Engine::match(Operation operation, PreparedRequest& request, JobId job) {
  assert(request.engine_ == this);
  if (auto ok = parts_->refresh(request); !ok) return std::unexpected(NoMatch(ok.error()));
  return searched(parts_->search, [&] {
    return MatchCommands(*parts_).match(operation, *request.compiled_, parts_->duration_of(request),
                                        job);
  });
}

MatchResult Engine::match_between(PreparedRequest& request, JobId job, std::int64_t from,
                                  std::int64_t before) {
  assert(request.engine_ == this);
  if (auto ok = parts_->refresh(request); !ok) return std::unexpected(NoMatch(ok.error()));
  return searched(parts_->search, [&] {
    return MatchCommands(*parts_).match_between(*request.compiled_, parts_->duration_of(request),
                                                job, {from, before});
  });
}

Result<bool> Engine::move_earlier(JobId job, PreparedRequest& request, std::int64_t from,
                                  std::int64_t before) {
  EngineParts& e = *parts_;
  assert(request.engine_ == this);
  const auto number = e.grants.number_of(job);
  if (!number) return fail(ErrorCode::not_found, "nonexistent job " + std::to_string(job));
  before = std::min(before, e.grants[*number].start);
  from = std::max(from, e.options.now);
  if (from >= before) return false;
  if (auto ok = e.refresh(request); !ok) return std::unexpected(ok.error());
  return searched(e.search, [&]() -> Result<bool> {
    return MatchCommands(e).move_earlier(*number, *request.compiled_, request.duration_s(),
                                         {from, before});
  });
}

Result<Explanation> Engine::explain(PreparedRequest& request) {
  EngineParts& e = *parts_;
  assert(request.engine_ == this);
  if (auto ok = e.refresh(request); !ok) return std::unexpected(ok.error());
  const auto duration_s = e.duration_of(request);
  if (duration_s) {
    return searched(e.search, [&]() -> Result<Explanation> {
      Explanation why =
          why_not(e.view(), e.search, request.request_, *request.compiled_, *duration_s);
      if (why.verdict != Verdict::fits) {
        why.remarks = missing_properties(request);
        if (auto late = e.search.why_not_valid(*duration_s)) {
          why.remarks.push_back(std::move(*late));
        }
      }
      return why;
    });
  }
  Explanation out{Verdict::invalid, e.options.now, e.options.now, {}};
  Finding finding{.cause = Cause::duration};
  finding.needed = request.duration_s();
  finding.most_has = e.options.horizon - e.options.now;
  out.findings.push_back(std::move(finding));
  return out;
}

Result<bool> Engine::fits(PreparedRequest& request) {
  EngineParts& e = *parts_;
  assert(request.engine_ == this);
  if (auto ok = e.refresh(request); !ok) return std::unexpected(ok.error());
  const auto duration_s = e.duration_of(request);
  if (!duration_s) return false;
  return searched(e.search, [&]() -> Result<bool> {
    return fits_now(e.search, *request.compiled_, *duration_s);
  });
}

std::vector<std::string> Engine::missing_properties(const PreparedRequest& request) const {
  return unknown_properties(parts_->graph, request.request_);
}

std::vector<Finding> Engine::short_layers(PreparedRequest& request, JobId job, bool ever) {
  EngineParts& e = *parts_;
  assert(request.engine_ == this);
  if (!e.refresh(request) || request.compiled_->hres.empty()) return {};
  LearnedRequest& compiled = *request.compiled_;
  const auto duration_s = e.duration_of(request);
  if (!duration_s) return {};
  const std::int64_t start = ever ? 0 : e.options.now;
  const Window asked{
      .view = ever ? StateView::empty : StateView::now, .start = start, .end = start + *duration_s};
  auto found = LayerFindings(e.graph, *e.hres, e.grants, e.search).find(compiled, asked, job);
  mark_endless(found.findings, e.options.horizon);
  return std::move(found.findings);
}

Result<void> Engine::cancel(JobId job) {
  const auto number = parts_->grants.number_of(job);
  if (!number) return fail(ErrorCode::not_found, "nonexistent job " + std::to_string(job));
  parts_->apply(*number, -1);
  parts_->drop(*number);
  if (parts_->effects->on()) parts_->effects->take(effect::Cancelled{job});
  return {};
}

const Grant* Engine::grant(JobId job) const { return parts_->grants.find(job); }
std::size_t Engine::grant_count() const { return parts_->grants.size(); }
std::vector<JobId> Engine::jobs() const { return parts_->grants.jobs(); }

void Engine::set_user(JobId job, const std::string& user) {
  if (parts_->grants.contains(job)) parts_->note_user(job, user);
}
Status Engine::status(PoolId pool) const { return parts_->state.status(pool); }
void Engine::set_status(PoolId pool, Status status) {
  parts_->set_status(pool, status);
  if (!parts_->effects->on()) return;
  parts_->effects->take(effect::StatusSet{parts_->graph.uniq_id(pool), status});
}
void Engine::set_property(PoolId pool, std::string key, std::string value) {
  parts_->graph.set_property(pool, key, value);
  if (!parts_->effects->on()) return;
  parts_->effects->take(
      effect::PropertySet{parts_->graph.uniq_id(pool), std::move(key), std::move(value)});
}
bool Engine::remove_property(PoolId pool, const std::string& key) {
  if (!parts_->graph.remove_property(pool, key)) return false;
  if (parts_->effects->on()) {
    parts_->effects->take(effect::PropertyRemoved{parts_->graph.uniq_id(pool), key});
  }
  return true;
}
void Engine::set_tag(PoolId pool, std::string key, std::string value) {
  parts_->graph.set_tag(pool, key, value);
  if (!parts_->effects->on()) return;
  parts_->effects->take(
      effect::TagSet{parts_->graph.uniq_id(pool), std::move(key), std::move(value)});
}

std::vector<Engine::FilterUse> Engine::filter_use(PoolId pool, JobId job) const {
  return copse::filter_use(*parts_, pool, job);
}

std::int64_t Engine::free_units(PoolId top, TypeId type) const {
  return copse::free_units(parts_->state, top, type);
}
Result<Engine::FindResult> Engine::find(std::string_view expression) const {
  return copse::find(*parts_, expression);
}

Result<void> Engine::advance(std::int64_t t) {
  EngineParts& e = *parts_;
  if (t < e.options.now) {
    return fail(ErrorCode::invalid,
                fmt::format("{} is past: the clock is at {}", t, e.options.now));
  }
  if (t >= e.options.horizon) {
    return fail(ErrorCode::invalid,
                fmt::format("{} is beyond the end of the clock, {}", t, e.options.horizon - 1));
  }
  if (t == e.options.now) return {};
  e.grant_events.run(e.grants, e.options);
  const GrantEvents::Passed passed = e.grant_events.take_until(t, e.grants, e.options);
  for (const std::uint32_t number : passed.ended) {
    e.apply(number, -1);
    e.grants.drop(number);
  }
  e.options.now = t;
  e.state.set_now(t);
  if (e.hres != nullptr) e.hres->drop_ended(t);
  e.forget_changes();
  for (const std::uint32_t number : passed.started) {
    const Grant& grant = e.grants[number];
    e.state.begin(grant.selection, grant.start, grant.end, number);
    e.search.walks().started(grant.selection);
  }
  if (e.effects->on()) e.effects->take(effect::Advanced{t});
  return {};
}
std::int64_t Engine::now() const { return parts_->options.now; }

Result<bool> Engine::cancel_part(JobId job, const PoolChoice& pools, bool planned_too) {
  return copse::cancel_part(*parts_, job, pools, planned_too);
}
Result<void> Engine::set_end(JobId job, std::int64_t end) {
  return copse::set_end(*parts_, job, end);
}
Result<const Match*> Engine::update(JobId job, const PoolChoice& pools, std::int64_t start,
                                    std::int64_t duration_s, const GrantCharges& charges) {
  return copse::update(*parts_, job, pools, {start, duration_s}, charges);
}

Result<void> Engine::attach(std::span<const NewSubtree> subtrees) {
  return copse::attach(parts_, subtrees);
}
Result<std::vector<JobId>> Engine::remove(std::span<const PoolId> tops) {
  return copse::remove(parts_, tops);
}
Result<void> Engine::compact() {
  auto done = rebuild(parts_, {});
  if (done && parts_->effects->on()) parts_->effects->take(effect::Compacted{});
  return done;
}

Result<void> Engine::add_resources(const HresSpec& spec, std::string_view file) {
  return LayerChanges(*parts_).add(spec, file);
}
Result<void> Engine::remove_layer(std::string_view resource, std::string_view nodes) {
  return LayerChanges(*parts_).remove_layer(resource, nodes);
}
Result<void> Engine::set_layer_nodes(std::string_view resource, std::string_view nodes,
                                     std::string_view to) {
  return LayerChanges(*parts_).set_nodes(resource, nodes, to);
}
Result<void> Engine::set_layer_count(std::string_view resource, std::string_view nodes,
                                     std::int64_t count) {
  return LayerChanges(*parts_).set_count(resource, nodes, count);
}
Result<void> Engine::reserve_layer(const LayerReservation& reservation) {
  return LayerChanges(*parts_).reserve(reservation);
}
Result<void> Engine::free_layer(std::string_view id) { return LayerChanges(*parts_).free(id); }
std::optional<std::int64_t> Engine::next_layer_change(std::int64_t t) const {
  return parts_->hres == nullptr ? std::nullopt : parts_->hres->next_edge(t);
}
std::vector<LayerView> Engine::layers(std::int64_t at) const {
  if (parts_->hres == nullptr) return {};
  return parts_->hres->view(at);
}
std::string Engine::charges_text(const GrantCharges& charges) const {
  return parts_->hres == nullptr ? std::string() : parts_->hres->text(charges);
}
Result<GrantCharges> Engine::charges_of(std::span<const HresShare> shares) const {
  if (shares.empty()) return GrantCharges{};
  if (parts_->hres != nullptr) return parts_->hres->charges_of(shares);
  return fail(ErrorCode::invalid, fmt::format("there is no resource '{}'", shares[0].item.name));
}
std::int64_t Engine::charged(PoolId pool, std::int64_t at) const {
  const Channels* channels = parts_->channels.get();
  return channels == nullptr || at == INT64_MAX ? 0 : channels->most_charged(pool, at, at + 1);
}
const std::string& Engine::channel_name(std::uint32_t channel) const {
  return parts_->channels->channel(channel).name;
}

void Engine::observe(EffectSink* sink) { parts_->effects->observe(sink, parts_->graph); }
Result<void> Engine::apply(const Effect& effect) {
  return EffectApplier(*this, parts_).apply(effect);
}

std::uint64_t Engine::fingerprint() const {
  const std::uint64_t hres = parts_->hres == nullptr ? 0 : parts_->hres->fingerprint();
  const std::uint64_t channels = parts_->channels == nullptr ? 0 : parts_->channels->fingerprint();
  std::vector<std::uint64_t> jobs(parts_->grants.numbers());
  std::as_const(parts_->grants).for_each([&](std::uint32_t number, const Grant& grant) {
    jobs[number] = grant.job;
  });
  return parts_->state.fingerprint(jobs) ^ (hres * 0x9e3779b97f4a7c15u) ^
         (channels * 0xc2b2ae3d27d4eb4fu);
}
std::uint64_t Engine::bytes() const {
  const std::uint64_t channels = parts_->channels == nullptr ? 0 : parts_->channels->bytes();
  return parts_->graph.bytes() + parts_->state.bytes() + channels;
}

}  // namespace copse
