// SPDX-License-Identifier: Apache-2.0
#include "queue/oracle/grouping.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace copse::queue_oracle {

Groups groups_of(const Machine& machine) {
  Groups groups;
  std::set<std::int64_t> powers;
  for (const auto& [id, job] : machine.jobs) {
    if (job.outside && job.state == State::running && job.start > machine.now)
      groups.outside.insert(id);
    if (job.state == State::gone || job.outside) continue;
    if (std::ranges::count(groups.sets, job.allowed) == 0) groups.sets.push_back(job.allowed);
    groups.licences = groups.licences || job.licences > 0;
    groups.power = groups.power || job.power > 0;
    powers.insert(job.power);
  }
  const auto reserved_at = [&](int node) {
    std::vector<std::pair<Time, Time>> out;
    for (const auto& [number, reservation] : machine.reservations.all) {
      for (const ReservedTime& time : reservation.times) {
        if (time.until > machine.now && std::ranges::count(time.nodes, node) > 0)
          out.emplace_back(time.from, time.until);
      }
    }
    for (const auto& [id, job] : machine.jobs) {
      if (job.outside && job.state == State::running && job.start > machine.now &&
          machine.nodes_of(job).contains(node))
        out.emplace_back(job.start, job.end);
    }
    std::ranges::sort(out);
    std::vector<std::pair<Time, Time>> joined;
    for (const auto& [from, until] : out) {
      if (joined.empty() || joined.back().second < from) joined.emplace_back(from, until);
      joined.back().second = std::max(joined.back().second, until);
    }
    return joined;
  };
  for (const bool capped : {true, false}) {
    if (capped && !(groups.power && powers.size() == 1)) continue;
    groups.all.clear();
    groups.of_node.clear();
    std::vector<std::vector<bool>> in_sets;
    for (int node = 0; node < static_cast<int>(machine.up.size()); ++node) {
      std::vector<bool> in;
      for (const auto& set : groups.sets) in.push_back(std::ranges::count(set, node) > 0);
      const auto times = reserved_at(node);
      const bool halves = groups.power && !capped;
      std::size_t g = 0;
      while (g < groups.all.size() &&
             !(in_sets[g] == in && groups.all[g].reserved == times &&
               (!halves || machine.layers.same_power(groups.all[g].nodes.front(), node))))
        ++g;
      if (g == groups.all.size()) {
        groups.all.push_back({.reserved = times});
        in_sets.push_back(in);
      }
      groups.all[g].nodes.push_back(node);
      groups.all[g].usable += machine.up[static_cast<std::size_t>(node)] ? 1 : 0;
      groups.of_node.push_back(static_cast<int>(g));
    }
    if (!capped) return groups;
    std::set<std::size_t> served;
    for (const auto& set : groups.sets) {
      for (const std::size_t g : groups.order(set)) served.insert(g);
    }
    if (served.size() != 1) continue;
    groups.cap_power = *powers.begin();
    // As many nodes as can be charged, one by one.
    Drawn drawn = machine.layers.none();
    auto& group = groups.all[*served.begin()];
    group.usable = std::ranges::count_if(group.nodes, [&](int node) {
      return machine.up[static_cast<std::size_t>(node)] &&
             machine.layers.draw_power(drawn, machine.layers.none(), node, groups.cap_power);
    });
    return groups;
  }
  return groups;
}

}  // namespace copse::queue_oracle
