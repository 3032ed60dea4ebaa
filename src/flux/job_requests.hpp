// SPDX-License-Identifier: Apache-2.0
//
// The jobspecs of Flux jobs as requests to the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "copse/engine.hpp"
#include "copse/graph.hpp"
#include "copse/request.hpp"
#include "rset/rset.hpp"

namespace copse::flux {

// A parsed jobspec. Requests with the same key differ at most in their duration.
struct ParsedJob {
  std::string key;
  std::shared_ptr<const Request> request;
  std::int64_t duration_s = 0;
  std::string queue;
};
// Errors: those of parse_jobspec(); invalid (the duration is not a duration).
[[nodiscard]] Result<ParsedJob> parse_job(std::string_view jobspec);

// Substitutes for the unknown request of a running job. Jobs with whole nodes count as nodes
// (queue/node_counts.hpp); core_request() is for all others.
[[nodiscard]] Request nodes_request(std::int64_t nodes);
[[nodiscard]] Request core_request();

// The note for a request that the machine can never satisfy. It has the words of both Fluxion's and
// sched-simple's notes, which scripts look for, and names a resource type that the machine lacks.
[[nodiscard]] std::string unsatisfiable(const Request& request, const ResourceGraph& graph,
                                        const std::string& why);
// Whether the request fits the machine if it is empty and all nodes are up. Errors: those of a match,
// with the text of unsatisfiable().
[[nodiscard]] Result<void> fits_empty(Engine& engine, const Request& request);

// The number of slots of an allocation (RFC 20). If a count is a range, it is computed from the cores
// of one slot. 0: unknown.
[[nodiscard]] std::int64_t slots_of(const Request& request, const RSet& r);

}  // namespace copse::flux
