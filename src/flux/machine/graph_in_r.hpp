// SPDX-License-Identifier: Apache-2.0
//
// The graph (JGF) in the key `scheduling` of the R of an instance, as the machine of that instance.
//
// R and its graph may differ. Flux leaves out excluded ranks, and numbers the ranks and cores of an
// instance in a job from 0, but passes the graph on unchanged. Rules, each for a whole graph:
//   ranks  A graph without ranks gets those of R, by the names of its nodes. Else names decide if
//          all hosts of R are different, and are in the graph. Else the ranks are those of R; and if R
//          has others, as many, the k-th rank of the graph is the k-th of R.
//   ids    on each rank: as the graph has them if those of R are among them; else the k-th id of a type
//          is the k-th of R, if there are as many.
// Pools of ranks that R does not have, and nodes without a rank, are no part of the machine. Pools
// without a rank that are no nodes (racks, disks of racks) are. Properties of R are added to the
// nodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "rset/rset.hpp"

namespace copse::flux {

struct GraphInR {
  ResourceGraph graph;
  std::vector<PoolId> outside;       // the tops of what is no part of the machine
  std::vector<std::string> remarks;  // what of R or of the graph is not used
};

// `r` is the text of R, `inventory` its value. Errors: those of read_jgf(); unsupported: the graph is
// not a machine with the ranks and cores of R; the text says why. O(length of the text).
[[nodiscard]] Result<GraphInR> graph_in_r(std::string_view r, const RSet& inventory);

}  // namespace copse::flux
