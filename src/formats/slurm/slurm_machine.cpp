// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_machine.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "match/shared/near_cores.hpp"
#include "rset/rset_properties.hpp"
#include "text/xml_text.hpp"

namespace copse {

namespace {

class MachineBuilder {
 public:
  MachineBuilder(const SlurmMachine& machine, GraphBuilder::Limits limits)
      : machine_(machine), builder_(limits) {}

  Result<ResourceGraph> make(std::string_view dominant) {
    if (machine_.nodes.empty()) return fail(ErrorCode::invalid, "there is no node in it");
    if (auto ok = intern(); !ok) return std::unexpected(ok.error());
    const std::string& name = machine_.cluster;
    if (auto ok = check_name("cluster", name.empty() ? "cluster0" : name); !ok) {
      return std::unexpected(ok.error());
    }
    const auto root = add_named(cluster_, name.empty() ? "cluster0" : name, -1);
    if (!root) return std::unexpected(root.error());
    root_ = *root;
    if (auto ok = builder_.set_root(subsystem_, root_); !ok) return std::unexpected(ok.error());
    if (auto ok = number_nodes(); !ok) return std::unexpected(ok.error());
    if (auto ok = add_switches(); !ok) return std::unexpected(ok.error());
    if (auto ok = add_unconnected(); !ok) return std::unexpected(ok.error());
    for (std::size_t i = 0; i < machine_.nodes.size(); ++i) {
      if (auto ok = add_node(machine_.nodes[i], above_[i], i); !ok) {
        return std::unexpected(ok.error());
      }
    }
    auto graph = builder_.build(dominant);
    if (graph) add_tags(*graph);
    return graph;
  }

 private:
  using Handle = GraphBuilder::Handle;

  Result<void> intern() {
    const auto subsystem = builder_.subsystem("containment");
    if (!subsystem) return std::unexpected(subsystem.error());
    subsystem_ = *subsystem;
    for (const auto& [name, to] : {std::pair{"cluster", &cluster_},
                                   {"node", &node_},
                                   {"core", &core_},
                                   {"memory", &memory_}}) {
      const auto type = builder_.type(name);
      if (!type) return std::unexpected(type.error());
      *to = *type;
    }
    for (const auto& [name, to] : {std::pair{"", &unit_}, {"MB", &megabytes_}}) {
      const auto unit = builder_.unit(name);
      if (!unit) return std::unexpected(unit.error());
      *to = *unit;
    }
    return {};
  }

  void find_large_gres() {
    for (const SlurmNode& node : machine_.nodes) {
      for (const SlurmGres& gres : node.gres) {
        if (gres.count > kGresPoolsMax) large_.insert(gres.name);
      }
    }
  }

  Result<void> number_nodes() {
    find_large_gres();
    above_.assign(machine_.nodes.size(), root_);
    for (std::size_t i = 0; i < machine_.nodes.size(); ++i) {
      const auto& name = machine_.nodes[i].name;
      if (auto ok = check_name("node", name); !ok) return ok;
      if (!numbers_.emplace(name, i).second) {
        return fail(ErrorCode::invalid, fmt::format("node {} is described twice", name));
      }
    }
    return {};
  }

  static Result<void> check_name(std::string_view what, const std::string& name) {
    const bool fine = !name.empty() && std::ranges::none_of(name, [](char c) {
      return c == '/' || c == ' ' || xml::is_control(c);
    });
    if (fine) return {};
    return fail(ErrorCode::invalid,
                fmt::format("a {} is called {}; it cannot have blanks, control characters and "
                            "slashes",
                            what, xml::quoted(name)));
  }

  // --- Switches
  Result<void> add_switches() {
    const auto& all = machine_.switches;
    std::unordered_map<std::string_view, std::size_t> numbers;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (auto ok = check_name(all[i].type, all[i].name); !ok) return at(all[i], ok.error());
      if (!numbers.emplace(all[i].name, i).second) {
        return refuse(all[i], fmt::format("{} {} is described twice", all[i].type, all[i].name));
      }
    }
    std::vector<std::size_t> parent(all.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const std::string& name : all[i].switches) {
        const auto child = numbers.find(name);
        if (child == numbers.end()) return refuse(all[i], "there is no switch " + name);
        if (parent[child->second] != all.size()) {
          return refuse(all[i], fmt::format("switch {} has two switches above it", name));
        }
        parent[child->second] = i;
      }
    }
    return add_from_the_top(parent);
  }

  // A switch is added after the one above it: so long as some can be added, none is in a circle.
  Result<void> add_from_the_top(const std::vector<std::size_t>& parent) {
    const auto& all = machine_.switches;
    std::vector<std::vector<std::size_t>> below(all.size() + 1);
    for (std::size_t i = all.size(); i-- > 0;) below[parent[i]].push_back(i);
    std::vector<Handle> handles(all.size() + 1, root_);
    std::vector<std::size_t> open = below[all.size()];
    std::size_t added = 0;
    for (; !open.empty(); ++added) {
      const std::size_t i = open.back();
      open.pop_back();
      if (auto ok = add_switch(all[i], handles[parent[i]], handles[i]); !ok) return ok;
      open.insert(open.end(), below[i].begin(), below[i].end());
    }
    if (added < all.size()) {
      return fail(ErrorCode::invalid, "the switches of the topology form a cycle");
    }
    return {};
  }

  // Nodes next to switches would hide the nodes below these: a walk takes the nodes that it meets
  // first.
  Result<void> add_unconnected() {
    if (machine_.switches.empty() || std::ranges::find(above_, root_) == above_.end()) return {};
    Handle handle = root_;
    if (auto ok = add_switch({"unconnected", "switch"}, root_, handle); !ok) return ok;
    std::ranges::replace(above_, root_, handle);
    return {};
  }

  Result<void> add_switch(const SlurmSwitch& s, Handle above, Handle& handle) {
    const auto type = builder_.type(s.type);
    if (!type) return at(s, type.error());
    auto pool = add_named(*type, s.name, -1);
    if (!pool) return at(s, pool.error());
    handle = *pool;
    if (auto ok = builder_.add_edge(above, handle, subsystem_); !ok) return ok;
    for (const std::string& name : s.nodes) {
      const auto node = numbers_.find(name);
      // A topology may know nodes that this machine has not: those of State=FUTURE.
      if (node == numbers_.end()) continue;
      if (above_[node->second] != root_) {
        return refuse(s, fmt::format("node {} has two {}es above it", name,
                                     s.type == "block" ? "block or switch" : "switch"));
      }
      above_[node->second] = handle;
    }
    return {};
  }

  static std::unexpected<Error> at(const SlurmSwitch& s, Error error) {
    error.place = s.place;
    return std::unexpected(std::move(error));
  }
  static std::unexpected<Error> refuse(const SlurmSwitch& s, std::string text) {
    return fail(ErrorCode::invalid, std::move(text), s.place);
  }

  // --- Nodes
  Result<Handle> add_named(TypeId type, const std::string& name, std::int32_t rank) {
    const auto split = split_host(name);
    if (!split) return std::unexpected(split.error());
    const auto pool = builder_.add_pool({.type = type,
                                         .basename = builder_.basename(split->first),
                                         .unit = unit_,
                                         .id = split->second,
                                         .rank = rank});
    if (pool) builder_.set_name(*pool, name);
    return pool;
  }

  void add_tags(ResourceGraph& graph) const {
    for (std::size_t i = 0; i < machine_.nodes.size(); ++i) {
      const SlurmNode& node = machine_.nodes[i];
      const PoolId pool = graph.of_rank(static_cast<std::int32_t>(i)).front();
      const auto tag = [&](std::string_view name, std::int64_t number) {
        graph.set_tag(pool, std::string(name), fmt::format("{}", number));
      };
      tag(kSocketsTag, node.sockets);
      if (node.threads > 1) tag(kThreadsTag, node.threads);
      if (node.cores_of_cpu > 1) tag(kCoresOfCpuTag, node.cores_of_cpu);
      if (!node.system_cores.empty()) tag(kCoresTag, node.cores);
      if (!node.reason.empty()) graph.set_tag(pool, std::string(kReasonTag), node.reason);
    }
  }

  Result<void> add_node(const SlurmNode& node, Handle above, std::size_t number) {
    rank_ = static_cast<std::int32_t>(number);
    const auto pool = add_named(node_, node.name, rank_);
    if (!pool) return std::unexpected(pool.error());
    if (auto ok = builder_.add_edge(above, *pool, subsystem_); !ok) return ok;
    if (node.down) builder_.set_down(*pool);
    if (auto ok = add_properties(node, *pool); !ok) return ok;
    if (auto ok = add_cores(node, *pool); !ok) return ok;
    if (auto ok = add_memory(node, *pool); !ok) return ok;
    return add_gres(node, *pool);
  }

  Result<void> add_properties(const SlurmNode& node, Handle pool) {
    const auto add = [&](const std::string& name) -> Result<void> {
      if (wrong_property(name).empty()) {
        builder_.set_property(pool, name, {});
        return {};
      }
      return fail(ErrorCode::invalid,
                  fmt::format("node {} has the property {}; it needs a name without ! & ' \" ^ ` "
                              "| ( )",
                              node.name, xml::quoted(name)));
    };
    for (const std::string& name : node.properties) {
      if (auto ok = add(name); !ok) return ok;
    }
    for (const SlurmGres& gres : node.gres) {
      if (gres.type.empty()) continue;
      if (auto ok = add(gres.type); !ok) return ok;
    }
    return {};
  }

  Result<Handle> add_below(Handle above, TypeId type, std::string_view name, std::int64_t id,
                           std::int64_t size = 1, bool megabytes = false) {
    const auto pool = builder_.add_pool({.type = type,
                                         .basename = builder_.basename(name),
                                         .unit = megabytes ? megabytes_ : unit_,
                                         .size = size,
                                         .id = id,
                                         .rank = rank_});
    if (!pool) return pool;
    if (auto ok = builder_.add_edge(above, *pool, subsystem_); !ok) {
      return std::unexpected(ok.error());
    }
    return pool;
  }

  Result<void> add_cores(const SlurmNode& node, Handle pool) {
    for (std::int64_t id = 0; id < node.sockets * node.cores; ++id) {
      if (std::ranges::find(node.system_cores, id) != node.system_cores.end()) continue;
      const auto core = add_below(pool, core_, "core", id);
      if (!core) return std::unexpected(core.error());
    }
    return {};
  }

  Result<void> add_memory(const SlurmNode& node, Handle pool) {
    if (node.memory_mb <= 1) return {};  // Slurm takes 1 where none is given
    const auto memory = add_below(pool, memory_, "memory", 0, node.memory_mb, true);
    if (!memory) return std::unexpected(memory.error());
    builder_.set_divisible(*memory);
    return {};
  }

  Result<void> add_gres(const SlurmNode& node, Handle pool) {
    std::vector<std::pair<std::string_view, std::int64_t>> next;  // ids, by name
    for (const SlurmGres& gres : node.gres) {
      const auto type = builder_.type(gres.name);
      if (!type) return std::unexpected(type.error());
      auto id = std::ranges::find(next, std::string_view(gres.name),
                                  &std::pair<std::string_view, std::int64_t>::first);
      if (id == next.end()) id = next.insert(next.end(), {gres.name, 0});
      const bool one = gres.count > kGresPoolsMax;
      const bool divisible = *type == memory_ || large_.contains(gres.name);
      for (std::int64_t i = 0; i < (one ? 1 : gres.count); ++i) {
        const auto made = add_below(pool, *type, gres.name, id->second++, one ? gres.count : 1);
        if (!made) return std::unexpected(made.error());
        if (divisible) builder_.set_divisible(*made);
        if (!gres.type.empty()) builder_.set_property(*made, gres.type, {});
        if (!gres.cores.empty()) {
          builder_.set_property(*made, std::string(kNearCores), gres.cores.text());
        }
      }
    }
    return {};
  }

  const SlurmMachine& machine_;
  GraphBuilder builder_;
  SubsystemId subsystem_;
  TypeId cluster_, node_, core_, memory_;
  std::set<std::string, std::less<>> large_;  // GRES with one pool for all of a node's
  UnitId unit_, megabytes_;
  Handle root_ = 0;
  std::int32_t rank_ = 0;                                      // of the node that is being added
  std::unordered_map<std::string_view, std::size_t> numbers_;  // of nodes, by name
  std::vector<Handle> above_;                                  // by node
};

}  // namespace

Result<ResourceGraph> graph_of_slurm(const SlurmMachine& machine, std::string_view dominant,
                                     GraphBuilder::Limits limits) {
  return MachineBuilder(machine, limits).make(dominant);
}

}  // namespace copse
