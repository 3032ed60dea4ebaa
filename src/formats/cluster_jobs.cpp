// SPDX-License-Identifier: Apache-2.0
#include "formats/cluster_jobs.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace copse {

namespace {

// The pools of a type below a node, in preorder.
std::vector<PoolId> below(const ResourceGraph& graph, PoolId node, std::string_view type) {
  std::vector<PoolId> out;
  const TypeId wanted = graph.find_type(type);
  graph.preorder(node, [&](PoolId p) {
    if (p != node && graph.type(p) == wanted) out.push_back(p);
    return true;
  });
  return out;
}

std::optional<std::int64_t> number_in_tag(const ResourceGraph& graph, PoolId pool,
                                          const std::string& name) {
  const auto* tags = graph.tags(pool);
  if (tags == nullptr) return std::nullopt;
  const auto tag = tags->find(name);
  if (tag == tags->end()) return std::nullopt;
  std::int64_t out = 0;
  std::from_chars(tag->second.data(), tag->second.data() + tag->second.size(), out);
  return out;
}

// How many sockets the cores of a node are numbered through; 0: a machine that does not say so.
std::int64_t sockets_of(const ResourceGraph& graph, PoolId node) {
  if (const auto sockets = number_in_tag(graph, node, "sockets")) return *sockets;
  return std::ssize(below(graph, node, "socket"));
}

// Hardware threads of a core, where a machine says so.
std::int64_t threads_of(const ResourceGraph& graph) {
  const auto threads = number_in_tag(graph, graph.root(), "threads_per_core");
  return std::max<std::int64_t>(threads.value_or(1), 1);
}

}  // namespace

ClusterPools::ClusterPools(const ResourceGraph& graph) : graph_(graph) {
  for (const PoolId node : graph.of_type(graph.find_type("node"))) {
    nodes_.emplace(graph.name(node), node);
  }
}

Result<std::vector<PoolId>> ClusterPools::of(const ClusterJob& job) {
  std::vector<PoolId> out;
  for (const NodeShare& share : job.nodes) {
    if (auto ok = take(share, out); !ok) {
      return fail(ok.error().code, fmt::format("job {}: {}", job.id, ok.error().text));
    }
  }
  return out;
}

Result<void> ClusterPools::take(const NodeShare& share, std::vector<PoolId>& out) {
  const auto at = nodes_.find(share.host);
  if (at == nodes_.end()) {
    return fail(ErrorCode::not_found, "the machine has no node " + share.host);
  }
  const PoolId node = at->second;
  if (share.whole) {
    graph_.preorder(node, [&](PoolId p) {
      out.push_back(p);
      given_.insert(p.v);
      return true;
    });
    return {};
  }
  if (auto ok = take_cores(share, node, out); !ok) return ok;
  for (const DeviceShare& device : share.devices) {
    const std::vector<PoolId> pools = below(graph_, node, device.type);
    if (pools.empty()) continue;  // a machine need not have every kind of device
    if (device.ids.empty()) {
      if (auto ok = take_any(share, pools, device.count, device.type, out); !ok) return ok;
      continue;
    }
    for (const PoolId p : pools) {
      if (device.ids.contains(graph_.id(p)) && given_.insert(p.v).second) out.push_back(p);
    }
  }
  const std::vector<PoolId> memory = below(graph_, node, "memory");
  if (memory.empty()) return {};
  // What is asked of memory beyond a node's own is a rounding of Slurm's.
  const auto ok = take_any(share, memory, share.memory_mb, "memory", out);
  if (!ok && ok.error().code != ErrorCode::insufficient) return ok;
  return {};
}

Result<void> ClusterPools::take_cores(const NodeShare& share, PoolId node,
                                      std::vector<PoolId>& out) {
  const std::vector<PoolId> cores = below(graph_, node, "core");
  const std::int64_t sockets = sockets_of(graph_, node);
  const std::int64_t threads = share.cpus_anywhere ? threads_of(graph_) : 1;
  std::int64_t anywhere = (share.cores_anywhere + threads - 1) / threads;
  if (sockets == 0) {
    anywhere += std::ssize(share.cores);
  } else {
    const std::int64_t each = std::ssize(cores) / sockets;
    for (const auto& [socket, number] : share.cores) {
      if (socket >= sockets || number >= each) {
        return fail(ErrorCode::not_found,
                    fmt::format("{} has no core {} in socket {}", share.host, number, socket));
      }
      const PoolId core = cores[static_cast<std::size_t>(socket * each + number)];
      if (given_.insert(core.v).second) out.push_back(core);
    }
  }
  return take_any(share, cores, anywhere, "core", out);
}

Result<void> ClusterPools::take_any(const NodeShare& share, const std::vector<PoolId>& pools,
                                    std::int64_t units, std::string_view what,
                                    std::vector<PoolId>& out) {
  for (const PoolId p : pools) {
    if (units <= 0) return {};
    if (!given_.insert(p.v).second) continue;
    out.push_back(p);
    units -= graph_.size(p);
  }
  if (units <= 0) return {};
  return fail(ErrorCode::insufficient,
              fmt::format("{} has {} too few of {} for it", share.host, units, what));
}

}  // namespace copse
