// SPDX-License-Identifier: Apache-2.0
//
// The plan of the oracle: who runs, and who is promised which start on the machine; what was given
// back meanwhile; and everybody's priority.
#pragma once

#include <cstdint>

#include "queue/oracle/machine.hpp"
#include "queue/oracle/priorities.hpp"

namespace copse::queue_oracle {

struct Plan {
  Plan(Machine on, Rule rule);

  // --- Promises and starts
  void promise(Job& job, Time start);
  void start(Job& job);
  void start_on(Job& job, Time end, Choice choice);  // now
  void unpromise(Job& job);
  void begin_due();  // promised starts come true

  // --- Whether promises are of units, too
  void hold_units();
  void units_or_numbers();

  // --- Priorities
  [[nodiscard]] std::int64_t cores_of(const Job& job) const;
  [[nodiscard]] std::int64_t priority_of(const Job& job) const;
  [[nodiscard]] bool priorities_due() const;
  void prioritize(std::size_t queues);

  Machine machine;
  Priorities priorities;
  Time prioritized = 0;     // when all priorities were worked out
  bool happened = false;    // anything
  bool freed = false;       // somebody left, or a node changed
  bool given_back = false;  // and some time, too
};

}  // namespace copse::queue_oracle
