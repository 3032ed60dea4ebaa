// SPDX-License-Identifier: Apache-2.0
#include "copse/selection.hpp"

namespace copse {

void expand(const ResourceGraph& graph, const Selection& selection, std::vector<Emitted>& out) {
  out.clear();
  struct Open {
    Emitted pool;
    std::uint32_t end;
  };
  std::vector<Open> open;
  auto close_until = [&](std::uint32_t at) {
    while (!open.empty() && open.back().end <= at) {
      out.push_back(open.back().pool);
      open.pop_back();
    }
  };
  auto enter = [&](PoolId p, bool exclusive) {
    close_until(p.v);
    Emitted e{p, static_cast<std::uint32_t>(open.size()), exclusive,
              !open.empty() && open.back().pool.exclusive};
    if (graph.leaf(p)) {
      out.push_back(e);
    } else {
      open.push_back({e, graph.end(p).v});
    }
  };
  for (const Taken& t : selection.taken) {
    const std::uint32_t end = t.whole ? graph.end(t.first).v : t.first.v + t.count;
    for (std::uint32_t v = t.first.v; v < end; ++v) enter(PoolId{v}, t.exclusive || t.whole);
  }
  close_until(kNoPool.v);
}

}  // namespace copse
