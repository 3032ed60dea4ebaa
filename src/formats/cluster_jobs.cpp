// SPDX-License-Identifier: Apache-2.0
#include "formats/cluster_jobs.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "base/saturating.hpp"

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

// The number of sockets through which the cores of a node are numbered; 0: unknown.
std::int64_t sockets_of(const ResourceGraph& graph, PoolId node) {
  if (const auto sockets = number_in_tag(graph, node, "sockets")) return *sockets;
  return std::ssize(below(graph, node, "socket"));
}

std::string too_few(const std::string& host, std::int64_t units, std::string_view what) {
  return fmt::format("{} has {} too few of {} for it", host, units, what);
}

}  // namespace

std::int64_t units_of_memory(std::int64_t memory_mb, std::string_view unit) {
  constexpr std::int64_t kStep = 1024;
  std::int64_t of_unit_mb = 1;
  if (unit.starts_with('G')) of_unit_mb = kStep;
  if (unit.starts_with('T')) of_unit_mb = kStep * kStep;
  if (unit.starts_with('K') || unit.starts_with('k')) return saturating_product(memory_mb, kStep);
  return (memory_mb + of_unit_mb - 1) / of_unit_mb;
}

CpusOfNode cpus_of_node(const ResourceGraph& graph, PoolId node) {
  const auto number = [&](const char* tag) {
    return std::max<std::int64_t>(number_in_tag(graph, node, tag).value_or(1), 1);
  };
  return {.of_core = number("threads_per_core"),
          .cores_each = number("cores_per_cpu"),
          .known = number_in_tag(graph, node, "sockets").has_value()};
}

ClusterPools::ClusterPools(const ResourceGraph& graph) : graph_(graph) {
  for (const PoolId node : graph.of_type(graph.find_type("node"))) {
    nodes_.emplace(graph.name(node), node);
  }
}

ClusterPools::Found ClusterPools::of(const ClusterJob& job) {
  Found out;
  if (job.spread > 0) {
    for (const NodeShare& share : spread_by_size(job)) take(share, out);
  } else {
    for (const NodeShare& share : job.nodes) take(share, out);
  }
  return out;
}

// Even shares, where each node has as much; else small nodes give all that they have, and the others
// the rest.
std::vector<NodeShare> ClusterPools::spread_by_size(const ClusterJob& job) const {
  std::vector<NodeShare> out = job.nodes;
  std::vector<std::pair<std::int64_t, std::size_t>> sizes;  // in the units of the job
  bool fits = true;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto at = nodes_.find(out[i].host);
    if (at == nodes_.end()) return out;
    const std::int64_t cores = std::ssize(below(graph_, at->second, "core"));
    const CpusOfNode cpus = cpus_of_node(graph_, at->second);
    const std::int64_t size = out[i].cpus_anywhere ? cores * cpus.of_core / cpus.cores_each : cores;
    fits = fits && size >= out[i].cores_anywhere;
    sizes.emplace_back(size, i);
  }
  if (fits) return out;
  std::ranges::sort(sizes);
  std::int64_t left = job.spread;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto on = static_cast<std::int64_t>(sizes.size() - i);
    const auto [size, number] = sizes[i];
    const std::int64_t even = (left + on - 1) / on;
    out[number].cores_anywhere = on == 1 ? left : std::min(even, size);
    left -= out[number].cores_anywhere;
  }
  return out;
}

void ClusterPools::take(const NodeShare& share, Found& out) {
  const auto at = nodes_.find(share.host);
  if (at == nodes_.end()) {
    out.missing.push_back("the machine has no node " + share.host);
    return;
  }
  const PoolId node = at->second;
  if (share.whole) {
    graph_.preorder(node, [&](PoolId p) {
      out.pools.push_back(p);
      given_.insert(p.v);
      return true;
    });
    return;
  }
  take_cores(share, node, out);
  out.gpus_unknown |= share.gpus_unknown && !below(graph_, node, "gpu").empty();
  for (const DeviceShare& device : share.devices) {
    std::vector<PoolId> pools = below(graph_, node, device.type);
    if (device.ids.empty()) prefer(pools, device.property);
    if (pools.empty()) continue;  // a machine need not have every kind of device
    if (device.ids.empty()) {
      if (const std::int64_t few = take_any(pools, device.count, out); few > 0) {
        out.missing.push_back(too_few(share.host, few, device.type));
      }
      continue;
    }
    for (const PoolId p : pools) {
      if (!device.ids.contains(graph_.id(p))) continue;
      if (given_.insert(p.v).second) {
        out.pools.push_back(p);
      } else {
        out.missing.push_back(
            fmt::format("another job has {} of {}, too", graph_.name(p), share.host));
      }
    }
  }
  // A request for more memory than the node has is a rounding by Slurm.
  const std::vector<PoolId> memory = below(graph_, node, "memory");
  if (memory.empty()) return;
  (void)take_any(memory, units_of_memory(share.memory_mb, graph_.unit_text(memory.front())), out);
}

void ClusterPools::take_cores(const NodeShare& share, PoolId node, Found& out) {
  const std::vector<PoolId> cores = below(graph_, node, "core");
  const std::int64_t sockets = sockets_of(graph_, node);
  const auto numbered = number_in_tag(graph_, node, "cores_per_socket");  // some are not there
  std::int64_t anywhere = share.cores_anywhere;
  if (share.cpus_anywhere) {
    CpusOfNode cpus = cpus_of_node(graph_, node);
    const std::int64_t used = share.cpus_of_core;
    if (used > 0) cpus.of_core = cpus.known ? std::min(used, cpus.of_core) : used;
    anywhere = cpus.cores(anywhere);
  }
  if (sockets == 0) {
    anywhere += std::ssize(share.cores);
  } else {
    const std::int64_t each = numbered ? *numbered : std::ssize(cores) / sockets;
    for (const auto& [socket, number] : share.cores) {
      const std::int64_t place = socket * each + number;
      const auto at = numbered
                          ? std::ranges::find(cores, place, [&](PoolId p) { return graph_.id(p); })
                          : cores.begin() + std::min<std::int64_t>(place, std::ssize(cores));
      if (socket >= sockets || number >= each || at == cores.end()) {
        out.missing.push_back(
            fmt::format("{} has no core {} in socket {}", share.host, number, socket));
        continue;
      }
      if (given_.insert(at->v).second) {
        out.pools.push_back(*at);
      } else {
        out.missing.push_back(fmt::format("another job has core {} in socket {} of {}, too", number,
                                          socket, share.host));
      }
    }
  }
  if (const std::int64_t few = take_any(cores, anywhere, out); few > 0) {
    out.missing.push_back(too_few(share.host, few, "core"));
  }
}

// Leaves the pools with the property, if there are any: a list may know types that the machine does
// not have.
void ClusterPools::prefer(std::vector<PoolId>& pools, const std::string& property) const {
  if (property.empty()) return;
  const auto has = [&](PoolId p) {
    const auto* properties = graph_.properties(p);
    return properties != nullptr && properties->contains(property);
  };
  if (std::ranges::any_of(pools, has)) std::erase_if(pools, [&](PoolId p) { return !has(p); });
}

std::int64_t ClusterPools::take_any(const std::vector<PoolId>& pools, std::int64_t units,
                                    Found& out) {
  for (const PoolId p : pools) {
    if (units <= 0) return 0;
    if (graph_.divisible(p)) {
      units -= take_units(p, units, out);
      continue;
    }
    if (!given_.insert(p.v).second) continue;
    out.pools.push_back(p);
    units -= graph_.size(p);
  }
  return std::max<std::int64_t>(units, 0);
}

// Takes units of a divisible pool, as far as other jobs left them; returns how many.
std::int64_t ClusterPools::take_units(PoolId pool, std::int64_t units, Found& out) {
  if (given_.contains(pool.v)) return 0;  // with its whole node
  std::int64_t& taken = units_[pool.v];
  const std::int64_t some = std::min(units, graph_.size(pool) - taken);
  if (some <= 0) return 0;
  taken += some;
  out.pools.push_back(pool);
  out.amounts.push_back({pool, some});
  return some;
}

Result<void> check_job_ids(const ClusterJobs& list, std::string_view file,
                           std::span<const std::uint32_t> lines) {
  assert(lines.empty() || lines.size() == list.jobs.size());
  std::vector<std::pair<std::string_view, std::size_t>> ids;
  ids.reserve(list.jobs.size());
  for (std::size_t i = 0; i < list.jobs.size(); ++i) ids.emplace_back(list.jobs[i].id, i);
  std::ranges::sort(ids);
  const auto alike = [](const auto& a, const auto& b) { return a.first == b.first; };
  const auto twice = std::ranges::adjacent_find(ids, alike);
  if (twice == ids.end()) return {};
  const std::size_t second = std::next(twice)->second;
  return fail(ErrorCode::invalid,
              fmt::format("two jobs have the id {}: list each job once", shown_word(twice->first)),
              {std::string(file), lines.empty() ? 0 : lines[second], 0});
}

}  // namespace copse
