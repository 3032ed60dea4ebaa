// SPDX-License-Identifier: Apache-2.0
#include "queue/counts/outside_grants.hpp"

#include <algorithm>
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

void OutsideGrants::put(const Engine& engine, const CountedNodes& nodes, JobId id) {
  remove(id);
  const Grant* grant = engine.grant(id);
  if (grant == nullptr) return;
  const bool counted =
      nodes.countable() && takes_nodes_only(engine.graph(), grant->selection, grant->charges);
  counted_.emplace(id, counted);
  uncounted_ += counted ? 0 : 1;
}

void OutsideGrants::remove(JobId id) {
  const auto at = counted_.find(id);
  if (at == counted_.end()) return;
  uncounted_ -= at->second ? 0 : 1;
  counted_.erase(at);
}

void OutsideGrants::remove_ended(const Engine& engine) {
  std::erase_if(counted_, [&](const auto& entry) {
    const bool ended = engine.grant(entry.first) == nullptr;
    if (ended && !entry.second) --uncounted_;
    return ended;
  });
}

std::set<JobId> OutsideGrants::to_come(const Engine& engine) const {
  std::set<JobId> out;
  for (const auto& [id, counted] : counted_) {
    const Grant* grant = engine.grant(id);
    if (grant != nullptr && grant->start > engine.now()) out.insert(id);
  }
  return out;
}

std::vector<ReservedTime> OutsideGrants::times_of(const Engine& engine, const CountedNodes& nodes,
                                                  const std::set<JobId>& grants) {
  std::vector<ReservedTime> out;
  for (const JobId id : grants) {
    const Grant* grant = engine.grant(id);
    if (grant == nullptr) continue;
    auto& time = out.emplace_back(ReservedTime{grant->start, grant->end, {}});
    for (const std::uint32_t n : nodes.of(engine.graph(), grant->selection))
      time.nodes.push_back(nodes.pool(n));
    std::ranges::sort(time.nodes);
  }
  return out;
}

OutsideGrants::NodesByEnd OutsideGrants::nodes_but(const Engine& engine, const CountedNodes& nodes,
                                                   const std::set<JobId>& grants) const {
  std::vector<std::int64_t> until_s(nodes.size(), INT64_MIN);
  for (const auto& [id, counted] : counted_) {
    const Grant* grant = grants.contains(id) ? nullptr : engine.grant(id);
    if (grant == nullptr || grant->end <= engine.now()) continue;
    for (const std::uint32_t n : nodes.of(engine.graph(), grant->selection))
      until_s[n] = std::max(until_s[n], grant->end);
  }
  NodesByEnd out;
  for (std::uint32_t n = 0; n < until_s.size(); ++n) {
    if (until_s[n] > INT64_MIN) out[until_s[n]].push_back(n);
  }
  return out;
}

}  // namespace copse::queue
