// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/cluster_requests.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "request/constraint.hpp"
#include "request/resource_of.hpp"
#include "text/counted.hpp"

namespace copse::plan {

namespace {

constexpr std::int64_t kSlotsTried = 4096;  // of a node

std::vector<std::string> hosts_of(const std::string& text) {
  return expand_hostlist(text).value_or(std::vector<std::string>());
}

// Adds what a text of RFC 31 says; "" says nothing.
Result<void> add_constraint(const std::string& text, Constraint& to) {
  if (text.empty()) return {};
  auto parsed = parse_constraint(text);
  if (!parsed) return std::unexpected(parsed.error());
  to = to.empty() ? std::move(*parsed) : both(std::move(to), std::move(*parsed));
  return {};
}

}  // namespace

Result<std::uint32_t> ClusterRequests::add(Requests& to, const ClusterRequest& from,
                                           const Where& where) {
  std::string text =
      fmt::format("cluster {} {} {} {} {} {} {}", from.nodes, from.cpus, from.cpus_of_core,
                  from.whole_nodes, from.gpus_of_node, from.memory_of_node_mb, where.text);
  for (const GpuKind& kind : from.gpu_kinds) text += fmt::format(" {}:{}", kind.type, kind.of_node);
  if (const auto* known = to.find(text)) {
    take(notes_[*known]);
    return *known;
  }
  auto made = make(from, where);
  if (!made) return std::unexpected(made.error());
  auto number = to.add(text, std::move(made->request));
  if (!number) return number;
  notes_[*number] = made->notes;
  take(made->notes);
  return number;
}

void ClusterRequests::take(const Notes& notes) {
  without_memory_ += notes.without_memory ? 1 : 0;
  of_other_nodes_ += notes.differs ? 1 : 0;
  too_large_ += notes.too_large ? 1 : 0;
}

void ClusterRequests::add_remarks(std::vector<std::string>& to) const {
  if (without_memory_ > 0) {
    to.push_back(fmt::format("{} for memory, which is not counted: nodes have none in MB",
                             counted(without_memory_, "job asks", "jobs ask")));
  }
  if (of_other_nodes_ > 0) {
    to.push_back(fmt::format(
        "{} nodes with different cpus a core: {} cores are those that most of the nodes can give",
        counted(of_other_nodes_, "job may get", "jobs may get"),
        of_other_nodes_ == 1 ? "its" : "their"));
  }
  if (too_large_ > 0) {
    to.push_back(fmt::format("{} more cpus than a node has: {} whole nodes",
                             counted(too_large_, "job had", "jobs had"),
                             too_large_ == 1 ? "it gets" : "they get"));
  }
  if (rounded_) {
    to.emplace_back(
        "jobs whose cores and gpus cannot be divided evenly among sockets count some cores more; "
        "-T loop-aware counts exactly");
  }
}

Result<ClusterRequests::Made> ClusterRequests::make(const ClusterRequest& from,
                                                    const Where& where) {
  Made out;
  if (auto ok = add_constraint(where.text, out.request.constraint); !ok) {
    return std::unexpected(ok.error());
  }
  const std::int64_t on = std::max<std::int64_t>(from.nodes, 1);
  const std::int64_t cpus = (from.cpus + on - 1) / on;
  bool whole = from.whole_nodes || cpus == 0;
  NodeNeed need;
  if (!whole) {
    Constraint properties;
    if (auto ok = add_constraint(where.properties, properties); !ok) {
      return std::unexpected(ok.error());
    }
    const auto counts = nodes_.count(properties, hosts_of(from.hosts), hosts_of(from.other_hosts));
    std::vector<NodeKind> kinds = nodes_.kinds();
    for (NodeKind& kind : kinds) {
      if (from.cpus_of_core > 0) {
        kind.cpus.of_core = std::min(kind.cpus.of_core, from.cpus_of_core);
      }
    }
    need = need_of(cpus, from.gpus_of_node, kinds, counts);
    out.notes.differs = need.differs;
    if (options_.past && from.nodes > 0 && from.gpus_of_node == 0) {
      out.notes.too_large = more_than_any(need.cores, counts);
      whole = out.notes.too_large || takes_all(need);
    }
    if (std::ranges::find(need.too_few, true) != need.too_few.end()) {
      const auto others =
          fmt::format(R"({{"not": [{{"hostlist": ["{}"]}}]}})", nodes_.hosts_of(need.too_few));
      if (auto ok = add_constraint(others, out.request.constraint); !ok) {
        return std::unexpected(ok.error());
      }
    }
  }
  out.request.resources.push_back(whole ? resource_of("slot", on, {resource_of("node", 1)})
                                        : resource_of("node", on, slots_of(need, from)));
  out.notes.without_memory = from.memory_of_node_mb > 0 && !whole && !counts_memory(need);
  return out;
}

// Whether it asks for all cores of each node that it may get.
bool ClusterRequests::takes_all(const NodeNeed& need) const {
  bool any = false;
  for (std::size_t k = 0; k < need.used.size(); ++k) {
    if (!need.used[k]) continue;
    if (nodes_.kinds()[k].cores != need.cores) return false;
    any = true;
  }
  return any;
}

// Whether the nodes that it may get have equally many cores, and too few.
bool ClusterRequests::more_than_any(std::int64_t cores, const ClusterNodes::Counts& counts) const {
  std::int64_t of_each = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] <= 0) continue;
    const std::int64_t has = nodes_.kinds()[k].cores;
    if (has == 0 || has >= cores || (of_each > 0 && has != of_each)) return false;
    of_each = has;
  }
  return of_each > 0;
}

// A slot fits below one pool, but a job's part of a node may be spread over several sockets. So
// each core has a slot. Cores and gpus have separate slots if the traverser can match both; else
// there are equal slots with a part of the gpus each.
std::vector<Resource> ClusterRequests::slots_of(const NodeNeed& need, const ClusterRequest& from) {
  const std::int64_t cores = need.cores, gpus = from.gpus_of_node;
  std::vector<Resource> memory;
  if (from.memory_of_node_mb > 0 && counts_memory(need)) {
    memory.push_back(resource_of("memory", from.memory_of_node_mb));
  }
  if (gpus == 0 && memory.empty()) return {resource_of("slot", cores, {resource_of("core", 1)})};
  const bool parts = has_parts(need);
  if (parts && options_.several_slots) {
    std::vector<Resource> out{resource_of("slot", cores, {resource_of("core", 1)})};
    for (Resource& gpu : gpus_of(from)) {
      const std::int64_t count = std::exchange(gpu.count.min, 1);
      gpu.count.max = 1;
      out.push_back(resource_of("slot", count, {std::move(gpu)}));
      out.back().label =
          fmt::format("gpu{}", out.size() == 2 ? "" : std::to_string(out.size() - 1));
    }
    return out;
  }
  const std::int64_t slots = parts ? slots_on_parts(cores, gpus, kinds_of(need)) : 1;
  std::vector<Resource> inside{resource_of("core", (cores + slots - 1) / slots)};
  if (slots > 1) {
    inside.push_back(resource_of("gpu", gpus / slots));
  } else {
    std::ranges::move(gpus_of(from), std::back_inserter(inside));
  }
  std::ranges::move(memory, std::back_inserter(inside));
  return {resource_of("slot", slots, std::move(inside))};
}

// The gpus of a job on a node: by types that the machine has, and others.
std::vector<Resource> ClusterRequests::gpus_of(const ClusterRequest& from) const {
  std::vector<Resource> out;
  std::int64_t left = from.gpus_of_node;
  for (const GpuKind& kind : from.gpu_kinds) {
    const std::int64_t count = std::min(kind.of_node, left);
    if (count <= 0 || !nodes_.has_gpus(kind.type)) continue;
    out.push_back(resource_of("gpu", count));
    out.back().properties.push_back(kind.type);
    left -= count;
  }
  if (left > 0) out.push_back(resource_of("gpu", left));
  return out;
}

std::vector<const NodeKind*> ClusterRequests::kinds_of(const NodeNeed& need) const {
  std::vector<const NodeKind*> kinds;
  const bool any = std::ranges::find(need.used, true) != need.used.end();
  for (std::size_t k = 0; k < need.used.size(); ++k) {
    if (!any || need.used[k]) kinds.push_back(&nodes_.kinds()[k]);
  }
  return kinds;
}

bool ClusterRequests::has_parts(const NodeNeed& need) const {
  return std::ranges::any_of(kinds_of(need), [](const NodeKind* kind) { return kind->parts; });
}

// Whether the memory of a node can be in a slot with its cores.
bool ClusterRequests::counts_memory(const NodeNeed& need) const {
  return nodes_.has_memory() && !has_parts(need);
}

// The largest common divisor for which each slot fits below one pool; else the number of slots
// with the fewest additional cores. They fit into all of the nodes, if there is such a number; else
// into some.
std::int64_t ClusterRequests::slots_on_parts(std::int64_t cores, std::int64_t gpus,
                                             const std::vector<const NodeKind*>& kinds) {
  const auto of_slot = [&](std::int64_t slots) { return (cores + slots - 1) / slots; };
  const auto fits = [&](std::int64_t slots, bool all) {
    const auto in = [&](const NodeKind* kind) {
      return of_slot(slots) <= kind->cores_of_part && gpus / slots <= kind->gpus_of_part;
    };
    return all ? std::ranges::all_of(kinds, in) : std::ranges::any_of(kinds, in);
  };
  const std::int64_t both = std::gcd(cores, gpus);
  for (const bool all : {true, false}) {
    if (fits(both, all)) return both;
    std::int64_t best = 0;
    for (std::int64_t slots = 1; slots <= std::min(gpus, kSlotsTried); ++slots) {
      if (gpus % slots != 0 || !fits(slots, all)) continue;
      if (best == 0 || of_slot(slots) * slots < of_slot(best) * best) best = slots;
    }
    if (best == 0) continue;
    rounded_ |= of_slot(best) * best > cores;
    return best;
  }
  return both;
}

}  // namespace copse::plan
