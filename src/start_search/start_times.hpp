// SPDX-License-Identifier: Apache-2.0
//
// StartTimes: the times at which a request may start, in order.
//
// Free amounts change only when a grant, or a reservation of layers, starts or ends. Of these
// times, next() skips those that a bound excludes: the totals at the root, idle pools of the
// requested types (StartBounds), the layers, the roots of channels. A bound is necessary, not
// sufficient: a walk decides.
//
// Cost: next O(bounds × times skipped); see start_bounds.hpp and hres_start_bounds.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "copse/ids.hpp"
#include "copse/options.hpp"
#include "hres/channels.hpp"
#include "hres/hres_start_bounds.hpp"
#include "hres/hres_table.hpp"
#include "match/shared/start_bounds.hpp"
#include "state/state.hpp"

namespace copse {

class StartTimes {
 public:
  StartTimes(const ResourceGraph& graph, const State& state, const EngineOptions& options)
      : graph_(graph), state_(state), options_(options), bounds_(graph, state) {}
  // The same for copies of graph, state and options. It has no layers and channels yet.
  StartTimes(const ResourceGraph& graph, const State& state, const EngineOptions& options,
             const StartTimes& other)
      : graph_(graph),
        state_(state),
        options_(options),
        bounds_(graph, state, other.bounds_),
        failed_tries_(other.failed_tries_) {}

  void set_hres(const HresTable* hres);
  void set_channels(Channels* channels) { channels_ = channels; }

  // Starts with one request. REQUIRES that request, graph and state do not change until the next
  // begin.
  // `bounded`: the simple walk can serve it, so StartBounds may be used.
  void begin(const CompiledRequest& request, std::int64_t duration_s, bool bounded);
  // Sets the job and the least number of nodes of the request. REQUIRES begin().
  void begin_layers(JobId job, std::int64_t nodes);
  // The first time >= t at which something changes and no bound excludes the request.
  // REQUIRES that t does not decrease.
  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t t);
  // Whether StartBounds allow a start now.
  [[nodiscard]] bool now_open() { return !bounded_ || bounds_.next(options_.now) == options_.now; }
  // Whether the totals at the root allow a start in [from, before); searches no further than
  // `until`. Does not need begin().
  [[nodiscard]] bool any_between(const CompiledRequest& request, std::int64_t duration_s,
                                 std::int64_t from, std::int64_t before, std::int64_t until);

  // The StartBounds, if they apply to the walk at the time that next() returned; else nullptr.
  [[nodiscard]] const StartBounds* bounds() const { return bounded_ ? &bounds_ : nullptr; }
  void end() { bounded_ = false; }

  // Windows of single pools cost O(pools): they are worth it while tries fail. note_failed_try()
  // starts over with windows if they were not used.
  void note_failed_try();
  void note_failed_search();
  void note_immediate_start() {
    if (failed_tries_ > 0) --failed_tries_;
  }

  // --- After the state has changed
  void applied(const Selection& selection, std::int64_t start, std::int64_t end, int sign) {
    bounds_.applied(selection, start, end, sign);
  }
  void graph_changed() { bounds_.graph_changed(); }

 private:
  [[nodiscard]] const Planner* root_planner() const;
  void allow_at_root(const CompiledRequest& request);
  [[nodiscard]] std::optional<std::int64_t> next_change(std::int64_t t) const;
  [[nodiscard]] std::optional<std::int64_t> next_of_channels(std::int64_t t) const;

  const ResourceGraph& graph_;
  const State& state_;
  const EngineOptions& options_;
  StartBounds bounds_;
  const HresTable* hres_ = nullptr;
  std::unique_ptr<HresStartBounds> layer_times_;  // set together with hres_
  Channels* channels_ = nullptr;
  std::uint32_t failed_tries_ = 0;  // above 0: tries have failed recently

  // The current request
  const CompiledRequest* request_ = nullptr;
  std::int64_t duration_s_ = 0;
  bool may_bound_ = false, bounded_ = false;
  std::vector<std::int64_t> allowed_;  // in use at the root, by dimension of its planner
};

}  // namespace copse
