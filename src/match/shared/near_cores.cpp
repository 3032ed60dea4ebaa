// SPDX-License-Identifier: Apache-2.0
#include "match/shared/near_cores.hpp"

#include <algorithm>

#include "base/idset_algebra.hpp"

namespace copse {

void NearCores::update() {
  if (version_ == graph_.properties_version() && changes_ == graph_.changes().size()) return;
  version_ = graph_.properties_version();
  changes_ = graph_.changes().size();
  near_.clear();
  core_ = graph_.find_type("core");
  gpu_ = graph_.find_type("gpu");
  if (core_ == kNoType || gpu_ == kNoType) return;
  for (const PoolId p : graph_.of_type(gpu_)) {
    const auto* properties = graph_.properties(p);
    if (properties == nullptr) continue;
    const auto near = properties->find(std::string(kNearCores));
    if (near == properties->end()) continue;
    if (auto ids = Idset::parse(near->second); ids && !ids->empty()) {
      near_.emplace(p.v, std::move(*ids));
    }
  }
}

bool NearCores::is_free(const Eligibility& eligibility, PoolId core) const {
  return graph_.leaf(core) && eligibility.passable(core) && eligibility.idle(core);
}

// The near cores of the match stay; for each other one, the next near core that is free is taken.
// False: none is.
bool NearCores::exchange(const Eligibility& eligibility, PoolId node, const Idset& near,
                         std::vector<PoolId>& cores) const {
  std::vector<PoolId> free;
  for (const PoolId c : graph_.children(node)) {
    if (graph_.type(c) != core_ || !near.contains(graph_.id(c))) continue;
    if (std::ranges::find(cores, c) == cores.end() && is_free(eligibility, c)) free.push_back(c);
  }
  if (free.empty()) return false;
  const bool high = eligibility.scores.better(2, 1);
  if (high) std::ranges::reverse(free);
  auto next = free.begin();
  // The last chosen go first.
  for (auto core = cores.rbegin(); core != cores.rend() && next != free.end(); ++core) {
    if (!near.contains(graph_.id(*core))) *core = *next++;
  }
  std::ranges::sort(cores, [&](PoolId a, PoolId b) { return graph_.before(a, b); });
  return next != free.begin();
}

void NearCores::prefer(const Eligibility& eligibility, Selection& selection) {
  update();
  if (near_.empty() || !selection.labels.empty() || !selection.moved.empty()) return;
  const bool charged = std::ranges::any_of(eligibility.request->levels, [&](const Level& level) {
    return level.type == core_ && (!level.charges.empty() || level.filter != 0);
  });
  if (charged) return;
  struct Node {
    PoolId pool;
    Idset near{};
    std::vector<PoolId> cores{};
  };
  std::vector<Node> nodes;  // in the order of the selection
  std::unordered_map<std::uint32_t, std::size_t> numbers;
  const auto node_of = [&](PoolId child) -> Node& {
    const PoolId up = graph_.parent(child);
    const auto [at, is_new] = numbers.try_emplace(up.v, nodes.size());
    return is_new ? nodes.emplace_back(Node{up}) : nodes[at->second];
  };
  for (const SelectedPools& t : selection.taken) {
    if (!t.exclusive || !graph_.leaf(t.first)) continue;
    const TypeId type = graph_.type(t.first);
    for (std::uint32_t v = t.first.v; v < t.first.v + t.count; ++v) {
      if (type == core_) node_of(PoolId{v}).cores.push_back(PoolId{v});
      if (type != gpu_) continue;
      if (const auto near = near_.find(v); near != near_.end()) {
        Idset& all = node_of(PoolId{v}).near;
        all = unite(all, near->second);
      }
    }
  }
  bool changed = false;
  for (Node& node : nodes) {
    if (node.near.empty() || node.cores.empty()) continue;
    changed |= exchange(eligibility, node.pool, node.near, node.cores);
  }
  if (!changed) return;
  // All entries but those of cores, and the cores again, in preorder.
  std::vector<SelectedPools> taken;
  for (const SelectedPools& t : selection.taken) {
    if (!t.exclusive || !graph_.leaf(t.first) || graph_.type(t.first) != core_) taken.push_back(t);
  }
  for (const Node& node : nodes) {
    for (const PoolId core : node.cores) {
      if (!taken.empty() && graph_.leaf(taken.back().first) &&
          graph_.type(taken.back().first) == core_ &&
          graph_.parent(taken.back().first) == node.pool &&
          taken.back().first.v + taken.back().count == core.v) {
        ++taken.back().count;
      } else {
        taken.push_back({core, 1, true, false});
      }
    }
  }
  std::ranges::sort(taken, [&](const SelectedPools& a, const SelectedPools& b) {
    return graph_.before(a.first, b.first);
  });
  selection.taken = std::move(taken);
}

}  // namespace copse
