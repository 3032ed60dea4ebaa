// SPDX-License-Identifier: Apache-2.0
#include "property/treepool_oracle.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace copse::property {

namespace {

using Set = std::set<int>;
using Levels = std::vector<std::vector<Ids>>;

Set both(const Set& a, const Set& b) {
  Set out;
  std::ranges::set_intersection(a, b, std::inserter(out, out.end()));
  return out;
}

Ids both(const Ids& a, const Ids& b) { return {both(a.cores, b.cores), both(a.gpus, b.gpus)}; }

void add(Ids& to, const Ids& more) {
  to.cores.insert(more.cores.begin(), more.cores.end());
  to.gpus.insert(more.gpus.begin(), more.gpus.end());
}

void drop(Ids& from, const Ids& what) {
  for (int c : what.cores) from.cores.erase(c);
  for (int g : what.gpus) from.gpus.erase(g);
}

bool covers(const Ids& all, const Ids& part) { return both(all, part) == part; }

std::string text_of(const Set& ids) {
  std::string out;
  for (int id : ids) out += fmt::format("{}{}", out.empty() ? "" : ",", id);
  return out;
}

// Only ids that the node has count.
Topo limited(const Topo& topo, const Ids& owned) {
  Topo out{topo.name, both(topo.own, owned), {}};
  for (const Topo& t : topo.inside) out.inside.push_back(limited(t, owned));
  return out;
}

Levels levels_of(const Topo& topo) {
  Levels out;
  Ids inside;
  for (const Topo& t : topo.inside) {
    const Levels levels = levels_of(t);
    if (out.size() < levels.size()) out.resize(levels.size());
    for (std::size_t k = 0; k < levels.size(); ++k) {
      out[k].insert(out[k].end(), levels[k].begin(), levels[k].end());
    }
    add(inside, t.all());
  }
  Ids rest = topo.own;
  drop(rest, inside);
  if (!out.empty() && !rest.empty()) out[0].push_back(rest);
  const Ids all = topo.all();
  if (!all.empty() && (out.empty() || out.back() != std::vector<Ids>{all})) out.push_back({all});
  return out;
}

Levels levels_of(const TreeOracle::Node& node) {
  const Topo topo = limited(node.topo, node.owned);
  Levels out = levels_of(topo);
  Ids rest = node.owned;
  drop(rest, topo.all());
  if (out.empty()) out.push_back({node.owned});
  if (!rest.empty() && out[0] != std::vector<Ids>{node.owned}) out[0].push_back(rest);
  if (out.back() != std::vector<Ids>{node.owned}) out.push_back({node.owned});
  return out;
}

void domains_of(const Topo& topo, const std::string& name, std::vector<Ids>& out) {
  for (const Topo& t : topo.inside) {
    if (t.name == name) {
      if (!t.all().empty()) out.push_back(t.all());
    } else {
      domains_of(t, name, out);
    }
  }
}

Ids lowest(const Ids& from, int cores, int gpus) {
  Ids out;
  for (int c : from.cores) {
    if (static_cast<int>(out.cores.size()) < cores) out.cores.insert(c);
  }
  for (int g : from.gpus) {
    if (static_cast<int>(out.gpus.size()) < gpus) out.gpus.insert(g);
  }
  return out;
}

struct Placed {
  std::int64_t units = 0;
  Ids ids;
};

Placed slots_with_gpus(const TreeJob& job, const TreeOracle::Node& node, Ids left,
                       std::int64_t most) {
  Placed out;
  for (const auto& level : levels_of(node)) {
    for (const Ids& group : level) {
      for (;;) {
        const Ids here = both(left, group);
        if (out.units == most || static_cast<int>(here.cores.size()) < job.cores ||
            static_cast<int>(here.gpus.size()) < job.gpus) {
          break;
        }
        const Ids slot = lowest(here, job.cores, job.gpus);
        drop(left, slot);
        add(out.ids, slot);
        ++out.units;
      }
    }
  }
  return out;
}

Placed slots_of_cores(const TreeJob& job, const TreeOracle::Node& node, Ids left, std::int64_t most,
                      bool spill) {
  Placed out;
  const auto needed = static_cast<std::size_t>(job.cores);
  for (const auto& level : levels_of(node)) {
    std::vector<std::pair<std::size_t, Ids>> order;
    for (const Ids& group : level) {
      const std::size_t free = both(left, group).cores.size();
      if (free >= needed) order.emplace_back(free, group);
    }
    if (order.empty()) continue;
    std::ranges::stable_sort(order, {}, [](const auto& o) { return o.first; });
    for (const auto& [free, group] : order) {
      while (out.units < most && both(left, group).cores.size() >= needed) {
        const Ids slot = lowest(both(left, group), job.cores, 0);
        drop(left, slot);
        add(out.ids, slot);
        ++out.units;
      }
    }
    if (!spill) break;
  }
  return out;
}

Placed place_on(const TreeJob& job, const TreeOracle::Node& node, Ids left, std::int64_t most,
                bool spill) {
  Placed out;
  if (!job.domain.empty()) {
    std::vector<Ids> domains;
    domains_of(limited(node.topo, node.owned), job.domain, domains);
    for (const Ids& domain : domains) {
      if (out.units == most || !covers(left, domain)) continue;
      drop(left, domain);
      add(out.ids, domain);
      ++out.units;
    }
    if (!job.whole && out.ids.cores.empty()) return {};  // R needs a core of each node (RFC 20)
    return out;
  }
  if (job.gpus > 0) return slots_with_gpus(job, node, left, most);
  if (job.cores > 0) return slots_of_cores(job, node, left, most, spill);
  out.units = most;
  return out;
}

constexpr std::int64_t kMany = 1'000'000;

}  // namespace

Ids Topo::all() const {
  Ids out = own;
  for (const Topo& t : inside) add(out, t.all());
  return out;
}

std::string Topo::json() const {
  std::string out;
  auto member = [&](const std::string& key, const std::string& value) {
    out += fmt::format("{}\"{}\": {}", out.empty() ? "" : ", ", key, value);
  };
  if (!own.cores.empty()) member("cores", '"' + text_of(own.cores) + '"');
  if (!own.gpus.empty()) member("gpus", '"' + text_of(own.gpus) + '"');
  if (own.empty() && inside.empty()) member("memory", "16");
  std::vector<std::string> names;
  for (const Topo& t : inside) {
    if (std::ranges::find(names, t.name) == names.end()) names.push_back(t.name);
  }
  for (const std::string& locality : names) {
    std::string list;
    for (const Topo& t : inside) {
      if (t.name == locality) list += (list.empty() ? "" : ", ") + t.json();
    }
    member(locality, "[" + list + "]");
  }
  return "{" + out + "}";
}

std::string TreeJob::shape() const {
  auto range = [](std::int64_t low, std::int64_t high) {
    return high == INT64_MAX ? fmt::format("{}+", low)
           : low == high     ? fmt::format("{}", low)
                             : fmt::format("{}-{}", low, high);
  };
  std::string slot = "slot=" + range(units_min, units_max);
  if (whole && cores == 0 && gpus == 0 && domain.empty()) {
    return fmt::format("slot={}/node{{x}}", range(nodes_min, nodes_max));
  }
  slot += '/';
  if (!domain.empty()) {
    slot += domain + "{x}";
  } else if (gpus > 0) {
    slot += fmt::format("[core={};gpu={}]", cores, gpus);
  } else {
    slot += fmt::format("core={}", cores);
  }
  if (!by_node) return slot;
  return fmt::format("node={}{}/{}", range(nodes_min, nodes_max), whole ? "{x}" : "", slot);
}

void TreeOracle::merge_layouts() {
  std::vector<std::pair<Levels, const Node*>> kinds;
  for (auto& [rank, node] : nodes) {
    const Levels levels = levels_of(node);
    const auto same = std::ranges::find_if(kinds, [&](const auto& kind) {
      return kind.first == levels && kind.second->owned == node.owned;
    });
    if (same == kinds.end()) {
      kinds.emplace_back(levels, &node);
    } else {
      node.topo = Topo(same->second->topo);
    }
  }
}

Ids TreeOracle::free_of(int rank, std::int64_t start, std::int64_t end) const {
  Ids out = nodes.at(rank).owned;
  for (const auto& [id, given] : jobs) {
    const auto here = given.ids.find(rank);
    if (here == given.ids.end() || given.end <= start || given.start >= end) continue;
    drop(out, here->second);
  }
  return out;
}

std::optional<TreeOracle::Given> TreeOracle::place(const TreeJob& job, const Fixed& fixed,
                                                   const std::map<int, Ids>& free,
                                                   bool spill) const {
  std::vector<int> order;
  for (const auto& [rank, ids] : free) order.push_back(rank);
  std::ranges::stable_sort(order, {}, [&](int rank) {
    return std::pair(free.at(rank).cores.size(), free.at(rank).gpus.size());
  });
  Given out;
  std::int64_t found = 0;
  for (int rank : order) {
    const Node& node = nodes.at(rank);
    const std::int64_t most = job.by_node ? fixed.units : fixed.units - out.slots;
    if (job.by_node ? found == fixed.nodes : most == 0) break;
    if (job.whole && free.at(rank) != node.owned) continue;
    const Placed placed = place_on(job, node, free.at(rank), most, spill);
    if (placed.units == 0 || (job.by_node && placed.units < fixed.units)) continue;
    ++found;
    out.slots += placed.units;
    out.ids[rank] = job.whole ? node.owned : placed.ids;
  }
  if (job.by_node ? found < fixed.nodes : out.slots < fixed.units) return {};
  return out;
}

// Ranges: the most nodes first, then as many slots as fit all of them.
std::optional<TreeOracle::Given> TreeOracle::answer(const TreeJob& job,
                                                    const std::map<int, Ids>& free) const {
  std::vector<std::int64_t> room;
  for (const auto& [rank, ids] : free) {
    if (job.whole && ids != nodes.at(rank).owned) continue;
    room.push_back(place_on(job, nodes.at(rank), ids, kMany, true).units);
  }
  auto with = [&](std::int64_t units) {
    return static_cast<std::int64_t>(
        std::ranges::count_if(room, [&](std::int64_t r) { return r >= units; }));
  };
  Fixed fixed{0, 0};
  if (job.by_node) {
    fixed.nodes = std::min(job.nodes_max, with(job.units_min));
    if (fixed.nodes < job.nodes_min) return {};
    for (fixed.units = std::min(job.units_max, kMany); with(fixed.units) < fixed.nodes;) {
      --fixed.units;
    }
  } else {
    std::int64_t all = 0;
    for (std::int64_t r : room) all += r;
    fixed.units = std::min(job.units_max, all);
    if (fixed.units < job.units_min) return {};
  }
  auto out = place(job, fixed, free, false);
  return out ? out : place(job, fixed, free, true);
}

bool TreeOracle::ever(const TreeJob& job) const {
  std::map<int, Ids> free;
  for (const auto& [rank, node] : nodes) {
    if (job.ranks.empty() || job.ranks.contains(rank)) free[rank] = node.owned;
  }
  return answer(job, free).has_value();
}

std::optional<TreeOracle::Given> TreeOracle::at(const TreeJob& job, std::int64_t start,
                                                std::int64_t end) const {
  std::map<int, Ids> free;
  for (const auto& [rank, node] : nodes) {
    if (node.up && (job.ranks.empty() || job.ranks.contains(rank))) {
      free[rank] = free_of(rank, start, end);
    }
  }
  auto out = answer(job, free);
  if (out) {
    out->start = start;
    out->end = end;
  }
  return out;
}

void TreeOracle::advance(std::int64_t to) {
  now = to;
  std::erase_if(jobs, [&](const auto& job) { return job.second.end <= to; });
}

}  // namespace copse::property
