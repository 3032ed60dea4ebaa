// SPDX-License-Identifier: Apache-2.0
//
// In what the nodes of a machine differ, as far as the requests of a cluster's jobs depend on it: how
// many cores a cpu is, and how cores and gpus lie in parts of a node. A job's numbers are converted by
// the nodes that it may get, not by all of the machine.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "copse/graph.hpp"
#include "copse/request.hpp"
#include "formats/cluster_jobs.hpp"

namespace copse::plan {

struct NodeKind {
  CpusOfNode cpus;
  std::int64_t cores = 0, gpus = 0;
  bool parts = false;                                // cores are in sockets or similar
  std::int64_t cores_of_part = 0, gpus_of_part = 0;  // the most below one pool
  auto operator<=>(const NodeKind&) const = default;
};

class ClusterNodes {
 public:
  // The graph must outlive it. O(pools).
  explicit ClusterNodes(const ResourceGraph& graph);

  // The nodes that a job may get: the number of each kind, by the number of the kind.
  using Counts = std::vector<std::int64_t>;
  // Those that satisfy `properties`, are among `hosts` (unless these are empty), and not among
  // `others`. O(groups of nodes with equal properties + hosts).
  [[nodiscard]] Counts count(const Constraint& properties, const std::vector<std::string>& hosts,
                             const std::vector<std::string>& others) const;
  [[nodiscard]] const std::vector<NodeKind>& kinds() const { return kinds_; }
  // Whether nodes have divisible memory in MB, and whether some have gpus with a property.
  [[nodiscard]] bool has_memory() const { return has_memory_; }
  [[nodiscard]] bool has_gpus(const std::string& property) const {
    return gpu_properties_.contains(property);
  }
  // The names of all nodes of some kinds, as a hostlist. O(nodes).
  [[nodiscard]] std::string hosts_of(const std::vector<bool>& kinds) const;

 private:
  using Properties = std::map<std::string, std::string>;
  struct Group {
    std::size_t kind = 0;
    const Properties* properties = nullptr;  // null: none
    std::int64_t nodes = 0;
  };

  void add(PoolId node, TypeId core, TypeId gpu);

  const ResourceGraph& graph_;
  std::vector<NodeKind> kinds_;
  std::vector<Group> groups_;
  std::vector<std::pair<std::string, std::size_t>> nodes_;  // name, group
  std::unordered_map<std::string_view, std::size_t> by_name_;
  bool has_memory_ = false;
  std::set<std::string> gpu_properties_;
};

// The cores that a job asks for on each node, as cpus of the nodes that it may get.
struct NodeNeed {
  std::int64_t cores = 0;
  std::vector<bool> used{};     // by kind: the nodes that can serve that many cores
  std::vector<bool> too_few{};  // by kind: nodes that could, but whose cpus are not enough
  bool differs = false;         // on other nodes it would need another number
};
// The number of cores that most of the nodes can serve, where their cpus differ. Without any that
// fits, the smallest. REQUIRES cpus_of_node > 0.
[[nodiscard]] NodeNeed need_of(std::int64_t cpus_of_node, std::int64_t gpus_of_node,
                               const std::vector<NodeKind>& kinds,
                               const ClusterNodes::Counts& counts);

}  // namespace copse::plan
