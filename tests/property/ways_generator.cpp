// SPDX-License-Identifier: Apache-2.0
#include "property/ways_generator.hpp"

#include <algorithm>

namespace copse::property {

namespace {

// Pools by level: a further parent is from a level above, so that there is no cycle.
class WaysBuilder {
 public:
  WaysBuilder(Random& random, Machine& machine) : r_(random), m_(machine) {}

  void run() {
    m_.root = add("cluster", 0);
    const auto racks = r_.between(1, 3), stores = r_.between(0, 2);
    for (std::int64_t i = 0; i < racks; ++i) rack(i);
    for (std::int64_t i = 0; i < stores; ++i) store(i);
    if (r_.chance(20)) unequal();
    further_edges();
  }

 private:
  Number add(const std::string& type, int level, std::int64_t id = 0) {
    MachinePool pool;
    pool.type = pool.basename = type;
    pool.id = id;
    if (type == "node") pool.rank = ranks_++;
    m_.pools.push_back(std::move(pool));
    levels_.push_back(level);
    return static_cast<Number>(m_.pools.size() - 1);
  }
  Number below(Number parent, const std::string& type, std::int64_t id) {
    const Number made = add(type, levels_[parent] + 1, id);
    m_.edges.emplace_back(parent, made);
    return made;
  }

  void rack(std::int64_t id) {
    const Number rack = below(m_.root, "rack", id);
    const auto nodes = r_.between(0, 3);
    for (std::int64_t n = 0; n < nodes; ++n) {
      const Number node = below(rack, "node", ranks_);
      const bool sockets = r_.chance(30);
      const Number inner = sockets ? below(node, "socket", 0) : node;
      const auto cores = r_.between(r_.chance(10) ? 0 : 1, 3);
      for (std::int64_t c = 0; c < cores; ++c) below(inner, "core", c);
      if (r_.chance(30)) below(node, "gpu", 0);
    }
    if (r_.chance(60)) shelf(rack, id);
  }
  void store(std::int64_t id) {
    const Number store = below(m_.root, "store", id);
    const auto shelves = r_.between(0, 2);
    for (std::int64_t s = 0; s < shelves; ++s) shelf(store, 10 * id + s);
  }
  void shelf(Number parent, std::int64_t id) {
    const Number shelf = below(parent, "shelf", id);
    const auto disks = r_.between(0, 3);
    for (std::int64_t d = 0; d < disks; ++d) below(shelf, "disk", d);
  }

  void unequal() {
    for (MachinePool& pool : m_.pools) {
      if (pool.type == "disk" || pool.type == "core") pool.size = r_.between(1, 3);
    }
  }

  // Most get a parent of the usual type; some any pool further up. Before or after the existing
  // edge: the edge added last is the tree's.
  void further_edges() {
    const auto wanted = r_.between(1, 6);
    for (std::int64_t i = 0; i < 40 && static_cast<std::int64_t>(made_) < wanted; ++i) {
      const auto [from, to] = r_.pick(m_.edges);
      const auto other = static_cast<Number>(r_.below(m_.pools.size()));
      const bool alike = m_.pools[other].type == m_.pools[from].type || r_.chance(25);
      if (other == from || levels_[other] >= levels_[to] || !alike) continue;
      const std::pair edge{other, to};
      if (std::find(m_.edges.begin(), m_.edges.end(), edge) != m_.edges.end()) continue;
      const auto at = static_cast<std::ptrdiff_t>(r_.below(m_.edges.size() + 1));
      m_.edges.insert(m_.edges.begin() + at, edge);
      ++made_;
    }
  }

  Random& r_;
  Machine& m_;
  std::vector<int> levels_;  // by pool: edges to the root at its creation
  std::int32_t ranks_ = 0;
  std::size_t made_ = 0;
};

}  // namespace

Case make_ways_case(std::uint64_t seed) {
  Random r(seed);
  Case out;
  out.seed = seed;
  do {
    out.machine = {};
    WaysBuilder(r, out.machine).run();
  } while (out.machine.edges.size() < 4);
  const auto requests = r.between(2, 6);
  for (std::int64_t i = 0; i < requests; ++i) {
    out.requests.push_back(make_request(r, out.machine));
  }
  add_changes(r, out, r.between(10, 50));
  return out;
}

}  // namespace copse::property
