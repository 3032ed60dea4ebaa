// SPDX-License-Identifier: Apache-2.0
//
// The cores and GPUs of a selection by node: what all forms of R (RFC 20) are written from.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "rset/rset.hpp"

namespace copse {

// Adds the contents of each exclusive pool below which no core and no GPU is listed, so that an R of
// whole nodes has their cores. Cost: O(pools); allocates nothing if nothing is missing.
void list_contents(const ResourceGraph& graph, std::vector<ExpandedPool>& pools);

// Keeps its scratch memory from one selection to the next. One thread each.
class SelectedNodes {
 public:
  struct Node {
    std::int64_t rank;
    PoolId pool;
    std::uint32_t core_first, core_count, gpu_first, gpu_count;
  };
  // The nodes with cores or GPUs among the pools, ascending by rank. `pools` has children before their
  // parents, as copse::expand gives them. Cost: O(pools + nodes · log nodes).
  std::span<const Node> collect(const ResourceGraph& graph, std::span<const ExpandedPool> pools);
  // Ids of the last collect(), in the order of the pools.
  [[nodiscard]] std::span<std::int64_t> cores(const Node& node) {
    return std::span(cores_).subspan(node.core_first, node.core_count);
  }
  [[nodiscard]] std::span<std::int64_t> gpus(const Node& node) {
    return std::span(gpus_).subspan(node.gpu_first, node.gpu_count);
  }

 private:
  std::vector<std::int64_t> cores_, gpus_;
  std::vector<Node> nodes_;
};

// The properties of GPUs as properties of ranks (RFC 20): "h200@gpu" if all of a rank's listed GPUs have
// it, else "h200@gpu[0-1]". Properties with a value are left out. O(pools · log properties).
[[nodiscard]] std::map<std::string, std::vector<Idset::Range>> device_properties(
    const ResourceGraph& graph, std::span<const ExpandedPool> pools);

// Whether device_properties() says this property of a node: one that an R gave for GPUs of its rank.
// O(pools of the rank).
[[nodiscard]] bool is_of_devices(const ResourceGraph& graph, PoolId node,
                                 std::string_view property);

// Cores and GPUs by rank, with the hosts and properties of their nodes; of whole pools, all that is
// below. Omits properties that begin with '+', which are private to an instance (RFC 20). Nodes ascend
// by rank; the caller sets times and slots. Keeps its scratch memory. O(pools · log nodes).
class SelectionSet {
 public:
  [[nodiscard]] RSet make(const ResourceGraph& graph, const Selection& selection);

 private:
  std::vector<ExpandedPool> pools_;
  SelectedNodes nodes_;
};

}  // namespace copse
