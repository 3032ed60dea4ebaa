// SPDX-License-Identifier: Apache-2.0
#include "match/scores.hpp"

namespace copse {

Scores::Scores(const ResourceGraph& graph, const Policy& policy) : graph_(graph), policy_(policy) {
  properties_version_ = graph.properties_version() + 1;
  update();
}

void Scores::update() {
  if (policy_.score == nullptr || properties_version_ == graph_.properties_version()) return;
  properties_version_ = graph_.properties_version();
  column_.resize(graph_.pool_count());
  for (std::uint32_t v = 0; v < graph_.pool_count(); ++v) {
    column_[v] = policy_.score(graph_, PoolId{v});
  }
  ascending_.resize(graph_.interior_count());
  for (std::uint32_t i = 0; i < graph_.interior_count(); ++i) note_order(i);
}

void Scores::note_order(std::uint32_t i) {
  ascending_[i] = 3;
  const auto children = graph_.children(graph_.interior_pool(i));
  for (const ChildRun& run : graph_.shape_of_interior(i).runs) {
    for (std::uint32_t c = run.first + 1; c < run.first + run.count; ++c) {
      const Score before = column_[children[c - 1].v], here = column_[children[c].v];
      if (here <= before) ascending_[i] &= 2;
      if (here >= before) ascending_[i] &= 1;
    }
  }
}

void Scores::attached(PoolId parent) {
  if (column_.empty()) return;
  for (auto v = static_cast<std::uint32_t>(column_.size()); v < graph_.pool_count(); ++v) {
    column_.push_back(policy_.score(graph_, PoolId{v}));
  }
  const auto first = static_cast<std::uint32_t>(ascending_.size());
  ascending_.resize(graph_.interior_count(), 3);
  for (std::uint32_t i = first; i < graph_.interior_count(); ++i) note_order(i);
  note_order(graph_.interior(parent));
}

ChildOrder Scores::order(std::uint32_t i, const ChildRun& run) const {
  if (run.count == 1) return ChildOrder::forward;
  const bool up = column_.empty() ? run.ascending : (ascending_[i] & 1) != 0;
  const bool down = !column_.empty() && (ascending_[i] & 2) != 0;
  if (up) return policy_.prefer_high ? ChildOrder::backward : ChildOrder::forward;
  if (down) return policy_.prefer_high ? ChildOrder::forward : ChildOrder::backward;
  return ChildOrder::mixed;
}

}  // namespace copse
