// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/cluster_nodes.hpp"

#include <algorithm>
#include <cassert>

#include "base/hostlist.hpp"
#include "request/constraint.hpp"

namespace copse::plan {

namespace {

// The pools of a type below a node, and the most of them directly below one pool.
struct Parts {
  std::int64_t all = 0, most = 0;
  bool deep = false;  // not all are directly below the node
};

Parts parts_of(const ResourceGraph& graph, PoolId node, TypeId type) {
  Parts out;
  std::int64_t here = 0;
  PoolId last = kNoPool;
  graph.preorder(node, [&](PoolId p) {
    if (p == node || graph.type(p) != type) return true;
    const PoolId above = graph.parent(p);
    here = above == last ? here + graph.size(p) : graph.size(p);
    last = above;
    out.all += graph.size(p);
    out.most = std::max(out.most, here);
    out.deep |= above != node;
    return true;
  });
  return out;
}

}  // namespace

ClusterNodes::ClusterNodes(const ResourceGraph& graph) : graph_(graph) {
  const TypeId core = graph.find_type("core"), gpu = graph.find_type("gpu");
  for (const PoolId node : graph.of_type(graph.find_type("node"))) add(node, core, gpu);
  for (const auto& [name, group] : nodes_) by_name_.emplace(name, group);
  const TypeId memory = graph.find_type("memory"), node = graph.find_type("node");
  if (memory != kNoType && graph.divisible(memory)) {
    has_memory_ = std::ranges::any_of(graph.of_type(memory), [&](PoolId p) {
      const PoolId up = graph.parent(p);
      return up != kNoPool && graph.type(up) == node && graph.unit_text(p) == "MB";
    });
  }
  for (const PoolId p : gpu == kNoType ? std::vector<PoolId>() : graph.of_type(gpu)) {
    const auto* properties = graph.properties(p);
    if (properties == nullptr) continue;
    for (const auto& [name, value] : *properties) gpu_properties_.insert(name);
  }
}

void ClusterNodes::add(PoolId node, TypeId core, TypeId gpu) {
  const Parts cores = core == kNoType ? Parts{} : parts_of(graph_, node, core);
  const Parts gpus = gpu == kNoType ? Parts{} : parts_of(graph_, node, gpu);
  const NodeKind kind{.cpus = cpus_of_node(graph_, node),
                      .cores = cores.all,
                      .gpus = gpus.all,
                      .parts = cores.deep,
                      .cores_of_part = cores.most,
                      .gpus_of_part = gpus.most};
  auto at = std::ranges::find(kinds_, kind);
  if (at == kinds_.end()) at = kinds_.insert(kinds_.end(), kind);
  const auto number = static_cast<std::size_t>(at - kinds_.begin());
  const Properties* const properties = graph_.properties(node);
  const auto alike = [&](const Group& group) {
    if (group.kind != number) return false;
    if (group.properties == nullptr || properties == nullptr) return group.properties == properties;
    return *group.properties == *properties;
  };
  // Nodes of one line of a file follow each other: the last groups first.
  auto group = std::find_if(groups_.rbegin(), groups_.rend(), alike);
  if (group == groups_.rend()) {
    groups_.push_back({number, properties, 0});
    group = groups_.rbegin();
  }
  ++group->nodes;
  nodes_.emplace_back(graph_.name(node), static_cast<std::size_t>(groups_.rend() - group) - 1);
}

ClusterNodes::Counts ClusterNodes::count(const Constraint& properties,
                                         const std::vector<std::string>& hosts,
                                         const std::vector<std::string>& others) const {
  Counts out(kinds_.size(), 0);
  std::vector<bool> fits;
  fits.reserve(groups_.size());
  for (const Group& group : groups_) {
    fits.push_back(holds(properties, {.name = {}, .properties = group.properties}));
    if (fits.back() && hosts.empty()) out[group.kind] += group.nodes;
  }
  const auto add_named = [&](const std::vector<std::string>& names, std::int64_t each) {
    for (const std::string& name : names) {
      const auto node = by_name_.find(name);
      if (node != by_name_.end() && fits[node->second]) out[groups_[node->second].kind] += each;
    }
  };
  add_named(hosts, 1);
  if (hosts.empty()) add_named(others, -1);
  return out;
}

std::string ClusterNodes::hosts_of(const std::vector<bool>& kinds) const {
  std::vector<std::string> names;
  for (const auto& [name, group] : nodes_) {
    if (kinds[groups_[group].kind]) names.push_back(name);
  }
  return compress_hostlist(names);
}

NodeNeed need_of(std::int64_t cpus_of_node, std::int64_t gpus_of_node,
                 const std::vector<NodeKind>& kinds, const ClusterNodes::Counts& counts) {
  assert(cpus_of_node > 0 && kinds.size() == counts.size());
  NodeNeed out;
  std::int64_t most = 0;
  const auto is_there = [&](std::size_t k) { return counts[k] > 0; };
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const std::int64_t cores = kinds[k].cpus.cores(cpus_of_node);
    if (!is_there(k) && std::ranges::any_of(counts, [](auto n) { return n > 0; })) continue;
    std::int64_t nodes = 0;
    for (std::size_t other = 0; other < kinds.size(); ++other) {
      const bool serves = kinds[other].cpus.cores(cpus_of_node) <= cores &&
                          cores <= kinds[other].cores && gpus_of_node <= kinds[other].gpus;
      if (serves) nodes += std::max<std::int64_t>(counts[other], 0);
    }
    if (out.cores == 0 || nodes > most || (nodes == most && cores < out.cores)) {
      most = nodes;
      out.cores = cores;
    }
  }
  if (out.cores == 0) out.cores = cpus_of_node;  // a machine without nodes
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const std::int64_t own = kinds[k].cpus.cores(cpus_of_node);
    const bool has_room = is_there(k) && out.cores <= kinds[k].cores;
    out.used.push_back(has_room && own <= out.cores && gpus_of_node <= kinds[k].gpus);
    out.too_few.push_back(has_room && own > out.cores);
    const bool could = is_there(k) && own <= kinds[k].cores && gpus_of_node <= kinds[k].gpus;
    out.differs |= could && own != out.cores;
  }
  return out;
}

}  // namespace copse::plan
