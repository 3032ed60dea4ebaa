// SPDX-License-Identifier: Apache-2.0
#include "match/few_racks/level_tree.hpp"

#include <algorithm>

namespace copse {

void LevelTree::add_rack(const ResourceGraph& graph, PoolId p) {
  const auto number = static_cast<std::uint32_t>(racks_.size());
  const auto nodes = static_cast<std::uint32_t>(nodes_.size());
  racks_.push_back({.pool = p,
                    .type = graph.type(p),
                    .parent = path_.empty() ? number : path_.back(),
                    .end = number + 1,
                    .height = 1,
                    .first_node = nodes,
                    .end_node = nodes});
  rack_types_[graph.type(p).v] = true;
  path_.push_back(number);
}

void LevelTree::add_node(const ResourceGraph& graph, PoolId p) {
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  const PoolId shows = graph.leaf(p) ? graph.parent(p) : p;
  Range& shown = nodes_of_[graph.interior(shows)];
  if (shown.first == shown.end) shown.first = number;
  shown.end = number + 1;
  nodes_.push_back({p, path_.back()});
  for (const TypeTotal& t : graph.shape(p).totals) inside_[t.type.v] += t.total;
}

void LevelTree::finish(const ResourceGraph& graph) {
  std::vector<std::uint32_t> counts(racks_.size() + 1, 0);
  for (const Node& node : nodes_) ++counts[node.above + 1];
  for (std::size_t r = 0; r < racks_.size(); ++r) {
    counts[r + 1] += counts[r];
    racks_[r].first_own = racks_[r].end_own = counts[r];
  }
  own_.resize(nodes_.size());
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) own_[racks_[nodes_[n].above].end_own++] = n;
  for (const Rack& rack : racks_) {
    std::stable_sort(own_.begin() + rack.first_own, own_.begin() + rack.end_own,
                     [&](std::uint32_t a, std::uint32_t b) {
                       return graph.id(nodes_[a].pool) < graph.id(nodes_[b].pool);
                     });
  }
  for (std::size_t r = racks_.size(); r-- > 1;) {
    Rack& up = racks_[racks_[r].parent];
    up.height = std::max(up.height, racks_[r].height + 1);
  }
  by_height_.assign(racks_.empty() ? 0 : racks_[0].height, {});
  for (std::uint32_t r = 0; r < racks_.size(); ++r) by_height_[racks_[r].height - 1].push_back(r);
  make_runs();
}

void LevelTree::make_runs() {
  runs_by_height_.assign(by_height_.size(), {});
  first_runs_.clear();
  run_of_.assign(racks_.size(), 0);
  run_count_ = 0;
  for (std::size_t h = 0; h < by_height_.size(); ++h) {
    std::vector<Run>& runs = runs_by_height_[h];
    first_runs_.push_back(run_count_);
    for (std::uint32_t k = 0; k < by_height_[h].size(); ++k) {
      const std::uint32_t rack = by_height_[h][k];
      const std::uint32_t parent = racks_[rack].parent;
      if (runs.empty() || runs.back().parent != parent || k - runs.back().first == kRun) {
        runs.push_back({parent, k, k});
      }
      runs.back().end = k + 1;
      run_of_[rack] = first_runs_.back() + static_cast<std::uint32_t>(runs.size()) - 1;
    }
    run_count_ += static_cast<std::uint32_t>(runs.size());
  }
  node_runs_.clear();
  node_run_of_.clear();
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    const std::uint32_t above = nodes_[n].above;
    if (node_runs_.empty() || node_runs_.back().above != above ||
        n - node_runs_.back().first == kRun) {
      node_runs_.push_back({above, n, n});
    }
    node_runs_.back().end = n + 1;
    node_run_of_.push_back(static_cast<std::uint32_t>(node_runs_.size()) - 1);
  }
}

std::vector<LevelTree::LevelName> LevelTree::level_names(const ResourceGraph& graph) const {
  std::vector<LevelName> out;
  for (std::uint32_t height = 1; height < by_height_.size(); ++height) {
    const auto racks = of_height(height);
    if (racks.size() > 1) out.push_back({height, graph.type_name(racks_[racks[0]].type)});
  }
  const auto count = [&](const std::string& type) {
    return std::ranges::count(out, type, &LevelName::name);
  };
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::string type = out[k].name;
    if (count(type) < 2) continue;
    int number = 1;
    for (std::size_t other = k; other < out.size(); ++other) {
      if (out[other].name == type) out[other].name += std::to_string(number++);
    }
  }
  std::ranges::reverse(out);
  return out;
}

bool has_levels(const ResourceGraph& graph) {
  const TypeId node = graph.find_type("node");
  if (node == kNoType) return false;
  LevelTree tree;
  tree.follow(graph, node);
  return !tree.level_names(graph).empty();
}

bool LevelTree::follow(const ResourceGraph& graph, TypeId node) {
  if (graph_ == &graph && changes_ == graph.changes().size()) return false;
  graph_ = &graph;
  changes_ = graph.changes().size();
  racks_.clear();
  nodes_.clear();
  nodes_of_.assign(graph.interior_count(), {});
  inside_.assign(graph.names().types.size(), 0);
  rack_types_.assign(graph.names().types.size(), false);
  path_.clear();
  // Closes the racks that p is not below.
  const auto leave = [&](PoolId p) {
    while (!path_.empty() && (p == kNoPool || !graph.below(p, racks_[path_.back()].pool))) {
      Rack& over = racks_[path_.back()];
      over.end = static_cast<std::uint32_t>(racks_.size());
      over.end_node = static_cast<std::uint32_t>(nodes_.size());
      path_.pop_back();
    }
  };
  graph.preorder(graph.root(), [&](PoolId p) {
    const bool is_node = graph.type(p) == node;
    if (!is_node && (graph.leaf(p) || graph.shape(p).total(node) <= 0)) return false;
    leave(p);
    if (!is_node) {
      add_rack(graph, p);
    } else if (!path_.empty()) {
      add_node(graph, p);
    }
    return !is_node;
  });
  leave(kNoPool);
  finish(graph);
  return true;
}

}  // namespace copse
