// SPDX-License-Identifier: Apache-2.0
//
// FreeNodes keeps its invariants for random grants, status changes and times.
#include "match/treepool/free_nodes.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "state/state_of_machine.hpp"

namespace copse {
namespace {

class FreeNodesOverTime : public StateOfMachine, public testing::WithParamInterface<unsigned> {
 protected:
  struct Grant {
    Selection selection;
    std::int64_t start, end;
    std::uint32_t number;
  };

  void apply(const Grant& g, int sign) {
    state.apply(g.selection, g.start, g.end, g.number, sign);
    nodes->applied(g.selection, g.start, g.end, sign);
  }

  void grant(PoolId p, std::int64_t start, std::int64_t end) {
    if (state.touched(p, start, end)) return;
    for (PoolId up = p; up != kNoPool; up = graph.parent(up)) {
      if (state.allocated(up, start, end)) return;
    }
    grants.push_back({taking(graph, {p}), start, end, next++});
    apply(grants.back(), 1);
  }

  void cancel(std::size_t i) {
    apply(grants[i], -1);
    grants.erase(grants.begin() + static_cast<std::ptrdiff_t>(i));
  }

  void advance(std::int64_t to) {
    for (std::size_t i = grants.size(); i-- > 0;) {
      if (grants[i].end <= to) cancel(i);
    }
    const std::int64_t from = state.now();
    state.set_now(to);
    for (const Grant& g : grants) {
      if (g.start <= from || g.start > to) continue;
      state.begin(g.selection, g.start, g.end, g.number);
      nodes->started(g.selection);
    }
  }

  Layouts layouts;
  Result<FreeNodes> nodes = FreeNodes::create(graph, state, layouts);
  std::vector<Grant> grants;
  std::uint32_t next = 0;
};

TEST_P(FreeNodesOverTime, ExclusiveSpan) {
  ASSERT_TRUE(nodes);
  EXPECT_GT(nodes->size(), 1U);
  std::mt19937_64 random(GetParam());
  for (int step = 0; step < 500; ++step) {
    const PoolId p{static_cast<std::uint32_t>(1 + random() % (graph.tree_count() - 1))};
    const std::int64_t now = state.now();
    const auto start = now + (random() % 3 == 0 ? static_cast<std::int64_t>(random() % 8) : 0);
    switch (random() % 8) {
      case 0:
        if (!grants.empty()) cancel(random() % grants.size());
        break;
      case 1: advance(now + 1 + static_cast<std::int64_t>(random() % 3)); break;
      case 2:
        state.set_status(p, random() % 3 == 0 ? Status::down : Status::up);
        nodes->status_changed(p);
        break;
      default: grant(p, start, start + 1 + static_cast<std::int64_t>(random() % 8));
    }
    if (random() % 4 == 0) continue;
    nodes->renew();
    ASSERT_TRUE(nodes->check()) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FreeNodesOverTime, testing::Range(1U, 9U));

}  // namespace
}  // namespace copse
