// SPDX-License-Identifier: Apache-2.0
//
// Passes: what a queue decides, in passes over all its lines, as long as there is something to
// decide. A pass:
//   1. takes back promises that disciplines no longer give, and starts who is due;
//   2. starts who waits for a reservation that lasts;
//   3. moves promises earlier, where something was given back (Compression);
//   4. looks at each line (Line).
// It can be left after any job; QueueParts knows how far it came.
//
// Cost: that of its steps; see line.hpp and compression.hpp.
#pragma once

#include "queue/queue_parts.hpp"

namespace copse::queue {

class Passes {
 public:
  explicit Passes(QueueParts& parts) : p_(parts) {}
  // True if there is nothing left to decide. Who was denied leaves with the budget: the next event
  // may be of it.
  bool work(WorkBudget& budget);

 private:
  bool run(WorkBudget& budget);
  void begin();
  void choose_form();
  void prioritize();
  void revoke_excess();
  void report_plans();

  QueueParts& p_;
};

}  // namespace copse::queue
