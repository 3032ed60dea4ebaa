// SPDX-License-Identifier: Apache-2.0
//
// Machines. Requests and events are in request_generator.cpp.
#include "property/generator.hpp"

#include <algorithm>
#include <numeric>

namespace copse::property {

namespace {

// How the pools of one type are numbered below their parent.
enum class Numbering : std::uint8_t {
  local,
  global,
  descending,
  shuffled,
  equal,
  strided,
  around_10000,
  beyond_10000,
  negative,
  none
};

// The contents of one type of node.
struct NodeKind {
  std::int64_t sockets = 0, cores = 0, gpus = 0, memories = 0, disks = 0, own_cores = 0;
};

class MachineBuilder {
 public:
  MachineBuilder(Random& random, MachineSize size)
      : r_(random), large_(size == MachineSize::large) {
    budget_ = large_          ? 1'000 + r_.below(2'000)
              : r_.chance(75) ? 10 + r_.below(110)
                              : 120 + r_.below(280);
    wide_ = large_ || r_.chance(12);
    odd_sizes_ = r_.chance(30);
    unequal_ = r_.chance(40);
    memory_size_ = r_.pick<std::int64_t>({1, 2, 4, 8, 16});
    const auto kinds = r_.pick({1, 1, 2, 3});
    for (int k = 0; k < kinds; ++k) kinds_.push_back(make_kind());
  }

  Machine run() {
    add(kNone, "cluster", 1, 0);
    const auto levels = r_.below(large_ ? 3 : 5);
    static const std::vector<std::vector<std::string>> kLevels{
        {}, {"rack"}, {"zone", "rack"}, {"rack", "chassis"}, {"zone", "zone"}};
    fill(0, kLevels[levels], 0);
    if (r_.chance(15)) add_storage(0);
    if (r_.chance(15)) add_nodes(0, 1 + r_.between(0, 2));  // next to racks, or more of them
    if (r_.chance(10)) add_leaves(0, "memory", 1 + r_.between(0, 2));
    return number();
  }

 private:
  static constexpr Number kNone = UINT32_MAX;

  NodeKind make_kind() {
    NodeKind k;
    if (r_.chance(8)) return k;  // a leaf
    k.sockets = r_.chance(60) ? r_.between(1, 3) : 0;
    k.cores = r_.pick<std::int64_t>({1, 2, 2, 3, 4, 4, 6, 8});
    if (wide_) k.cores = std::min<std::int64_t>(k.cores, 3);
    k.gpus = r_.pick<std::int64_t>({0, 0, 1, 2});
    k.memories = r_.pick<std::int64_t>({0, 0, 1, 2, 4});
    k.disks = r_.chance(15) ? r_.between(1, 2) : 0;
    k.own_cores = k.sockets > 0 && r_.chance(12) ? r_.between(1, 2) : 0;
    return k;
  }

  bool full() const { return pools_.size() >= budget_; }

  // The ids of a type follow one pattern on one machine; the patterns of Fluxion's recipes are
  // common.
  std::vector<std::int64_t> ids(const std::string& type, std::int64_t count) {
    auto known = id_kinds_.find(type);
    if (known == id_kinds_.end()) {
      const Numbering kind =
          r_.chance(60) ? r_.pick({Numbering::local, Numbering::global})
                        : r_.pick({Numbering::descending, Numbering::shuffled, Numbering::equal,
                                   Numbering::strided, Numbering::around_10000,
                                   Numbering::beyond_10000, Numbering::negative, Numbering::none});
      known = id_kinds_.emplace(type, kind).first;
    }
    std::vector<std::int64_t> out(static_cast<std::size_t>(count));
    std::iota(out.begin(), out.end(), 0);
    std::int64_t& next = next_ids_[type];
    switch (known->second) {
      case Numbering::local: break;
      case Numbering::global:
        for (auto& id : out) id = next++;
        break;
      case Numbering::descending: std::reverse(out.begin(), out.end()); break;
      case Numbering::shuffled: r_.shuffle(out); break;
      case Numbering::equal: std::fill(out.begin(), out.end(), 3); break;
      case Numbering::strided:
        for (auto& id : out) id = 5 + id * 3;
        break;
      case Numbering::around_10000:
        for (auto& id : out) id = 9'995 + next++;
        break;
      case Numbering::beyond_10000:
        for (auto& id : out) id = 40'000 + 9'999 * next++;
        break;
      case Numbering::negative:
        for (auto& id : out) id -= 4;
        break;
      case Numbering::none: std::fill(out.begin(), out.end(), -1); break;
    }
    return out;
  }

  Number add(Number parent, const std::string& type, std::int64_t size, std::int64_t id) {
    MachinePool pool;
    pool.type = pool.basename = type;
    pool.size = size;
    pool.id = id;
    if (type == "cluster" && r_.chance(30)) pool.basename = "tiny";
    if (type == "memory") pool.unit = "GB";
    if ((type == "node" || type == "storage_node") && r_.chance(20)) pool.properties["fast"] = "1";
    if (type == "node" && r_.chance(10)) pool.properties["big"] = "";
    pools_.push_back(std::move(pool));
    parents_.push_back(parent);
    return static_cast<Number>(pools_.size() - 1);
  }

  std::int64_t interior_size() {
    if (!odd_sizes_ || !r_.chance(6)) return 1;
    return r_.pick<std::int64_t>({0, 2, 3});
  }

  void add_leaves(Number parent, const std::string& type, std::int64_t count) {
    for (std::int64_t id : ids(type, count)) {
      std::int64_t size = 1;
      if (type == "memory") size = unequal_ ? r_.between(1, 2 * memory_size_) : memory_size_;
      if (type == "ssd") size = unequal_ ? r_.pick<std::int64_t>({1, 10, 100}) : 10;
      if (odd_sizes_ && r_.chance(3)) size = r_.pick<std::int64_t>({0, 2});
      add(parent, type, size, id);
    }
  }

  // The order of the runs of children differs between parents.
  void add_leaf_groups(Number parent, std::vector<std::pair<std::string, std::int64_t>> groups) {
    if (r_.chance(30)) r_.shuffle(groups);
    for (const auto& [type, count] : groups) {
      if (count > 0) add_leaves(parent, type, count);
    }
  }

  void add_node(Number parent, std::int64_t id) {
    const Number node = add(parent, "node", interior_size(), id);
    const NodeKind& kind = r_.pick(kinds_);
    if (kind.sockets == 0) {
      add_leaf_groups(node, {{"core", kind.cores}, {"gpu", kind.gpus}, {"memory", kind.memories}});
    }
    for (std::int64_t socket_id : ids("socket", kind.sockets)) {
      const Number socket = add(node, "socket", interior_size(), socket_id);
      add_leaf_groups(socket,
                      {{"core", kind.cores}, {"gpu", kind.gpus}, {"memory", kind.memories}});
    }
    add_leaf_groups(node, {{"core", kind.sockets > 0 ? kind.own_cores : 0}, {"ssd", kind.disks}});
  }

  void add_nodes(Number parent, std::int64_t count) {
    for (std::int64_t id : ids("node", count)) {
      add_node(parent, id);
      if (full()) return;
    }
  }

  void add_storage(Number parent) {
    for (std::int64_t id : ids("storage_node", r_.between(1, 3))) {
      const Number storage = add(parent, "storage_node", 1, id);
      if (r_.chance(60)) add_leaves(storage, "ssd", r_.between(1, 4));
    }
  }

  void fill(Number parent, const std::vector<std::string>& levels, std::size_t at) {
    if (at == levels.size()) {
      std::int64_t count = r_.between(1, 6);
      if (wide_ && (levels.empty() || r_.chance(50))) count = 65 + r_.between(0, large_ ? 200 : 40);
      add_nodes(parent, count);
      if (!levels.empty() && r_.chance(20)) add_leaves(parent, "ssd", r_.between(1, 4));
      if (r_.chance(5)) add_storage(parent);
      return;
    }
    std::int64_t count = r_.between(1, 4);
    if (wide_ && at == 0 && r_.chance(15)) count = 65 + r_.between(0, 10);
    for (std::int64_t id : ids(levels[at], count)) {
      const Number pool = add(parent, levels[at], interior_size(), id);
      if (!r_.chance(4)) fill(pool, levels, at + 1);
      if (full()) return;
    }
  }

  // Numbers the pools in an order of creation: as made (preorder), by level, or random.
  Machine number() {
    std::vector<Number> order(pools_.size());  // by number: the pool as made
    std::iota(order.begin(), order.end(), 0);
    const auto kind = r_.below(10);
    if (kind < 4) {
      std::vector<std::uint32_t> depths(pools_.size(), 0);
      for (Number v = 1; v < pools_.size(); ++v) depths[v] = depths[parents_[v]] + 1;
      std::stable_sort(order.begin(), order.end(),
                       [&](Number a, Number b) { return depths[a] < depths[b]; });
    } else if (kind == 4) {
      r_.shuffle(order);
    }
    Machine out;
    const Number padding = r_.chance(5) ? static_cast<Number>(9'990 + r_.below(20)) : 0;
    out.pools.resize(padding, MachinePool{"padding", "padding", "", 1, 0, -1, {}});
    std::vector<Number> number(pools_.size());
    std::int32_t rank = 0;
    for (Number v : order) {
      number[v] = static_cast<Number>(out.pools.size());
      out.pools.push_back(pools_[v]);
      if (pools_[v].type == "node") out.pools.back().rank = rank++;
    }
    out.root = number[0];
    for (Number v = 1; v < pools_.size(); ++v)
      out.edges.emplace_back(number[parents_[v]], number[v]);
    if (r_.chance(15)) {
      r_.shuffle(out.edges);
    } else if (r_.chance(15)) {  // runs of one type, but sorted by number
      std::sort(out.edges.begin(), out.edges.end());
    }
    if (r_.chance(4)) {
      for (int i = 0; i < 3; ++i) {
        const Number to = number[r_.below(pools_.size())], from = out.root;
        if (to != from) out.power.emplace_back(from, to);
      }
    }
    return out;
  }

  Random& r_;
  bool large_, wide_ = false, odd_sizes_ = false, unequal_ = false;
  std::uint64_t budget_ = 0;
  std::int64_t memory_size_ = 1;
  std::vector<NodeKind> kinds_;
  std::map<std::string, Numbering> id_kinds_;
  std::map<std::string, std::int64_t> next_ids_;
  std::vector<MachinePool> pools_;
  std::vector<Number> parents_;
};

}  // namespace

Recipe make_recipe(Random& r) {
  auto leaf = [&](const char* type, std::int64_t count, std::int64_t size) {
    return Recipe{type, count, size, r.pick<std::int64_t>({0, 0, 1}), 0, 1, {}};
  };
  Recipe node{"node",
              r.between(1, 6),
              1,
              r.pick<std::int64_t>({0, 1, 1, 2}),
              r.pick<std::int64_t>({0, 0, 3, 9'998}),
              r.pick<std::int64_t>({1, 1, 2}),
              {}};
  Recipe socket{"socket", r.between(1, 3), 1, 0, 0, 1, {}};
  Recipe& owner = r.chance(60) ? socket : node;
  owner.below.push_back(leaf("core", r.between(1, 8), 1));
  if (r.chance(40)) owner.below.push_back(leaf("gpu", r.between(1, 3), 1));
  if (r.chance(40)) owner.below.push_back(leaf("memory", r.between(1, 3), r.between(1, 16)));
  if (&owner == &socket) node.below.push_back(socket);
  Recipe root{"cluster", 1, 1, 0, 0, 1, {}};
  if (r.chance(60)) {
    Recipe rack{"rack", r.between(1, 4), 1, 0, 0, 1, {node}};
    if (r.chance(30)) rack.below.push_back(leaf("ssd", r.between(1, 4), 10));
    root.below.push_back(rack);
  } else {
    node.count *= 3;
    root.below.push_back(node);
  }
  return root;
}

Machine make_machine(Random& r, MachineSize size) {
  Machine out = size == MachineSize::small && r.chance(25) ? expand_recipe(make_recipe(r))
                                                           : MachineBuilder(r, size).run();
  if (r.chance(50)) {
    out.prune_filters = r.pick<const char*>(
        {"ALL:core", "ALL:node", "cluster:node,rack:node,node:core", "ALL:core,ALL:gpu,ALL:memory",
         "node:core,ALL:socket", "ALL:core,ALL:nothing", "rack:node,ALL:node,rack:core"});
  }
  for (const char* type : {"memory", "ssd", "gpu"}) {
    if (r.chance(type == std::string("gpu") ? 3 : 20)) out.divisible.insert(type);
  }
  if (r.chance(30)) out.horizon = r.pick<std::int64_t>({1'000, 5'000, 20'000});
  if (r.chance(10)) out.now = 700;
  return out;
}

}  // namespace copse::property
