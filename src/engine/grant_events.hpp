// SPDX-License-Identifier: Apache-2.0
//
// GrantEvents: a queue of the starts and ends of grants. It is used only once the clock of an
// engine has moved.
//
// Events of removed grants stay until their time, or until they outnumber the others. An event is
// identified by the number and times of its grant.
// Cost: 16 bytes per event; note O(log n), amortized.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/options.hpp"
#include "state/grants.hpp"

namespace copse {

class GrantEvents {
 public:
  // The events up to a time: by grant number, each grant once.
  struct Passed {
    std::vector<std::uint32_t> ended, started;
  };

  [[nodiscard]] bool running() const { return running_; }
  // Starts the queue with the current grants.
  void run(const Grants& grants, const EngineOptions& options);
  // Adds the events of a grant; no effect if the queue is not in use.
  void note(const Grants& grants, std::uint32_t number, const EngineOptions& options);
  // Removes and returns the events after now and up to `time`. A grant that ends is not among those
  // started.
  [[nodiscard]] Passed take_until(std::int64_t time, const Grants& grants,
                                  const EngineOptions& options);

 private:
  struct Event {
    std::int64_t time;
    std::uint32_t grant;  // number of the grant
    friend auto operator<=>(const Event&, const Event&) = default;
  };

  bool running_ = false;
  std::vector<Event> events_;  // a heap
};

}  // namespace copse
