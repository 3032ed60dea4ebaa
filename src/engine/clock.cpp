// SPDX-License-Identifier: Apache-2.0
//
// The present moves on: grants end, reservations begin to run.
#include "engine/clock.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/impl.hpp"

namespace copse {

namespace {
constexpr std::size_t kEventsMin = 1024;  // fewer are not worth looking through
}

// An event of a grant that is gone, or that another grant of the same number does not have.
bool Engine::Impl::stale(const Clock::Event& event) const {
  const Grant& grant = grants[event.grant];
  return grant.selection.empty() || (event.time != grant.end && event.time != grant.start) ||
         event.time <= options.now;
}

void Engine::Impl::note_times(std::uint32_t number) {
  if (!clock.running()) return;
  // At most two events a grant; what is above that belongs to grants that are gone.
  if (clock.size() > kEventsMin && clock.size() > 4 * grants.size()) {
    clock.forget([&](const Clock::Event& event) { return stale(event); });
  }
  const Grant& grant = grants[number];
  if (grant.start > options.now) clock.add({grant.start, number});
  if (grant.end < options.horizon) clock.add({grant.end, number});
}

Result<void> Engine::advance(std::int64_t t) {
  Impl& e = *impl_;
  if (t < e.options.now || t >= e.options.horizon) {
    return fail(ErrorCode::invalid, fmt::format("the clock is at {} and ends at {}: it cannot be "
                                                "set to {}",
                                                e.options.now, e.options.horizon, t));
  }
  if (t == e.options.now) return {};
  if (!e.clock.running()) {
    e.clock.run();
    std::as_const(e.grants).for_each(
        [&](std::uint32_t number, const Grant&) { e.note_times(number); });
  }
  std::vector<std::uint32_t> begun;
  while (auto event = e.clock.take(t)) {
    if (e.stale(*event)) continue;
    if (event->time == e.grants[event->grant].end) {
      e.apply(event->grant, -1);
      e.grants.drop(event->grant);
    } else {
      begun.push_back(event->grant);
    }
  }
  e.options.now = t;
  e.state.set_now(t);
  if (e.supply != nullptr) e.supply->drop_ended(t);
  e.forget_growth();
  std::sort(begun.begin(), begun.end());  // of two grants with one number, both may have an event
  begun.erase(std::unique(begun.begin(), begun.end()), begun.end());
  for (std::uint32_t number : begun) {
    const Grant& grant = e.grants[number];
    if (grant.selection.empty()) continue;
    e.state.begin(grant.selection, grant.start, grant.end, number);
    e.search.walks().begun(grant.selection);
  }
  if (e.effects->on()) e.effects->take(effect::Advanced{t});
  return {};
}

std::int64_t Engine::now() const { return impl_->options.now; }

}  // namespace copse
