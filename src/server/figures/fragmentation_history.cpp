// SPDX-License-Identifier: Apache-2.0
#include "server/figures/fragmentation_history.hpp"

#include <algorithm>
#include <vector>

namespace copse::server {

void FragmentationHistory::follow(const MachineWatch& watch, const ResourceGraph& graph) {
  if (generation_ == watch.generation()) return;
  generation_ = watch.generation();
  looked_s_ = INT64_MIN;
  level_.clear();
  tree_ = {};  // the graph may be another one at the same place
  const TypeId node = graph.find_type("node");
  if (node == kNoType || graph.leaf(graph.root())) return;
  tree_.follow(graph, node);
  const auto levels = tree_.level_names(graph);
  if (!tree_.has_levels() || levels.empty()) return;
  level_ = levels.back().name;
  height_ = levels.back().height;
}

double FragmentationHistory::share_of(const MachineWatch& watch) const {
  std::vector<std::int64_t> free_in(tree_.racks().size(), 0);
  MachineStatus::Level level;
  for (const LevelTree::Node& node : tree_.nodes()) {
    const auto row = watch.node_rows().row_of(node.pool);
    if (!row || watch.nodes()[*row].state != NodeSummary::free) continue;
    ++level.free;
    std::uint32_t rack = node.above;
    while (rack != 0 && tree_.racks()[rack].height < height_) rack = tree_.racks()[rack].parent;
    if (tree_.racks()[rack].height != height_) continue;
    level.largest = std::max(level.largest, ++free_in[rack]);
  }
  return level.fragmentation();
}

void FragmentationHistory::note(const MachineWatch& watch, const ResourceGraph& graph,
                                std::int64_t now_s) {
  follow(watch, graph);
  if (level_.empty()) return;
  if (looked_s_ != INT64_MIN && now_s < looked_s_ + kEveryS) return;
  looked_s_ = now_s;
  const double share = share_of(watch);
  const bool later = steps_.empty() || steps_.back().time_s < now_s;
  if (!later || (!steps_.empty() && steps_.back().share == share)) return;
  steps_.push_back({now_s, share});
  if (steps_.size() > kStepsMax) steps_.pop_front();
}

}  // namespace copse::server
