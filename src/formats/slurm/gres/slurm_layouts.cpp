// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/gres/slurm_layouts.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "base/idset_algebra.hpp"

namespace copse {

namespace {

Idset range_of(std::int64_t first, std::int64_t last) {
  Idset out;
  if (first <= last) out.add_range(first, last);
  return out;
}

// The GPUs that share a set of near cores.
struct Near {
  Idset cores, gpus;
};

struct Gpus {
  Idset all;
  std::vector<Near> sets;  // in the order of the text
};

// With the numbers that graph_of_slurm() gives them.
Gpus gpus_of(const SlurmNode& node) {
  Gpus found;
  std::vector<Near>& out = found.sets;
  std::int64_t next = 0;
  for (const SlurmGres& gres : node.gres) {
    if (gres.name != "gpu") continue;
    const std::int64_t pools = gres.count > kGresPoolsMax ? 1 : gres.count;
    const Idset gpus = range_of(next, next + pools - 1);
    found.all = unite(found.all, gpus);
    next += pools;
    if (gres.cores.empty() || pools == 0) continue;
    auto at = std::ranges::find(out, gres.cores, &Near::cores);
    if (at == out.end()) at = out.insert(out.end(), {gres.cores, {}});
    at->gpus = unite(at->gpus, gpus);
  }
  return found;
}

// A set of near cores that is a part of a socket, and in no other such part.
bool is_part(const Near& near, const Idset& socket, const std::vector<const Near*>& here) {
  return near.cores != socket && std::ranges::none_of(here, [&](const Near* other) {
           return other != &near && other->cores != socket &&
                  !intersect(near.cores, other->cores).empty();
         });
}

// Adds a socket and its parts. `here`: the sets of near cores in it.
void add_socket(const Idset& cores, const std::vector<const Near*>& here, Layout& to) {
  Domain socket{.name = "socket"};
  std::vector<Domain> parts;
  Idset own = cores, gpus;
  for (const Near* near : here) {
    if (is_part(*near, cores, here)) {
      parts.push_back({.name = "numa", .cores = near->cores.ranges(), .gpus = near->gpus.ranges()});
      own = subtract(own, near->cores);
    } else {
      gpus = unite(gpus, near->gpus);
    }
  }
  socket.cores = own.ranges();
  socket.gpus = gpus.ranges();
  const auto above = static_cast<std::uint32_t>(to.domains.size());
  to.domains.push_back(std::move(socket));
  for (Domain& part : parts) {
    part.parent = above;
    to.domains.push_back(std::move(part));
  }
}

Layout layout_of(const SlurmNode& node) {
  const Gpus found = gpus_of(node);
  std::map<std::int64_t, std::vector<const Near*>> of_sockets;
  Idset others = found.all;
  for (const Near& near : found.sets) {
    const auto& ranges = near.cores.ranges();
    const std::int64_t socket = ranges.front().first / node.cores;
    if (ranges.back().second / node.cores != socket) continue;
    of_sockets[socket].push_back(&near);
    others = subtract(others, near.gpus);
  }
  Layout out;
  out.domains.emplace_back();
  out.domains.front().gpus = others.ranges();
  for (std::int64_t s = 0; s < node.sockets; ++s) {
    add_socket(range_of(s * node.cores, (s + 1) * node.cores - 1), of_sockets[s], out);
  }
  return out;
}

// Nodes with equal keys have equal layouts.
std::string key_of(const SlurmNode& node) {
  std::string out = fmt::format("{} {}", node.sockets, node.cores);
  for (const SlurmGres& gres : node.gres) {
    if (gres.name == "gpu") out += fmt::format(" {}:{}", gres.count, gres.cores.text());
  }
  return out;
}

}  // namespace

Layouts layouts_of_slurm(const SlurmMachine& machine) {
  Layouts out;
  std::map<std::string, std::uint32_t> by_key;
  for (std::size_t i = 0; i < machine.nodes.size(); ++i) {
    const SlurmNode& node = machine.nodes[i];
    const auto [at, is_new] = by_key.try_emplace(key_of(node), 0);
    if (is_new) {
      Layout layout = layout_of(node);
      const auto same = std::ranges::find(out.layouts, layout);
      at->second = static_cast<std::uint32_t>(same - out.layouts.begin());
      if (same == out.layouts.end()) out.layouts.push_back(std::move(layout));
    }
    const auto rank = static_cast<std::int64_t>(i);
    if (!out.ranks.empty() && out.ranks.back().layout == at->second) {
      out.ranks.back().last = rank;
    } else {
      out.ranks.push_back({rank, rank, at->second});
    }
  }
  return out;
}

}  // namespace copse
