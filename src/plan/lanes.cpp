// SPDX-License-Identifier: Apache-2.0
#include "plan/lanes.hpp"

#include <algorithm>
#include <string_view>

#include "base/hostlist.hpp"

namespace copse::plan {

namespace {

void append_run(std::vector<LaneRun>& out, std::uint32_t lane, std::uint32_t count,
                std::uint16_t share) {
  if (!out.empty() && out.back().first + out.back().count == lane && out.back().share == share) {
    out.back().count += count;
  } else {
    out.push_back({lane, count, share, 0});
  }
}

}  // namespace

Lanes::Lanes(const ResourceGraph& graph)
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

std::int64_t Lanes::cores_in(PoolId pool, std::uint32_t count) const {
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

std::uint32_t Lanes::with_fewer_cores(std::int64_t cores) const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(pools_, [&](PoolId p) { return cores_in(p, 1) < cores; }));
}

std::uint32_t Lanes::first_at(PoolId pool, std::uint32_t guess) const {
  const bool before = guess == 0 || guess > count() || !(pools_[guess - 1] < pool);
  if (!before && (guess == count() || !(pools_[guess] < pool))) return guess;
  const auto from = pools_.begin() + (before ? 0 : static_cast<std::ptrdiff_t>(guess));
  return static_cast<std::uint32_t>(std::lower_bound(from, pools_.end(), pool) - pools_.begin());
}

Use Lanes::taken(const Selection& selection, std::vector<LaneRun>& out) const {
  out.clear();
  Use use;
  std::uint32_t open = count();  // the lane that entries are below of
  std::int64_t cores_here = 0;
  const auto close = [&] {
    if (open == count()) return;
    const std::int64_t all = std::max<std::int64_t>(cores_in(pools_[open], 1), 1);
    const std::int64_t share = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(static_cast<double>(cores_here) / static_cast<double>(all) *
                                  (LaneRun::kWhole - 1)),
        1, LaneRun::kWhole - 1);
    append_run(out, open, 1, static_cast<std::uint16_t>(share));
    use.nodes += 1;
    open = count();
  };
  PoolId covering = kNoPool;  // all below it is nobody else's
  std::uint32_t next = 0;     // the lane after those of the last entry
  for (const Taken& t : selection.taken) {
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
    const std::uint32_t lane = first_at(t.first, next);
    const std::uint32_t lanes = first_at(end, lane + 1) - lane;
    if (lanes == 0) continue;
    next = lane + lanes;
    if (exclusive) {
      append_run(out, lane, lanes, LaneRun::kWhole);
      use.nodes += lanes;
    } else if (pools_[lane] == t.first) {
      open = lane;
      cores_here = 0;
    }
  }
  close();
  return use;
}

void Lanes::append_names(std::string& out, const std::vector<LaneRun>& runs) const {
  std::vector<std::string_view> names;
  for (const LaneRun& run : runs) {
    for (std::uint32_t lane = run.first; lane < run.first + run.count; ++lane) {
      names.emplace_back(names_[lane]);
    }
  }
  append_hostlist(out, names);
}

}  // namespace copse::plan
