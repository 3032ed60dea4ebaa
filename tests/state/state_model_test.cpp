// SPDX-License-Identifier: Apache-2.0
//
// State compared with a reference: a list of grants and a set of down pools.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "state/state_of_machine.hpp"

namespace copse {
namespace {

struct PlainGrant {
  std::vector<PoolId> pools;  // each allocated exclusively
  std::int64_t start, end;
  std::uint32_t number;
};

class Plain {
 public:
  explicit Plain(const ResourceGraph& graph) : graph_(graph) {}

  [[nodiscard]] bool free(PoolId p, std::int64_t start, std::int64_t end) const {
    return std::ranges::none_of(grants, [&](const PlainGrant& g) {
      return g.start < end && start < g.end &&
             std::ranges::any_of(
                 g.pools,
                 [&](PoolId taken) { return graph_.below(p, taken) || graph_.below(taken, p); });
    });
  }
  // Units of a type in use below p at a time.
  [[nodiscard]] std::int64_t used(PoolId p, TypeId type, std::int64_t time) const {
    std::int64_t units = 0;
    for (std::uint32_t v = p.v + 1; v < graph_.end(p).v; ++v) {
      if (graph_.type(PoolId{v}) == type && allocated(PoolId{v}, time))
        units += graph_.size(PoolId{v});
    }
    return units;
  }
  // Grants that use p, or a pool below it, at a time.
  [[nodiscard]] std::int64_t jobs(PoolId p, std::int64_t time) const {
    return std::ranges::count_if(grants, [&](const PlainGrant& g) {
      return g.start <= time && time < g.end &&
             std::ranges::any_of(
                 g.pools,
                 [&](PoolId taken) { return graph_.below(p, taken) || graph_.below(taken, p); });
    });
  }
  // Allocated exclusively at a time: the pool or one above it.
  [[nodiscard]] bool allocated(PoolId p, std::int64_t time) const {
    return std::ranges::any_of(grants, [&](const PlainGrant& g) {
      return g.start <= time && time < g.end &&
             std::ranges::any_of(g.pools, [&](PoolId taken) { return graph_.below(p, taken); });
    });
  }
  [[nodiscard]] bool available_now(PoolId p) const {
    if (allocated(p, kNow)) return false;
    return std::ranges::none_of(unusable, [&](PoolId u) { return graph_.below(p, u); });
  }
  // A grant has pools below p, and no exclusive pool at or above p.
  [[nodiscard]] bool shared(PoolId p) const {
    return std::ranges::any_of(grants, [&](const PlainGrant& g) {
      return std::ranges::any_of(
          g.pools, [&](PoolId taken) { return taken != p && graph_.below(taken, p); });
    });
  }

  std::vector<PlainGrant> grants;
  std::set<PoolId> unusable;

 private:
  const ResourceGraph& graph_;
};

class StateAgainstPlain : public StateOfMachine {
 protected:
  void compare() {
    for (std::uint32_t i = 0; i < graph.interior_count(); ++i) {
      const PoolId p = graph.interior_pool(i);
      const Shape& shape = graph.shape(p);
      ASSERT_EQ(state.row(i)[0], plain.jobs(p, kNow)) << graph.path(p, graph.dominant());
      for (std::uint32_t k = 0; k < shape.totals.size(); ++k) {
        const TypeId type = shape.totals[k].type;
        ASSERT_EQ(state.row(i)[k + 1], plain.used(p, type, kNow));
        if (state.planner(i) == nullptr) continue;
        for (std::int64_t t : {kNow - 3, kNow, kNow + 7, kNow + 25}) {
          if (plain.allocated(p, t) && p != root) continue;  // the span covers it
          ASSERT_EQ(state.planner(i)->used_at(k + 1, t), plain.used(p, type, t));
        }
      }
      ASSERT_EQ(state.planner(i) != nullptr, p == root ? !plain.grants.empty() : plain.shared(p));
    }
    for (std::uint32_t v = 0; v < graph.tree_count(); ++v) {
      const PoolId p{v};
      ASSERT_EQ(state.available_now(p), plain.available_now(p));
      const bool above_held = graph.parent(p) != kNoPool && plain.allocated(graph.parent(p), kNow);
      ASSERT_TRUE(above_held || state.allocated(p, kNow, kNow + 1) == plain.allocated(p, kNow));
    }
    for (WatchedList* watched : lists) compare(*watched);
  }

  void compare(WatchedList& watched) {
    const auto expect = [&](std::uint32_t column, std::int64_t value, auto is) {
      std::set<std::uint32_t> wanted;
      for (std::uint32_t p : with(watched, 0, 0)) {
        if (is(PoolId{p})) wanted.insert(p);
      }
      ASSERT_EQ(with(watched, column, value), wanted) << column << " " << value;
    };
    expect(WatchedList::kAvailable, 1, [&](PoolId p) { return plain.available_now(p); });
    expect(WatchedList::kIdle, 1,
           [&](PoolId p) { return plain.available_now(p) && plain.jobs(p, kNow) == 0; });
    for (std::uint32_t c = 0; c < watched.types.size(); ++c) {
      for (std::int64_t units = 1; units <= 9; ++units) {
        expect(2 + c, units, [&](PoolId p) {
          const TypeId type = watched.types[c];
          return plain.available_now(p) &&
                 graph.shape(p).total(type) - plain.used(p, type, kNow) >= units;
        });
      }
    }
  }

  WatchedList& watch(const std::vector<PoolId>& pools, std::initializer_list<const char*> types) {
    WatchedList& watched = state.lists().add(pools);
    for (const char* type : types) state.lists().watch(watched, graph.find_type(type));
    lists.push_back(&watched);
    return watched;
  }

  Plain plain{graph};
  std::vector<WatchedList*> lists;
};

TEST_F(StateAgainstPlain, AgreesUnderRandomGrantsAndStatus) {
  std::mt19937 random(3);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::uint64_t empty = state.fingerprint();
  std::vector<PoolId> nodes = graph.of_type(graph.find_type("node"));
  watch({node1, node0}, {"core", "memory"});  // with one parent
  std::reverse(nodes.begin(), nodes.end());
  watch(nodes, {"core"});                                           // of one type
  watch({rack1, pool("/cluster0/rack1/node2"), socket0}, {"gpu"});  // of several types
  for (std::uint32_t step = 0; step < 3000; ++step) {
    const std::uint32_t dice = below(10);
    if (dice < 5) {
      PlainGrant grant{{}, kNow - 5 + below(30), 0, step};
      grant.end = grant.start + 1 + below(20);
      for (std::uint32_t n = below(4) + 1; n > 0; --n) {
        const PoolId p{below(20) == 0 ? 0 : 1 + below(graph.tree_count() - 1)};
        const bool apart = std::ranges::none_of(
            grant.pools, [&](PoolId q) { return graph.below(p, q) || graph.below(q, p); });
        if (apart && plain.free(p, grant.start, grant.end)) grant.pools.push_back(p);
      }
      if (grant.pools.empty()) continue;
      const Selection selection = taking(graph, grant.pools);
      const std::uint64_t before = state.fingerprint();
      state.apply(selection, grant.start, grant.end, grant.number, +1);
      ASSERT_NE(state.fingerprint(), before);
      state.apply(selection, grant.start, grant.end, grant.number, -1);
      ASSERT_EQ(state.fingerprint(), before);
      state.apply(selection, grant.start, grant.end, grant.number, +1);
      plain.grants.push_back(grant);
    } else if (dice < 8 && !plain.grants.empty()) {
      const std::uint32_t which = below(static_cast<std::uint32_t>(plain.grants.size()));
      const PlainGrant grant = plain.grants[which];
      plain.grants.erase(plain.grants.begin() + which);
      state.apply(taking(graph, grant.pools), grant.start, grant.end, grant.number, -1);
    } else {
      const PoolId p{below(graph.tree_count())};
      const Status status = below(3) == 0 ? Status::down : Status::up;
      state.set_status(p, status);
      if (status == Status::up) {
        plain.unusable.erase(p);
      } else {
        plain.unusable.insert(p);
      }
    }
    ASSERT_NO_FATAL_FAILURE(compare()) << "step " << step;
  }
  EXPECT_FALSE(plain.grants.empty());
  for (PoolId p : plain.unusable) state.set_status(p, Status::up);
  for (const PlainGrant& g : plain.grants) {
    state.apply(taking(graph, g.pools), g.start, g.end, g.number, -1);
  }
  EXPECT_EQ(state.fingerprint(), empty);
}

TEST_F(StateAgainstPlain, AColumnAddedLaterShowsWhatIsFreeNow) {
  WatchedList& watched = watch({node0, node1}, {});
  state.apply(taking(graph, {socket0}), kNow, 20, 1, +1);
  plain.grants.push_back({{socket0}, kNow, 20, 1});
  const std::uint32_t column = state.lists().watch(watched, graph.find_type("core"));
  EXPECT_EQ(column, 2U);
  EXPECT_EQ(state.lists().watch(watched, graph.find_type("core")), column);
  ASSERT_NO_FATAL_FAILURE(compare());
  EXPECT_EQ(with(watched, column, 5), (std::set<std::uint32_t>{node1.v}));
  // A type without pools below them is never free there.
  EXPECT_TRUE(with(watched, state.lists().watch(watched, graph.find_type("rack")), 1).empty());
}

}  // namespace
}  // namespace copse
