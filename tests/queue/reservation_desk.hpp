// SPDX-License-Identifier: Apache-2.0
//
// Reservations of a small machine, and jobs that name them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "queue/events.hpp"
#include "queue/reservation/reservation.hpp"
#include "request/constraint.hpp"

namespace copse::queue {

inline Constraint hosts(const char* text) {
  auto made = parse_constraint(std::string("{\"hostlist\": [\"") + text + "\"]}");
  EXPECT_TRUE(made);
  return made ? *made : Constraint();
}

inline ReservationSpec maintenance(const char* nodes, std::int64_t start_s,
                                   std::int64_t duration_s) {
  return {.name = "maintenance",
          .start_s = start_s,
          .duration_s = duration_s,
          .constraint = hosts(nodes),
          .users = std::vector<std::string>()};
}

inline ReservationSpec dedicated(const char* nodes, std::int64_t start_s, std::int64_t duration_s) {
  return {
      .name = "course", .start_s = start_s, .duration_s = duration_s, .constraint = hosts(nodes)};
}

inline void submit_to(Desk& desk, const char* reservation, JobId id, const std::string& shape,
                      std::int64_t duration_s, const char* user = "ada") {
  const Request request = request_of(shape);
  const auto ok = desk.queue.submit({.id = id,
                                     .submit_s = desk.engine->now(),
                                     .duration_s = duration_s,
                                     .user = user,
                                     .reservation = reservation,
                                     .kind = shape,
                                     .request = &request});
  EXPECT_TRUE(ok) << (ok ? "" : ok.error().message());
}

inline std::vector<std::string> nodes_of(const Desk& desk, JobId job) {
  std::vector<std::string> out;
  const ResourceGraph& graph = desk.engine->graph();
  const Grant* grant = desk.engine->grant(job);
  if (grant == nullptr) return out;
  for (const SelectedPools& taken : grant->selection.taken) {
    if (graph.type(taken.first) != graph.find_type("node")) continue;
    for (std::uint32_t i = 0; i < taken.count; ++i) {
      out.push_back(graph.name(PoolId{taken.first.v + i}));
    }
  }
  return out;
}

}  // namespace copse::queue
