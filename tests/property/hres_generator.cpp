// SPDX-License-Identifier: Apache-2.0
#include "property/hres_generator.hpp"

#include <fmt/format.h>

#include "base/idset.hpp"

namespace copse::property {

std::string idset_of(const std::set<int>& ids) {
  Idset out;
  for (int id : ids) out.add(id);
  return out.text();
}
std::string hosts_of(const std::set<int>& nodes) { return "n[" + idset_of(nodes) + "]"; }

std::int64_t layer_count(Random& random, std::size_t nodes, int mode) {
  const auto dice = random.below(100);
  if (dice < 10) return -1;
  if (dice < 14) return 0;
  return random.between(2, 12) * (mode == 3 ? static_cast<std::int64_t>(nodes + 1) / 2 : 1);
}

namespace {
// Nodes [first, last), and levels below with all or nearly all of them.
void split(Random& random, std::set<std::set<int>>& out, int first, int last, std::int64_t levels) {
  std::set<int> all;
  for (int n = first; n < last; ++n) all.insert(n);
  out.insert(all);
  std::vector<std::pair<int, int>> parts{{first, last}};
  for (; levels > 0; --levels) {
    std::vector<std::pair<int, int>> next;
    for (const auto& [from, to] : parts) {
      if (to - from < 2) return;  // leaves would have different depths
      const int mid = from + static_cast<int>(random.between(1, to - from - 1));
      next.emplace_back(from, mid);
      next.emplace_back(mid, random.chance(15) && to - mid > 1 ? to - 1 : to);
    }
    for (const auto& [from, to] : next) {
      std::set<int> part;
      for (int n = from; n < to; ++n) part.insert(n);
      out.insert(part);
    }
    parts = std::move(next);
  }
}

}  // namespace

void add_resource(Random& random, int nodes, HresOracle& out) {
  HresOracle::Resource r;
  r.name = std::string(1, static_cast<char>('a' + out.resources.size()));
  r.mode = static_cast<int>(random.between(1, 3));
  std::set<std::set<int>> sets;
  if (r.mode == 3) {
    split(random, sets, static_cast<int>(random.between(0, 1)), nodes, random.between(0, 2));
  } else {
    for (auto n = random.between(1, 4); n > 0; --n) {
      std::set<int> set;
      const int first = static_cast<int>(random.between(0, nodes - 1));
      const int last = static_cast<int>(random.between(first, nodes - 1));
      for (int node = first; node <= last; ++node) {
        if (!random.chance(15)) set.insert(node);
      }
      sets.insert(set);  // it may have no nodes
    }
  }
  std::vector<std::set<int>> list(sets.begin(), sets.end());
  random.shuffle(list);
  for (auto& set : list) {
    r.layers.push_back(static_cast<int>(out.layers.size()));
    out.layers.push_back(
        {static_cast<int>(out.resources.size()), set, layer_count(random, set.size(), r.mode), 0});
  }
  out.resources.push_back(std::move(r));
}

std::string text_of_layers(const HresOracle& oracle) {
  std::string out;
  for (const auto& r : oracle.resources) {
    out += fmt::format("- resource: {}\n  mode: MODE_{}\n  layers:\n", r.name, r.mode);
    for (int layer : r.layers) {
      const auto& l = oracle.layers[static_cast<std::size_t>(layer)];
      out += fmt::format("    - {{nodes: {}, count: {}}}\n",
                         l.nodes.empty() ? "[]" : '"' + hosts_of(l.nodes) + '"', l.count);
    }
  }
  return out;
}

HresOracle::Job make_supply_job(Random& random, const HresOracle& oracle, HresRequest& hres) {
  HresOracle::Job job;
  job.nodes = static_cast<int>(random.between(1, random.chance(70) ? 3 : 8));
  job.exclusive = random.chance(45);
  job.cores = job.exclusive && random.chance(60) ? 0 : static_cast<int>(random.between(1, 3));
  job.duration = random.chance(8) ? 0 : random.between(1, 30);
  for (const auto& [node, cores] : oracle.cores) {
    if (!random.chance(5)) job.allowed.insert(node);
  }
  if (random.chance(75) || job.allowed.empty()) {
    for (const auto& [node, cores] : oracle.cores) job.allowed.insert(node);
  }
  if (random.chance(10)) return job;
  hres.either = random.chance(25);
  bool tree = false;
  std::map<int, std::int64_t> sums;
  std::vector<int> order;
  for (auto n = random.between(1, hres.either ? 3 : 4); n > 0; --n) {
    const int r = static_cast<int>(random.below(oracle.resources.size()));
    const auto& resource = oracle.resources[static_cast<std::size_t>(r)];
    const bool again = sums.contains(r);
    if (resource.mode == 3 && tree && !hres.either && !again) continue;
    tree = tree || resource.mode == 3;
    const std::int64_t units = random.between(0, random.chance(80) ? 4 : 9);
    hres.items.push_back({resource.name, "", units});
    if (units == 0) continue;
    if (hres.either) {
      job.alternatives.push_back({{r, units}});
    } else {
      if (!again) order.push_back(r);
      sums[r] += units;
    }
  }
  if (!order.empty()) {
    job.alternatives.emplace_back();
    for (int r : order) job.alternatives[0].push_back({r, sums[r]});
  }
  return job;
}

}  // namespace copse::property
