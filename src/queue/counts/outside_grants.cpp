// SPDX-License-Identifier: Apache-2.0
#include "queue/counts/outside_grants.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace copse::queue {

bool takes_nodes_only(const ResourceGraph& graph, const Selection& selection,
                      const GrantCharges& charges) {
  if (!charges.empty() || !charges.capacities.empty()) return false;
  const TypeId node = graph.find_type("node");
  return std::ranges::all_of(selection.taken, [&](const SelectedPools& taken) {
    if (!taken.exclusive && !taken.whole) return true;
    return graph.type(taken.first) == node || graph.shape(taken.first).total(node) == 0;
  });
}

OutsideGrants::Nodes OutsideGrants::put(const Engine& engine, const CountedNodes& nodes, JobId id) {
  Nodes touched = remove(id);
  const Grant* grant = engine.grant(id);
  if (grant == nullptr) return touched;
  Entry made{.start_s = grant->start, .end_s = grant->end};
  made.counted =
      nodes.countable() && takes_nodes_only(engine.graph(), grant->selection, grant->charges);
  if (made.counted) made.nodes = nodes.of(engine.graph(), grant->selection);
  uncounted_ += made.counted ? 0 : 1;
  for (const std::uint32_t n : made.nodes) of_node_[n].push_back(id);
  ends_.emplace(made.end_s, id);
  touched.insert(touched.end(), made.nodes.begin(), made.nodes.end());
  grants_.emplace(id, std::move(made));
  return touched;
}

OutsideGrants::Nodes OutsideGrants::remove(JobId id) {
  const auto at = grants_.find(id);
  if (at == grants_.end()) return {};
  Entry entry = std::move(at->second);
  grants_.erase(at);
  ends_.erase({entry.end_s, id});
  uncounted_ -= entry.counted ? 0 : 1;
  for (const std::uint32_t n : entry.nodes) {
    const auto of = of_node_.find(n);
    std::erase(of->second, id);
    if (of->second.empty()) of_node_.erase(of);
  }
  return std::move(entry.nodes);
}

void OutsideGrants::number_again(const Engine& engine, const CountedNodes& nodes) {
  const OutsideGrants old = std::exchange(*this, OutsideGrants());
  for (const auto& [id, entry] : old.grants_) put(engine, nodes, id);
}

OutsideGrants::Nodes OutsideGrants::remove_ended(const Engine& engine) {
  std::vector<JobId> ended;
  for (const auto& [end_s, id] : ends_) {
    if (end_s > engine.now()) break;
    if (engine.grant(id) == nullptr) ended.push_back(id);
  }
  Nodes touched;
  for (const JobId id : ended) {
    const Nodes nodes = remove(id);
    touched.insert(touched.end(), nodes.begin(), nodes.end());
  }
  return touched;
}

std::set<JobId> OutsideGrants::to_come(const Engine& engine) const {
  std::set<JobId> out;
  for (const auto& [id, entry] : grants_) {
    if (entry.start_s > engine.now()) out.insert(id);
  }
  return out;
}

std::vector<ReservedTime> OutsideGrants::times_of(const CountedNodes& nodes,
                                                  const std::set<JobId>& grants) const {
  std::vector<ReservedTime> out;
  for (const JobId id : grants) {
    const auto at = grants_.find(id);
    if (at == grants_.end()) continue;
    auto& time = out.emplace_back(ReservedTime{at->second.start_s, at->second.end_s, {}});
    for (const std::uint32_t n : at->second.nodes) time.nodes.push_back(nodes.pool(n));
    std::ranges::sort(time.nodes);
  }
  return out;
}

std::optional<std::int64_t> OutsideGrants::until(std::uint32_t node,
                                                 const std::set<JobId>& but) const {
  std::optional<std::int64_t> out;
  const auto of = of_node_.find(node);
  if (of == of_node_.end()) return out;
  for (const JobId id : of->second) {
    if (but.contains(id)) continue;
    out = std::max(out.value_or(INT64_MIN), grants_.at(id).end_s);
  }
  return out;
}

OutsideGrants::Nodes OutsideGrants::nodes() const {
  Nodes out;
  out.reserve(of_node_.size());
  for (const auto& [node, ids] : of_node_) out.push_back(node);
  std::ranges::sort(out);
  return out;
}

OutsideGrants::NodesByEnd OutsideGrants::nodes_but(std::int64_t now_s,
                                                   const std::set<JobId>& grants) const {
  NodesByEnd out;
  for (const std::uint32_t n : nodes()) {
    const auto end_s = until(n, grants);
    if (end_s && *end_s > now_s) out[*end_s].push_back(n);
  }
  return out;
}

void OutsideGrants::check() const {
  [[maybe_unused]] std::size_t uncounted = 0, of_nodes = 0;
  for (const auto& [id, entry] : grants_) {
    assert(ends_.contains({entry.end_s, id}));
    assert(entry.counted || entry.nodes.empty());
    uncounted += entry.counted ? 0 : 1;
    for (const std::uint32_t n : entry.nodes) {
      [[maybe_unused]] const auto of = of_node_.find(n);
      assert(of != of_node_.end() && std::ranges::count(of->second, id) == 1);
      ++of_nodes;
    }
  }
  assert(ends_.size() == grants_.size() && uncounted == uncounted_);
  for (const auto& [node, ids] : of_node_) {
    assert(!ids.empty());
    of_nodes -= ids.size();
  }
  assert(of_nodes == 0);
}

}  // namespace copse::queue
