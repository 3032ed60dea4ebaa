// SPDX-License-Identifier: Apache-2.0
//
// The walks of ResourceGraph that call a function for what they meet: their bodies, which the
// compiler needs beside graph.hpp, where they are described. Nothing is called through a pointer,
// and none of them recurs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "copse/graph.hpp"

namespace copse {

template <class Visit>
void ResourceGraph::preorder(PoolId top, Visit visit) const {
  if (!changed_) {
    for (std::uint32_t v = top.v; v < ends_[top.v];) {
      v = visit(PoolId{v}) ? v + 1 : ends_[v];
    }
    return;
  }
  if (removed(top) || !visit(top)) return;
  std::vector<std::span<const PoolId>> open{children(top)};
  while (!open.empty()) {
    if (open.back().empty()) {
      open.pop_back();
      continue;
    }
    const PoolId p = open.back().front();
    open.back() = open.back().subspan(1);
    if (visit(p) && !leaf(p)) open.push_back(children(p));
  }
}

template <class Visit>
void ResourceGraph::for_each_further_below(PoolId p, Visit visit) const {
  const FurtherEdges& f = further_[dominant_.v];
  const auto first = std::lower_bound(f.from.begin(), f.from.end(), p);
  for (auto it = first; it != f.from.end() && *it < end(p); ++it) {
    visit(*it, f.to[static_cast<std::size_t>(it - f.from.begin())]);
  }
}

template <class Visit>
void ResourceGraph::for_each_interior_below(PoolId p, Visit visit) const {
  auto interval = [&](std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t i = first; i < end; ++i) {
      if (!removed(interior_pools_[i])) visit(i);
    }
  };
  interval(interior_at(p) + 1, interior_at(end(p)));
  if (!changed_) return;
  auto it = grown_->attached.find(p.v);
  if (it == grown_->attached.end()) return;
  for (PoolId top : it->second) interval(interior_at(top), interior_at(end(top)));
}

template <class Visit>
void ResourceGraph::for_each_edge(Visit visit) const {
  for (std::uint32_t s = 0; s < further_.size(); ++s) {
    const SubsystemId subsystem{static_cast<std::uint8_t>(s)};
    if (subsystem == dominant_) {
      for (PoolId p : interior_pools_) {
        if (removed(p)) continue;
        for (PoolId c : children(p)) {
          auto [relation, reverse] = tree_relation(c);
          visit(Edge{p, c, subsystem, relation, reverse});
        }
      }
    }
    const FurtherEdges& f = further_[s];
    std::size_t run = 0;
    for (std::uint32_t e = 0; e < f.from.size(); ++e) {
      while (run + 1 < f.relations.size() && f.relations[run + 1].first <= e) ++run;
      visit(
          Edge{f.from[e], f.to[e], subsystem, f.relations[run].relation, f.relations[run].reverse});
    }
  }
}

}  // namespace copse
