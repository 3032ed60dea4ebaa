// SPDX-License-Identifier: Apache-2.0
#include "property/odd_machine.hpp"

#include <algorithm>

namespace copse::property {

namespace {

class OddBuilder {
 public:
  OddBuilder(Random& random, Machine& machine) : r_(random), machine_(machine) {
    const auto children = machine.children();
    for (const auto& [from, to] : machine.edges) {
      if (!children[to].empty()) interior_.emplace_back(from, to);
    }
  }

  void run() {
    machine_.grug.clear();
    if (!interior_.empty() && r_.chance(65)) add_leaves();
    if (r_.chance(55)) set_sizes();
    if (r_.chance(60)) set_times();
  }

 private:
  // Pools without contents, mostly next to pools with contents.
  void add_leaves() {
    for (std::int64_t n = r_.between(1, 4); n > 0; --n) {
      const auto [beside, model] = r_.pick(interior_);
      const Number parent = r_.chance(70) ? beside : r_.pick(interior_).second;
      MachinePool pool = machine_.pools[model];
      pool.id += r_.pick<std::int64_t>({0, 1, 50 + n});
      pool.size = r_.pick<std::int64_t>({1, 1, 1, 0, 2});
      if (pool.type == "node") pool.rank = next_rank();
      machine_.edges.emplace_back(parent, static_cast<Number>(machine_.pools.size()));
      machine_.pools.push_back(std::move(pool));
    }
  }

  [[nodiscard]] std::int32_t next_rank() const {
    std::int32_t last = -1;
    for (const MachinePool& p : machine_.pools) last = std::max(last, p.rank);
    return last + 1;
  }

  // For one type all pools, or each at random.
  void set_sizes() {
    const Number model =
        interior_.empty() || r_.chance(8) ? machine_.root : r_.pick(interior_).second;
    const std::string type = machine_.pools[model].type;
    const std::int64_t all = r_.pick<std::int64_t>({0, 2, 2, 2, 3, -1, -1, -1});
    for (MachinePool& p : machine_.pools) {
      if (p.type == type) p.size = all >= 0 ? all : r_.pick<std::int64_t>({0, 1, 1, 2, 2, 3});
    }
  }

  void set_times() {
    if (r_.chance(50)) {
      machine_.now = machine_.horizon - r_.between(2, 900);
    } else {
      machine_.now = 0;
      machine_.horizon = r_.between(2, 900);
    }
    machine_.now = std::max<std::int64_t>(machine_.now, 0);
  }

  Random& r_;
  Machine& machine_;
  std::vector<std::pair<Number, Number>> interior_;  // without the root, with their parents
};

}  // namespace

void make_odd(Random& random, Machine& machine) { OddBuilder(random, machine).run(); }

}  // namespace copse::property
