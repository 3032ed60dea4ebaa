// SPDX-License-Identifier: Apache-2.0
//
// The plan of the oracle: running jobs, and promised starts; what was freed meanwhile; and the
// priority of each job.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "queue/oracle/machine.hpp"
#include "queue/oracle/priorities.hpp"
#include "queue/oracle/sharing.hpp"

namespace copse::queue_oracle {

struct Plan {
  Plan(Machine on, Rule rule);

  // --- Promises and starts
  void promise(Job& job, const Found& found);
  void start(Job& job);
  void start(Job& job, const Found& found);          // found for now
  void start_on(Job& job, Time end, Choice choice);  // now
  void unpromise(Job& job);
  // Takes back the first promise that conflicts, in the order of the queues, and all behind it.
  void displace(const std::function<bool(const Job&)>& conflicts);
  [[nodiscard]] bool any_taken_back() const;
  void restore();    // those that were taken back
  void begin_due();  // promised starts happen

  void take_others(const Found& found);
  void start_with(Job& job, const Share& share);

  // --- Whether promises are pinned to units
  void hold_units();
  void units_or_numbers();
  void reservations_changed();  // those that are booked, or not yet

  // --- Priorities
  [[nodiscard]] std::int64_t cores_of(const Job& job) const;
  [[nodiscard]] std::int64_t priority_of(const Job& job) const;
  [[nodiscard]] bool priorities_due() const;
  void prioritize(std::size_t queues);

  Machine machine;
  Priorities priorities;
  Time prioritized = 0;        // when all priorities were computed
  bool groups_changed = true;  // since they were made
  std::optional<std::vector<ReservedTime>> reserved{
      std::in_place};       // none: some are not booked yet
  bool happened = false;    // any event
  bool freed = false;       // a job left, or a node changed
  bool given_back = false;  // and some time as well
};

}  // namespace copse::queue_oracle
