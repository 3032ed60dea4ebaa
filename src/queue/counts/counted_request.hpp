// SPDX-License-Identifier: Apache-2.0
//
// CountedRequest: what a request takes, if its numbers decide when it can start: nodes, no matter
// which of a set, and amounts of hierarchical resources. It takes
//   whole nodes   slot=N/node
//   their cores   slot=N/core, on a machine of nodes of one core each
//   most of them  node=N/slot=K/core=C, on nodes of fewer than 2·K·C cores: no other such job fits
//                 into the rest
//
// What cannot be planned by counts: other parts of nodes, ranges of counts, alternatives, layers that
// overlap (modes 1 and 2 with several layers), variables that depend on nodes, auxiliary subsystems.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "queue/counts/counted_nodes.hpp"

namespace copse::queue {

struct CountedRequest {
  struct Amount {  // of a hierarchical resource
    std::string resource;
    std::int64_t amount = 0;
    bool each_node = false;  // mode 3: for each node
    bool operator==(const Amount&) const = default;
  };
  std::int64_t nodes = 0;
  std::shared_ptr<const NodeSet> among;  // these nodes; requests may share it
  std::vector<Amount> amounts;
};

// The number of whole nodes that a request asks for, whatever its constraint and hierarchical
// resources; 0: another request.
[[nodiscard]] std::int64_t requested_nodes(const Request& request);

// The same for all requests that can be counted.
[[nodiscard]] std::int64_t counted_nodes(const Request& request);

// nullopt: numbers do not decide. REQUIRES that the request fits the empty machine. O(nodes).
[[nodiscard]] std::optional<CountedRequest> counted_request(const Request& request,
                                                            const Engine& engine,
                                                            const CountedNodes& nodes);

}  // namespace copse::queue
