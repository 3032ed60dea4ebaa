// SPDX-License-Identifier: Apache-2.0
//
// What jobs of Flux ask for, as requests of the engine.
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

// A jobspec. Requests of the same key are alike, apart from durations.
struct ParsedJob {
  std::string key;
  std::shared_ptr<const Request> request;
  std::int64_t duration_s = 0;
  std::string queue;
};
// Errors: those of parse_jobspec(); invalid (a duration that is none).
[[nodiscard]] Result<ParsedJob> parse_job(std::string_view jobspec);

// What a job that runs may have asked for. Jobs that have whole nodes are counted by nodes
// (queue/node_counts.hpp); the other one stands for whatever else a job may have.
[[nodiscard]] Request nodes_request(std::int64_t nodes);
[[nodiscard]] Request core_request();

// Why the machine can never do it: both words of Fluxion's and of sched-simple's notes are in it,
// which scripts look for, and a type of which the machine has nothing at all.
[[nodiscard]] std::string unsatisfiable(const Request& request, const ResourceGraph& graph,
                                        const std::string& why);
// Whether the machine could ever do it, were it empty and all up. Errors: those of a match, in these
// words and with numbers.
[[nodiscard]] Result<void> fits_empty(Engine& engine, const Request& request);

// RFC 20: how many slots an allocation has. Where a count is a range, by what one slot has. 0: not
// known.
[[nodiscard]] std::int64_t slots_of(const Request& request, const RSet& r);

}  // namespace copse::flux
