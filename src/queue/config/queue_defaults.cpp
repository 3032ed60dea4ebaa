// SPDX-License-Identifier: Apache-2.0
#include "queue/config/queue_defaults.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/saturating.hpp"

namespace copse::queue {

namespace {

// The type of what the first pool is below; kNoType: there is none.
TypeId type_above(const ResourceGraph& graph, const std::vector<PoolId>& pools) {
  const PoolId above = pools.empty() ? kNoPool : graph.parent(pools.front());
  return above == kNoPool ? kNoType : graph.type(above);
}

std::vector<PoolId> pools_of(const ResourceGraph& graph, std::string_view type) {
  const TypeId of = graph.find_type(type);
  return of == kNoType ? std::vector<PoolId>() : graph.of_type(of);
}

bool fewer_cpus(const CpusOfNode& a, const CpusOfNode& b) {
  return saturating_product(a.of_core, b.cores_each) < saturating_product(b.of_core, a.cores_each);
}

CpusOfNode fewest_cpus(const ResourceGraph& graph) {
  const std::vector<PoolId> nodes = pools_of(graph, "node");
  CpusOfNode out = nodes.empty() ? CpusOfNode() : cpus_of_node(graph, nodes.front());
  for (const PoolId node : nodes) out = std::min(out, cpus_of_node(graph, node), fewer_cpus);
  return out;
}

}  // namespace

QueueDefaults::QueueDefaults(JobDefaults defaults, const ResourceGraph& graph)
    : defaults_(std::move(defaults)) {
  gives_memory_ = std::ranges::any_of(defaults_.memory, [](const auto& of_queue) {
    return of_queue.second.of_cpu_mb > 0 || of_queue.second.of_node_mb > 0;
  });
  if (!gives_memory_) return;
  const std::vector<PoolId> memory = pools_of(graph, "memory");
  if (!memory.empty()) unit_ = graph.unit_text(memory.front());
  const TypeId above = type_above(graph, memory);
  counts_memory_ = unit_.size() > 1 && unit_.ends_with('B') && above != kNoType &&
                   above == type_above(graph, pools_of(graph, "core"));
  cpus_ = fewest_cpus(graph);
}

RequestDefaults QueueDefaults::of(std::string_view queue) const {
  RequestDefaults out{.whole_nodes = JobDefaults::of(defaults_.whole_nodes, queue)};
  if (!counts_memory_) return out;
  const DefaultMemory memory = JobDefaults::of(defaults_.memory, queue);
  const std::int64_t of_core_mb = saturating_product(memory.of_cpu_mb, cpus_.of_core);
  const std::int64_t rest = of_core_mb % cpus_.cores_each > 0 ? 1 : 0;
  out.memory_of_core = units_of_memory(of_core_mb / cpus_.cores_each + rest, unit_);
  out.memory_of_node = units_of_memory(memory.of_node_mb, unit_);
  return out;
}

std::string QueueDefaults::remark() const {
  if (!gives_memory_ || counts_memory_) return {};
  return "memory-per-cpu and memory-per-node have no effect: this machine has no memory, in units "
         "of bytes, next to its cores";
}

}  // namespace copse::queue
