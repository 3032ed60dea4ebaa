// SPDX-License-Identifier: Apache-2.0
//
// Event: an entry of a stream that is not a job. Nodes fail and return; jobs are cancelled, held,
// released, get another priority, or reach a deadline; reservations are made.
//
// Memory: 32 bytes an event, and 4 for each of its nodes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace copse::plan {

inline constexpr std::size_t kEventsMax = 10'000'000;
inline constexpr std::size_t kEventNodesMax = 20'000'000;  // of all events together

struct Event {
  enum class Type : std::uint8_t {
    up,        // nodes are usable again
    down,      // nodes fail: their jobs end, or go back to the queue
    drain,     // nodes get no new jobs; running ones continue
    cancel,    // the job ends, or leaves the queue
    deadline,  // the job leaves the queue if it has not started
    hold,      // the job waits until it is released
    release,
    priority,
    reserve,  // a reservation is made
  };
  std::int64_t time_s = 0;
  Type type = Type::up;
  bool requeue = false;       // of down
  std::int32_t priority = 0;  // of priority
  std::uint32_t job = 0;      // of an event of a job
  // An event of nodes: index into Jobs::event_nodes. Reserve: index into Jobs::later_reservations.
  std::uint32_t first_node = 0, nodes = 0;
  [[nodiscard]] bool of_nodes() const { return type <= Type::drain; }
  [[nodiscard]] bool of_job() const { return !of_nodes() && type != Type::reserve; }
};

}  // namespace copse::plan
