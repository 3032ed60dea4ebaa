// SPDX-License-Identifier: Apache-2.0
//
// Clock: which grants start and end next. An engine whose clock never moves keeps none.
//
// Events of grants that are gone stay until their time comes or they are more than the others; the
// engine tells them by their number and time. Two events that look alike are the same to it.
// Cost: 16 bytes an event; add O(log n), amortized.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace copse {

class Clock {
 public:
  struct Event {
    std::int64_t time;
    std::uint32_t grant;  // its number
    friend auto operator<=>(const Event&, const Event&) = default;
  };

  [[nodiscard]] bool running() const { return running_; }
  void run() { running_ = true; }

  void add(Event event) {
    if (!running_) return;
    events_.push_back(event);
    std::push_heap(events_.begin(), events_.end(), std::greater<>());
  }
  // The earliest event, if it is not after `time`: taken out.
  [[nodiscard]] std::optional<Event> take(std::int64_t time) {
    if (events_.empty() || events_.front().time > time) return {};
    std::pop_heap(events_.begin(), events_.end(), std::greater<>());
    const Event event = events_.back();
    events_.pop_back();
    return event;
  }

  [[nodiscard]] std::size_t size() const { return events_.size(); }
  // Forgets the events that `stale` holds for. O(n).
  template <class Stale>
  void forget(Stale stale) {
    std::erase_if(events_, stale);
    std::make_heap(events_.begin(), events_.end(), std::greater<>());
  }

 private:
  bool running_ = false;
  std::vector<Event> events_;  // a heap
};

}  // namespace copse
