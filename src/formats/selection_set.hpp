// SPDX-License-Identifier: Apache-2.0
//
// What a selection has, as an RSet: the value that R (RFC 20) is written from.
#pragma once

#include <string>
#include <vector>

#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "rset/rset.hpp"

namespace copse {

// Cores and gpus by rank, with the hosts and properties of their nodes; of what is taken whole, all
// that is below it. Without properties that begin with '+', which mean something to this instance
// only (RFC 20). Nodes in ascending order of ranks; times and slots are for the caller to set.
// Keeps its scratch memory. O(pools taken · log nodes).
class SelectionSet {
 public:
  [[nodiscard]] RSet make(const ResourceGraph& graph, const Selection& selection);

 private:
  struct Node {
    std::int64_t rank = 0;
    PoolId pool;
    std::vector<Idset::Range> cores, gpus;
  };
  std::vector<ExpandedPool> pools_;
  std::vector<Node> nodes_;
};

}  // namespace copse
