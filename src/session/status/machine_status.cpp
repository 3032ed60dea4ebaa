// SPDX-License-Identifier: Apache-2.0
#include "session/status/machine_status.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/job_id.hpp"
#include "base/saturating.hpp"
#include "match/few_racks/level_tree.hpp"

namespace copse {

namespace {

using State = MachineStatus::State;

struct States {
  std::vector<State> of_pool;  // by pool number
  // Units of divisible pools in another state than their pool.
  std::unordered_map<std::uint32_t, std::array<std::int64_t, 5>> divided{};
};

States states_of(const Engine& engine, const IsDrained& drained) {
  const ResourceGraph& graph = engine.graph();
  States states{.of_pool = std::vector<State>(graph.pool_count(), MachineStatus::free)};
  std::vector<State>& out = states.of_pool;
  const auto set_below = [&](PoolId top, State state) {
    graph.preorder(top, [&](PoolId p) {
      out[p.v] = state;
      return true;
    });
  };
  const auto set_granted = [&](JobId job, State state) {
    const Grant& grant = *engine.grant(job);
    if (grant.start > engine.now()) return;
    for (const PoolAmount& amount : grant.selection.amounts) {
      states.divided[amount.pool.v].at(state) += amount.units;
    }
    for (const SelectedPools& taken : grant.selection.taken) {
      if (!taken.exclusive && !taken.whole) continue;
      if (graph.divisible(taken.first)) continue;
      for (std::uint32_t v = taken.first.v; v < taken.first.v + taken.count; ++v) {
        set_below(PoolId{v}, state);
      }
    }
  };
  const std::vector<JobId> jobs =
      engine.jobs();  // ascending: ids of reservations follow those of jobs
  const auto others = std::ranges::lower_bound(jobs, kFirstReservationId);
  for (auto at = others; at != jobs.end(); ++at) set_granted(*at, MachineStatus::reserved);
  graph.preorder(graph.root(), [&](PoolId p) {
    if (usable(engine.status(p))) return true;
    const bool is_down = !drained || !drained(p);
    set_below(p, is_down ? MachineStatus::down : MachineStatus::drained);
    return false;
  });
  for (auto at = jobs.begin(); at != others; ++at) set_granted(*at, MachineStatus::allocated);
  return states;
}

constexpr std::size_t kNotCounted = SIZE_MAX;
constexpr std::size_t kReasonsMax = 1000, kDevicesMax = 1000;
constexpr std::string_view kReasonTag = "reason";

// The leaf types of the machine in order, core, gpu, then by name, and the index of each.
struct LeafTypes {
  std::vector<std::string> names{};
  std::vector<std::size_t> index{};  // by number of the type
};

LeafTypes order_types(const ResourceGraph& graph, const std::vector<bool>& counted) {
  std::map<std::pair<int, std::string>, std::size_t> order;
  for (std::uint32_t v = 0; v < counted.size(); ++v) {
    if (!counted[v]) continue;
    const std::string& name = graph.type_name(TypeId{static_cast<std::uint16_t>(v)});
    order.emplace(std::pair(name == "core" ? 0 : name == "gpu" ? 1 : 2, name), v);
  }
  LeafTypes out;
  out.index.resize(counted.size(), kNotCounted);
  for (const auto& [place, type] : order) {
    out.index[type] = out.names.size();
    out.names.push_back(place.second);
  }
  return out;
}

class Counter {
 public:
  Counter(const Engine& engine, const States& states, const IsDrained& drained,
          const DownReason& reason)
      : engine_(engine),
        graph_(engine.graph()),
        states_(states),
        drained_(drained),
        reason_(reason),
        node_(graph_.find_type("node")),
        core_(graph_.find_type("core")) {
    const ResourceGraph& graph = graph_;
    std::vector<bool> counted;
    std::vector<std::string> units;  // by number of the type
    graph.preorder(graph.root(), [&](PoolId p) {
      const TypeId type = graph.type(p);
      if (!counts(p) || type == node_) return true;
      if (type.v >= counted.size()) {
        counted.resize(type.v + 1, false);
        units.resize(type.v + 1);
      }
      const std::string& unit = graph.unit_text(p);
      if (!counted[type.v]) units[type.v] = unit;
      if (units[type.v] != unit) units[type.v].clear();
      counted[type.v] = true;
      return true;
    });
    LeafTypes types = order_types(graph, counted);
    out_.types = std::move(types.names);
    out_.unit_of.resize(out_.types.size());
    index_ = std::move(types.index);
    for (std::size_t type = 0; type < index_.size(); ++type) {
      if (index_[type] != kNotCounted) out_.unit_of[index_[type]] = std::move(units[type]);
    }
    for (MachineStatus::Part& part : out_.parts) part.units.resize(out_.types.size());
  }

  MachineStatus count() {
    graph_.preorder(graph_.root(), [&](PoolId p) {
      if (graph_.type(p) == node_) {
        count_node(p);
        return false;
      }
      count_pool(p);
      return true;
    });
    count_levels();
    for (auto& [of, units] : devices_)
      out_.devices.push_back({out_.types[of.first], of.second, units});
    return std::move(out_);
  }

 private:
  // Leaves, and cores with processing units below them.
  bool counts(PoolId p) const { return graph_.leaf(p) || graph_.type(p) == core_; }

  void count_pool(PoolId p) {
    const std::size_t number = graph_.type(p).v;
    // A node below another node is no leaf type.
    if (!counts(p) || number >= index_.size() || index_[number] == kNotCounted) return;
    const std::size_t type = index_[number];
    std::int64_t left = graph_.size(p);
    const auto add = [&](std::size_t state, std::int64_t some) {
      std::int64_t& units = out_.parts.at(state).units[type];
      units = saturating_sum(units, some);
      add_device(p, type, state, some);
    };
    const auto divided = states_.divided.find(p.v);
    for (std::size_t state = 0; divided != states_.divided.end() && state < 5; ++state) {
      const std::int64_t some = std::min(left, divided->second.at(state));
      add(state, some);
      left -= some;
    }
    add(states_.of_pool[p.v], left);
  }

  void add_device(PoolId p, std::size_t type, std::size_t state, std::int64_t units) {
    const auto* properties = graph_.type(p) == core_ ? nullptr : graph_.properties(p);
    if (properties == nullptr || units == 0) return;
    for (const auto& [name, value] : *properties) {
      if (!value.empty() || (devices_.size() >= kDevicesMax && !devices_.contains({type, name})))
        continue;
      std::int64_t& sum = devices_[{type, name}].at(state);
      sum = saturating_sum(sum, units);
    }
  }

  void count_node(PoolId node) {
    std::array<bool, 5> has{}, has_cores{};
    graph_.preorder(node, [&](PoolId p) {
      if (!counts(p)) return true;
      (graph_.type(p) == core_ ? has_cores : has).at(states_.of_pool[p.v]) = true;
      if (p != node) count_pool(p);
      return true;
    });
    if (std::ranges::find(has_cores, true) != has_cores.end()) has = has_cores;
    for (std::size_t state = 0; state < has.size(); ++state) {
      if (has.at(state)) out_.parts.at(state).nodes.push_back(graph_.name(node));
    }
    if (has.at(MachineStatus::down)) add_reason(node);
    const bool usable = copse::usable(engine_.status(node));
    const bool is_drained = !usable && drained_ && drained_(node);
    const auto state = node_state(usable, is_drained, has);
    ++out_.nodes.at(static_cast<std::size_t>(state));
    if (state == MachineStatus::NodeState::free) idle_.push_back(node);
  }

  // The nodes of the tree and the idle ones are in preorder.
  void count_levels() {
    LevelTree tree;
    tree.follow(graph_, node_);
    if (node_ == kNoType || !tree.has_levels()) return;
    std::vector<std::int64_t> free(tree.racks().size(), 0);
    std::size_t next = 0;
    for (const LevelTree::Node& node : tree.nodes()) {
      if (next == idle_.size() || idle_[next] != node.pool) continue;
      ++next;
      for (std::uint32_t rack = node.above; rack != 0; rack = tree.racks()[rack].parent) {
        ++free[rack];
      }
    }
    for (const auto& [height, name] : tree.level_names(graph_)) {
      MachineStatus::Level level{.level = name, .free = static_cast<std::int64_t>(idle_.size())};
      for (const std::uint32_t rack : tree.of_height(height)) {
        level.largest = std::max(level.largest, free[rack]);
      }
      out_.levels.push_back(std::move(level));
    }
  }

  [[nodiscard]] std::string reason_of(PoolId node) const {
    if (reason_) {
      if (const std::string_view given = reason_(node); !given.empty()) return std::string(given);
    }
    const auto* tags = graph_.tags(node);
    if (tags == nullptr) return {};
    const auto tag = tags->find(std::string(kReasonTag));
    return tag == tags->end() ? std::string() : tag->second;
  }

  void add_reason(PoolId node) {
    const std::string reason = reason_of(node);
    if (reason.empty()) return;
    auto at = std::ranges::find(out_.reasons, reason, [](const auto& row) { return row.first; });
    if (at == out_.reasons.end()) {
      if (out_.reasons.size() == kReasonsMax) return;
      at = out_.reasons.insert(out_.reasons.end(), {reason, {}});
    }
    at->second.push_back(graph_.name(node));
  }

  const Engine& engine_;
  const ResourceGraph& graph_;
  const States& states_;
  const IsDrained& drained_;
  const DownReason& reason_;
  const TypeId node_, core_;
  std::vector<std::size_t> index_;  // LeafTypes::index
  std::map<std::pair<std::size_t, std::string>, std::array<std::int64_t, 5>> devices_;
  std::vector<PoolId> idle_;  // nodes that are free as a whole
  MachineStatus out_;
};

}  // namespace

MachineStatus::NodeState node_state(bool usable, bool is_drained, const std::array<bool, 5>& has) {
  using enum MachineStatus::NodeState;
  if (is_drained) return has.at(MachineStatus::allocated) ? draining : drained;
  if (!usable) return down;
  if (has.at(MachineStatus::allocated)) return has.at(MachineStatus::free) ? mixed : allocated;
  if (has.at(MachineStatus::reserved)) return reserved;
  return has.at(MachineStatus::free) ? free : down;
}

MachineStatus status_of(const Engine& engine, const IsDrained& drained, const DownReason& reason) {
  const States states = states_of(engine, drained);
  MachineStatus out = Counter(engine, states, drained, reason).count();
  out.now_s = engine.now();
  for (const JobId job : engine.jobs()) {
    if (is_reservation(job)) {
      ++out.reservations;
    } else {
      ++(engine.grant(job)->start > engine.now() ? out.planned : out.running);
    }
  }
  return out;
}

}  // namespace copse
