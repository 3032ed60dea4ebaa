// SPDX-License-Identifier: Apache-2.0
#include "plan/placement.hpp"

#include <algorithm>
#include <functional>

#include "match/few_racks/level_tree.hpp"

namespace copse::plan {

Placement::Placement(const NodeRows& rows) : free_(rows.count()) {
  if (!rows.are_nodes()) return;
  const ResourceGraph& graph = rows.graph();
  LevelTree tree;
  tree.follow(graph, graph.find_type("node"));
  if (!tree.has_levels()) return;
  for (const auto& [height, name] : tree.level_names(graph)) {
    const auto racks = tree.of_height(height);
    Level level;
    level.name = name;
    level.pool_of.assign(rows.count(), kNone);
    for (std::uint32_t pool = 0; pool < racks.size(); ++pool) {
      const LevelTree::Rack& rack = tree.racks()[racks[pool]];
      for (std::uint32_t n = rack.first_node; n < rack.end_node; ++n) {
        const auto row = rows.row_of(tree.nodes()[n].pool);
        if (row) level.pool_of[*row] = pool;
      }
      level.free.push_back(rack.end_node - rack.first_node);
    }
    level.sizes = level.free;
    std::ranges::sort(level.sizes, std::greater());
    for (std::size_t k = 1; k < level.sizes.size(); ++k) level.sizes[k] += level.sizes[k - 1];
    level.met.assign(racks.size(), 0);
    levels_.push_back(std::move(level));
  }
}

void Placement::change(std::uint32_t row, int sign) {
  free_ += sign;
  for (Level& level : levels_) {
    const std::uint32_t pool = level.pool_of[row];
    if (pool == kNone) continue;
    level.free[pool] += sign;
    level.known = false;
  }
}

// The least number of pools with that many free nodes.
std::uint64_t Placement::least_of_free(std::size_t number, std::int64_t nodes) {
  if (largest(number) >= nodes) return 1;
  sorted_ = levels_[number].free;
  std::ranges::sort(sorted_, std::greater());
  std::uint64_t pools = 0;
  for (const std::int64_t free : sorted_) {
    if (nodes <= 0 || free <= 0) break;
    nodes -= free;
    ++pools;
  }
  return std::max<std::uint64_t>(pools, 1);
}

void Placement::count_job(const std::vector<NodeRange>& ranges, std::int64_t nodes) {
  if (nodes < 2) return;
  ++jobs_;
  for (std::size_t number = 0; number < levels_.size(); ++number) {
    Level& level = levels_[number];
    std::uint64_t pools = 0;
    for (const NodeRange& range : ranges) {
      for (std::uint32_t row = range.first; row < range.first + range.count; ++row) {
        const std::uint32_t pool = level.pool_of[row];
        if (pool == kNone || level.met[pool] == jobs_) continue;
        level.met[pool] = jobs_;
        ++pools;
      }
    }
    level.pools += pools;
    // A job on nodes that others use may be on fewer.
    level.least_at_start += std::min(least_of_free(number, nodes), pools);
    const auto held = std::ranges::lower_bound(level.sizes, nodes);
    level.least += static_cast<std::uint64_t>(held - level.sizes.begin()) + 1;
  }
}

std::int64_t Placement::largest(std::size_t number) {
  Level& level = levels_[number];
  if (!level.known) level.largest = std::ranges::max(level.free);
  level.known = true;
  return level.largest;
}

double Placement::fragmentation(std::size_t level) {
  if (free_ <= 0) return 0;
  return 1 - static_cast<double>(largest(level)) / static_cast<double>(free_);
}

void Placement::pass(double seconds) {
  if (seconds <= 0) return;
  seconds_ += seconds;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    levels_[level].fragmented_s += seconds * fragmentation(level);
  }
}

std::vector<LevelFigures> Placement::figures() const {
  std::vector<LevelFigures> out;
  out.reserve(levels_.size());
  const double jobs = std::max(1.0, static_cast<double>(jobs_));
  for (const Level& level : levels_) {
    out.push_back({level.name, static_cast<double>(level.pools) / jobs,
                   static_cast<double>(level.least_at_start) / jobs,
                   static_cast<double>(level.least) / jobs,
                   level.fragmented_s / std::max(1e-9, seconds_)});
  }
  return out;
}

}  // namespace copse::plan
