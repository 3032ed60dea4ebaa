// SPDX-License-Identifier: Apache-2.0
#include "copse/selection.hpp"

namespace copse {

void expand(const ResourceGraph& graph, const Selection& selection, std::vector<Emitted>& out) {
  out.clear();
  std::vector<Emitted> open;
  auto enter = [&](PoolId p, bool exclusive) {
    while (!open.empty() && !graph.below(p, open.back().pool)) {
      out.push_back(open.back());
      open.pop_back();
    }
    const Emitted e{p, static_cast<std::uint32_t>(open.size()), exclusive,
                    !open.empty() && open.back().exclusive};
    (graph.leaf(p) ? out : open).push_back(e);
  };
  for (const Taken& t : selection.taken) {
    if (t.whole) {
      graph.preorder(t.first, [&](PoolId p) {
        enter(p, true);
        return true;
      });
      continue;
    }
    for (std::uint32_t v = t.first.v; v < t.first.v + t.count; ++v) enter(PoolId{v}, t.exclusive);
  }
  out.insert(out.end(), open.rbegin(), open.rend());
}

}  // namespace copse
