// SPDX-License-Identifier: Apache-2.0
//
// Clock: which grants start and end next. An engine whose clock never moves keeps none.
//
// Events of grants that are gone stay until their time comes or they are more than the others.
// They are known by the number and times of their grant; two that look alike are the same.
// Cost: 16 bytes per event; note O(log n), amortized.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/options.hpp"
#include "state/grants.hpp"

namespace copse {

class GrantEvents {
 public:
  // What happens up to a time: by number, each grant once.
  struct Passed {
    std::vector<std::uint32_t> ended, started;
  };

  [[nodiscard]] bool running() const { return running_; }
  // Runs from now on, and knows what is granted.
  void run(const Grants& grants, const EngineOptions& options);
  // What a grant has got times for; nothing if the clock does not run.
  void note(const Grants& grants, std::uint32_t number, const EngineOptions& options);
  // Takes out what happens after now and up to `time`. A grant that ends is not among those begun.
  [[nodiscard]] Passed take_until(std::int64_t time, const Grants& grants,
                                  const EngineOptions& options);

 private:
  struct Event {
    std::int64_t time;
    std::uint32_t grant;  // its number
    friend auto operator<=>(const Event&, const Event&) = default;
  };

  bool running_ = false;
  std::vector<Event> events_;  // a heap
};

}  // namespace copse
