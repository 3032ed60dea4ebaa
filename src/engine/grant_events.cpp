// SPDX-License-Identifier: Apache-2.0
#include "engine/grant_events.hpp"

#include <algorithm>
#include <functional>

namespace copse {

namespace {

constexpr std::size_t kEventsMin = 1024;  // fewer are not worth a cleanup

// Whether an event is outdated: its grant was removed, or its number has other times now.
template <class Event>
bool stale(const Event& event, const Grants& grants, std::int64_t now) {
  const Grant& grant = grants[event.grant];
  return grant.selection.empty() || (event.time != grant.end && event.time != grant.start) ||
         event.time <= now;
}

}  // namespace

void GrantEvents::run(const Grants& grants, const EngineOptions& options) {
  if (running_) return;
  running_ = true;
  grants.for_each([&](std::uint32_t number, const Grant&) { note(grants, number, options); });
}

void GrantEvents::note(const Grants& grants, std::uint32_t number, const EngineOptions& options) {
  if (!running_) return;
  // At most two events per grant are current; more belong to removed grants.
  if (events_.size() > kEventsMin && events_.size() > 4 * grants.size()) {
    std::erase_if(events_, [&](const Event& e) { return stale(e, grants, options.now); });
    std::ranges::make_heap(events_, std::greater<>());
  }
  const auto add = [&](std::int64_t time) {
    events_.push_back({time, number});
    std::ranges::push_heap(events_, std::greater<>());
  };
  const Grant& grant = grants[number];
  if (grant.start > options.now) add(grant.start);
  if (grant.end < options.horizon) add(grant.end);
}

GrantEvents::Passed GrantEvents::take_until(std::int64_t time, const Grants& grants,
                                            const EngineOptions& options) {
  Passed passed;
  Event last{options.now, 0};
  while (!events_.empty() && events_.front().time <= time) {
    std::ranges::pop_heap(events_, std::greater<>());
    const Event event = events_.back();
    events_.pop_back();
    if (event == last || stale(event, grants, options.now)) continue;
    last = event;
    const Grant& grant = grants[event.grant];
    if (event.time == grant.end) {
      passed.ended.push_back(event.grant);
    } else if (grant.end > time) {
      passed.started.push_back(event.grant);
    }
  }
  std::ranges::sort(passed.started);
  return passed;
}

}  // namespace copse
