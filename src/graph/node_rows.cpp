// SPDX-License-Identifier: Apache-2.0
#include "graph/node_rows.hpp"

#include <algorithm>
#include <string_view>

#include "base/hostlist.hpp"

namespace copse {

namespace {

void append_run(std::vector<NodeRange>& out, std::uint32_t row, std::uint32_t count,
                std::uint16_t share) {
  if (!out.empty() && out.back().first + out.back().count == row && out.back().share == share) {
    out.back().count += count;
  } else {
    out.push_back({row, count, share, 0});
  }
}

}  // namespace

NodeRows::NodeRows(const ResourceGraph& graph)
    : graph_(graph), node_(graph.find_type("node")), core_(graph.find_type("core")) {
  if (node_ != kNoType) {
    for (PoolId p : graph.of_type(node_)) {
      if (graph.in_tree(p)) pools_.push_back(p);
    }
    std::ranges::sort(pools_);
  }
  if (pools_.empty()) {
    node_ = kNoType;
    pools_.push_back(graph.root());
  }
  names_.reserve(pools_.size());
  for (PoolId p : pools_) names_.push_back(graph.name(p));
  cores_ = cores_in(graph.root(), 1);
}

std::int64_t NodeRows::cores_in(PoolId pool, std::uint32_t count) const {
  if (core_ == kNoType) return 0;
  if (!graph_.leaf(pool)) {
    return graph_.shape(pool).total(core_) + (graph_.type(pool) == core_ ? graph_.size(pool) : 0);
  }
  std::int64_t out = 0;
  for (std::uint32_t v = pool.v; v < pool.v + count; ++v) {
    if (graph_.type(PoolId{v}) == core_) out += graph_.size(PoolId{v});
  }
  return out;
}

std::optional<std::uint32_t> NodeRows::row_of(PoolId pool) const {
  const auto found = std::ranges::lower_bound(pools_, pool);
  if (found == pools_.end() || *found != pool) return std::nullopt;
  return static_cast<std::uint32_t>(found - pools_.begin());
}

std::uint32_t NodeRows::with_fewer_cores(std::int64_t cores) const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(pools_, [&](PoolId p) { return cores_in(p, 1) < cores; }));
}

std::uint32_t NodeRows::first_at(PoolId pool, std::uint32_t guess) const {
  const bool before = guess == 0 || guess > count() || !(pools_[guess - 1] < pool);
  if (!before && (guess == count() || !(pools_[guess] < pool))) return guess;
  const auto from = pools_.begin() + (before ? 0 : static_cast<std::ptrdiff_t>(guess));
  return static_cast<std::uint32_t>(std::lower_bound(from, pools_.end(), pool) - pools_.begin());
}

NodeUse NodeRows::taken(const Selection& selection, std::vector<NodeRange>& out) const {
  out.clear();
  NodeUse use;
  std::uint32_t open = count();  // the row that contains the next entries
  std::int64_t cores_here = 0;
  const auto close = [&] {
    if (open == count()) return;
    const std::int64_t all = std::max<std::int64_t>(cores_in(pools_[open], 1), 1);
    const std::int64_t share = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(static_cast<double>(cores_here) / static_cast<double>(all) *
                                  (NodeRange::kWhole - 1)),
        1, NodeRange::kWhole - 1);
    append_run(out, open, 1, static_cast<std::uint16_t>(share));
    use.nodes += 1;
    open = count();
  };
  PoolId covering = kNoPool;  // everything below it belongs to this selection
  std::uint32_t next = 0;     // the row after those of the last entry
  for (const SelectedPools& t : selection.taken) {
    if (t.hidden || (covering != kNoPool && graph_.below(t.first, covering))) continue;
    covering = kNoPool;
    if (open != count() && !graph_.below(t.first, pools_[open])) close();
    const bool leaf = graph_.leaf(t.first), exclusive = t.exclusive || t.whole;
    if (exclusive) {
      const std::int64_t cores = cores_in(t.first, t.count);
      use.cores += cores;
      cores_here += cores;
      if (!leaf) covering = t.first;
    }
    if (open != count()) continue;
    const PoolId end = leaf ? PoolId{t.first.v + t.count} : graph_.end(t.first);
    const std::uint32_t row = first_at(t.first, next);
    const std::uint32_t rows = first_at(end, row + 1) - row;
    if (rows == 0) continue;
    next = row + rows;
    if (exclusive) {
      append_run(out, row, rows, NodeRange::kWhole);
      use.nodes += rows;
    } else if (pools_[row] == t.first) {
      open = row;
      cores_here = 0;
    }
  }
  close();
  return use;
}

void NodeRows::append_names(std::string& out, const std::vector<NodeRange>& runs) const {
  std::vector<std::string_view> names;
  for (const NodeRange& run : runs) {
    for (std::uint32_t row = run.first; row < run.first + run.count; ++row) {
      names.emplace_back(names_[row]);
    }
  }
  append_hostlist(out, names);
}

}  // namespace copse
