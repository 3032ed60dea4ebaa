// SPDX-License-Identifier: Apache-2.0
#include "start_search/start_times.hpp"

#include <algorithm>

namespace copse {

namespace {
// The number of immediate starts after which windows of single pools are not used any more.
constexpr std::uint32_t kVainMax = 16;
}  // namespace

void StartTimes::set_hres(const HresTable* hres) {
  hres_ = hres;
  layer_times_ = hres == nullptr ? nullptr : std::make_unique<HresStartBounds>(*hres);
}

const Planner* StartTimes::root_planner() const {
  const PoolId root = graph_.root();
  return graph_.leaf(root) ? nullptr : state_.planner(graph_.interior(root));
}

void StartTimes::begin(const CompiledRequest& request, std::int64_t duration_s, bool bounded) {
  request_ = &request;
  duration_s_ = duration_s;
  may_bound_ = bounded;
  bounded_ = bounded && bounds_.begin(request, duration_s, options_.horizon, failed_tries_ > 0);
}

void StartTimes::begin_layers(JobId job, std::int64_t nodes) {
  if (request_->hres.empty()) return;
  layer_times_->begin(request_->hres, job, duration_s_, options_.horizon, nodes);
}

void StartTimes::note_failed_search() { failed_tries_ = kVainMax; }

void StartTimes::note_failed_try() {
  const bool first = failed_tries_ == 0;
  note_failed_search();
  if (first) begin(*request_, duration_s_, may_bound_);
}

// Computes how much of each dimension of the root's planner may be in use where the request fits.
void StartTimes::allow_at_root(const CompiledRequest& request) {
  const PoolId root = graph_.root();
  const Shape& shape = graph_.shape(root);
  allowed_.assign(shape.totals.size() + 1, INT64_MAX);
  for (std::size_t k = 0; k < shape.totals.size(); ++k) {
    const TypeId type = shape.totals[k].type;
    const std::int64_t units = request.total_of(type);
    if (units <= 0) continue;
    allowed_[k + 1] = shape.totals[k].total - units;
    if (type == graph_.type(root)) allowed_[k + 1] += graph_.size(root);
  }
}

// The first time from `t` on at which something changes and the machine's totals suffice.
std::optional<std::int64_t> StartTimes::next_change(std::int64_t t) const {
  const Planner* planner = root_planner();
  std::optional<std::int64_t> fit;
  if (planner != nullptr) fit = planner->earliest_fit(t, duration_s_, options_.horizon, allowed_);
  if (request_->hres.empty()) return fit;
  // Reservations of layers start and end independently of grants.
  for (auto edge = hres_->next_edge(t); edge && *edge < fit.value_or(options_.horizon);
       edge = hres_->next_edge(*edge + 1)) {
    const std::int64_t end = *edge + std::min(duration_s_, options_.horizon - *edge);
    if (planner == nullptr || planner->within(*edge, end, allowed_)) return edge;
  }
  return fit;
}

std::optional<std::int64_t> StartTimes::next(std::int64_t t) {
  if (!graph_.leaf(graph_.root())) allow_at_root(*request_);
  for (;;) {
    const auto change = next_change(t);
    auto at = change;
    if (at && bounded_) at = bounds_.next(*at);
    if (at && request_->charges_channels) at = next_of_channels(*at);
    if (at && !request_->hres.empty()) at = layer_times_->earliest(*at);
    if (!at || *at == *change) return at;
    t = *at;
  }
}

// The first time >= t at which the roots of channels have at least the request's needs: t itself,
// or a time at which something changes.
std::optional<std::int64_t> StartTimes::next_of_channels(std::int64_t t) const {
  const std::vector<ChannelNeed>& least = request_->least_charges;
  for (std::size_t served = 0, n = 0; served < least.size(); ++n) {
    const ChannelNeed& all = least[n % least.size()];
    ++served;
    const std::uint32_t number = channels_->root_of_paths(all.channel);
    if (number == Channels::kNone || channels_->path_pool(number).count != 1) continue;
    const PoolId pool = channels_->capacity(channels_->capacities(channels_->path_pool(number))[0]);
    const std::int64_t at_most = graph_.size(pool) - all.amount;
    if (at_most < 0) return {};
    const Planner* times = channels_->planner(pool);
    if (times == nullptr) continue;
    const std::int64_t end = t + std::min(duration_s_, options_.horizon - t);
    if (times->max_used(0, t, end) <= at_most) continue;
    const auto at = times->earliest_fit(t + 1, duration_s_, options_.horizon, {&at_most, 1});
    if (!at) return {};
    t = *at;
    served = 1;  // the others may have too little now
  }
  return t;
}

bool StartTimes::any_between(const CompiledRequest& request, std::int64_t duration_s,
                             std::int64_t from, std::int64_t before, std::int64_t until) {
  const Planner* planner = root_planner();
  if (planner == nullptr) return true;
  const std::int64_t now = options_.now;
  if (!request.hres.empty()) {
    const auto edge = hres_->next_edge(std::max(from, now + 1));
    if (edge && *edge < before) return true;
  }
  allow_at_root(request);
  if (from <= now && planner->within(now, now + std::min(duration_s, until - now), allowed_)) {
    return true;
  }
  const auto t = planner->earliest_fit(std::max(from, now + 1), duration_s, until, allowed_);
  return t && *t < before;
}

}  // namespace copse
