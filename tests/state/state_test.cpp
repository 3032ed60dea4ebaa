// SPDX-License-Identifier: Apache-2.0
#include "state/state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "graph/small_graph.hpp"

namespace copse {
namespace {

constexpr std::int64_t kNow = 10;

// The selection that takes these pools, each with everything below it, and only touches those
// above.
Selection taking(const ResourceGraph& g, const std::vector<PoolId>& pools) {
  std::map<PoolId, Taken> entries;
  for (PoolId p : pools) {
    entries[p] = {p, 1, true, true};
    for (PoolId up = g.parent(p); up != kNoPool; up = g.parent(up)) {
      entries.try_emplace(up, Taken{up});
    }
  }
  Selection out;
  for (const auto& [pool, entry] : entries) out.taken.push_back(entry);
  return out;
}

std::int64_t used(const State& state, PoolId p, std::string_view type) {
  const ResourceGraph& g = state.graph();
  const int k = g.shape(p).total_index(g.find_type(type));
  return state.row(g.interior(p))[static_cast<std::size_t>(k) + 1];
}

class StateOfMachine : public testing::Test {
 protected:
  [[nodiscard]] PoolId pool(const std::string& path) const { return at(graph, path); }

  ResourceGraph graph = machine();
  State state{graph, kNow};
  PoolId root = graph.root();
  PoolId rack0 = pool("/cluster0/rack0"), rack1 = pool("/cluster0/rack1");
  PoolId node0 = pool("/cluster0/rack0/node0"), node1 = pool("/cluster0/rack0/node1");
  PoolId socket0 = pool("/cluster0/rack0/node0/socket0");
  PoolId core0 = pool("/cluster0/rack0/node0/socket0/core0");
};

TEST_F(StateOfMachine, IsFreeAtFirst) {
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    EXPECT_TRUE(state.available_now(PoolId{v}));
    EXPECT_EQ(state.status(PoolId{v}), Status::up);
  }
  for (std::uint32_t i = 0; i < graph.interior_count(); ++i) {
    EXPECT_EQ(state.planner(i), nullptr);
    EXPECT_TRUE(std::ranges::all_of(state.row(i), [](auto n) { return n == 0; }));
    EXPECT_EQ(state.row(i).size(), graph.shape_of_interior(i).totals.size() + 1);
  }
  EXPECT_EQ(state.fingerprint(), State(graph, kNow).fingerprint());
}

TEST_F(StateOfMachine, ALeafTakenShowsInEveryRowAboveIt) {
  state.apply(taking(graph, {core0}), kNow, 20, 1, +1);
  EXPECT_TRUE(state.held(core0, 19, 20));
  EXPECT_FALSE(state.held(core0, 20, 21));
  EXPECT_FALSE(state.available_now(core0));
  for (PoolId up : {socket0, node0, rack0, root}) {
    EXPECT_EQ(used(state, up, "core"), 1);
    EXPECT_EQ(used(state, up, "memory"), 0);
    EXPECT_EQ(state.row(graph.interior(up))[0], 1);
    EXPECT_TRUE(state.touched(up, kNow, 11));
    EXPECT_FALSE(state.touched(up, 20, 21));
    EXPECT_TRUE(state.available_now(up));  // shared: others may use what is left
    EXPECT_NE(state.planner(graph.interior(up)), nullptr);
  }
  EXPECT_EQ(used(state, rack0, "node"), 0);
  EXPECT_FALSE(state.touched(node1, 0, 100));
}

TEST_F(StateOfMachine, AWholePoolIsOneHoldAndItsRowsAreFull) {
  state.apply(taking(graph, {node0}), kNow, 20, 1, +1);
  EXPECT_TRUE(state.holds().marked(node0));
  for (std::uint32_t v = node0.v + 1; v < graph.end(node0).v; ++v) {
    EXPECT_FALSE(state.holds().marked(PoolId{v}));  // the node's hold stands for them
    EXPECT_FALSE(state.available_now(PoolId{v}));
  }
  EXPECT_EQ(state.planner(graph.interior(node0)), nullptr);
  EXPECT_EQ(state.planner(graph.interior(socket0)), nullptr);
  EXPECT_EQ(used(state, node0, "core"), 8);
  EXPECT_EQ(used(state, socket0, "core"), 4);
  EXPECT_EQ(state.row(graph.interior(socket0))[0], 1);
  EXPECT_EQ(used(state, rack0, "core"), 8);
  EXPECT_EQ(used(state, rack0, "socket"), 2);
  EXPECT_EQ(used(state, rack0, "node"), 1);
  EXPECT_EQ(used(state, root, "memory"), 16);
}

TEST_F(StateOfMachine, AnExclusivePoolOfWhichAPartIsTakenCountsThatPart) {
  const Selection selection{
      {{root}, {rack0}, {node0, 1, true}, {socket0, 1, true}, {core0, 2, true}}, {}};
  const std::uint64_t before = state.fingerprint();
  state.apply(selection, kNow, 20, 1, +1);
  EXPECT_TRUE(state.held(node0, kNow, 20));
  EXPECT_FALSE(state.holds().marked(socket0));
  EXPECT_FALSE(state.holds().marked(core0));
  EXPECT_EQ(used(state, rack0, "core"), 2);
  EXPECT_EQ(used(state, rack0, "socket"), 1);
  EXPECT_EQ(used(state, rack0, "node"), 1);
  EXPECT_EQ(used(state, socket0, "core"), 2);
  EXPECT_FALSE(state.available_now(pool("/cluster0/rack0/node0/socket1/core0")));
  state.apply(selection, kNow, 20, 1, -1);
  EXPECT_EQ(state.fingerprint(), before);
}

TEST_F(StateOfMachine, TheRootsPlannerSeesEveryGrant) {
  const Selection all{{{root, 1, true, true}}, {}};
  state.apply(all, 50, 60, 1, +1);
  ASSERT_NE(state.planner(0), nullptr);
  EXPECT_EQ(state.planner(0)->used_at(0, 55), 1);
  EXPECT_EQ(state.planner(0)->step_count(), 2U);
  state.apply(taking(graph, {core0}), 60, 70, 2, +1);
  EXPECT_EQ(state.planner(0)->step_count(), 3U);
  state.apply(all, 50, 60, 1, -1);
  state.apply(taking(graph, {core0}), 60, 70, 2, -1);
  EXPECT_EQ(state.planner(0), nullptr);
}

TEST_F(StateOfMachine, ReservationsAreSeenOverTimeAndNotNow) {
  state.apply(taking(graph, {node0}), 100, 200, 1, +1);
  EXPECT_TRUE(state.available_now(node0));
  EXPECT_TRUE(state.held(node0, kNow, 101));
  EXPECT_EQ(used(state, rack0, "core"), 0);
  const std::uint32_t i = graph.interior(rack0);
  const auto cores =
      static_cast<std::uint32_t>(graph.shape(rack0).total_index(graph.find_type("core")) + 1);
  EXPECT_EQ(state.most_used(i, cores, kNow, 100), 0);
  EXPECT_EQ(state.most_used(i, cores, kNow, 101), 8);
  EXPECT_EQ(state.most_used(i, cores, 199, 300), 8);
  EXPECT_EQ(state.most_used(i, cores, 200, 300), 0);
  EXPECT_TRUE(state.touched(rack0, kNow, 101));
  EXPECT_FALSE(state.touched(rack0, kNow, 100));
}

TEST_F(StateOfMachine, AHeldRackBlocksAllBelowIt) {
  const Selection selection = taking(graph, {rack0});
  state.apply(selection, kNow, 20, 1, +1);
  for (std::uint32_t v = rack0.v; v < graph.end(rack0).v; ++v) {
    EXPECT_FALSE(state.available_now(PoolId{v})) << graph.name(PoolId{v});
  }
  EXPECT_TRUE(state.available_now(root));
  EXPECT_TRUE(state.available_now(rack1));
  EXPECT_TRUE(state.available_now(pool("/cluster0/rack1/node2/socket0/core0")));
  state.apply(selection, kNow, 20, 1, -1);
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v)
    EXPECT_TRUE(state.available_now(PoolId{v}));
}

TEST_F(StateOfMachine, ARackThatIsDownBlocksAllBelowIt) {
  const std::uint64_t before = state.fingerprint();
  for (const Status status : {Status::down, Status::failing, Status::unknown}) {
    state.set_status(rack0, status);
    EXPECT_EQ(state.status(rack0), status);
    EXPECT_EQ(state.status(node0), Status::up);  // its own status is another thing
    for (std::uint32_t v = rack0.v; v < graph.end(rack0).v; ++v) {
      EXPECT_FALSE(state.available_now(PoolId{v}));
    }
    EXPECT_TRUE(state.available_now(rack1));
  }
  state.set_status(rack0, Status::degraded);  // still given to jobs
  EXPECT_TRUE(state.available_now(core0));
  EXPECT_NE(state.fingerprint(), before);
  state.set_status(rack0, Status::up);
  EXPECT_TRUE(state.available_now(core0));
  EXPECT_EQ(state.fingerprint(), before);
}

TEST_F(StateOfMachine, HeldAndDownAreLiftedOneByOne) {
  const std::uint64_t before = state.fingerprint();
  const Selection selection = taking(graph, {rack0});
  state.apply(selection, kNow, 20, 1, +1);
  state.set_status(rack0, Status::down);
  state.set_status(node0, Status::down);
  EXPECT_FALSE(state.available_now(node1));
  state.apply(selection, kNow, 20, 1, -1);
  EXPECT_FALSE(state.available_now(node1));  // the rack is still down
  state.set_status(rack0, Status::up);
  EXPECT_TRUE(state.available_now(node1));
  EXPECT_FALSE(state.available_now(socket0));
  EXPECT_FALSE(state.available_now(core0));
  state.set_status(node0, Status::up);
  EXPECT_TRUE(state.available_now(core0));
  EXPECT_EQ(state.fingerprint(), before);
}

TEST_F(StateOfMachine, ALeafThatIsDownIsItselfUnavailable) {
  state.set_status(core0, Status::down);
  EXPECT_FALSE(state.usable(core0));
  EXPECT_FALSE(state.available_now(core0));
  EXPECT_TRUE(state.available_now(socket0));
  EXPECT_TRUE(state.available_now(PoolId{core0.v + 1}));
}

TEST_F(StateOfMachine, CountsUsableUnitsOnce) {
  const TypeId core = graph.find_type("core"), node = graph.find_type("node"),
               cluster = graph.find_type("cluster"), memory = graph.find_type("memory");
  EXPECT_EQ(state.usable_units(core), 32);
  EXPECT_EQ(state.usable_units(cluster), 1);
  state.set_status(node0, Status::down);
  EXPECT_EQ(state.usable_units(core), 24);
  EXPECT_EQ(state.usable_units(node), 3);
  state.set_status(rack0, Status::failing);  // node0 is below it
  EXPECT_EQ(state.usable_units(core), 16);
  EXPECT_EQ(state.usable_units(memory), 32);
  state.set_status(core0, Status::down);  // and so is core0
  EXPECT_EQ(state.usable_units(core), 16);
  state.set_status(pool("/cluster0/rack1/node3/socket1/core2"), Status::unknown);
  EXPECT_EQ(state.usable_units(core), 15);
  state.set_status(pool("/cluster0/rack1/node2"), Status::degraded);
  EXPECT_EQ(state.usable_units(node), 2);
  state.set_status(pool("/power0/pdu1"), Status::down);  // not in the tree
  EXPECT_EQ(state.usable_units(node), 2);
  state.set_status(root, Status::down);
  EXPECT_EQ(state.usable_units(cluster), 0);
  EXPECT_EQ(state.usable_units(core), 0);
}

TEST_F(StateOfMachine, TheFingerprintTellsGrantsAndTimesApart) {
  std::set<std::uint64_t> seen{state.fingerprint()};
  const auto note = [&](const Selection& selection, std::int64_t start, std::int64_t end,
                        std::uint32_t grant) {
    state.apply(selection, start, end, grant, +1);
    EXPECT_TRUE(seen.insert(state.fingerprint()).second);
    state.apply(selection, start, end, grant, -1);
    EXPECT_TRUE(seen.contains(state.fingerprint()));
  };
  note(taking(graph, {core0}), kNow, 20, 1);
  note(taking(graph, {core0}), kNow, 20, 2);
  note(taking(graph, {core0}), kNow, 21, 1);
  note(taking(graph, {core0}), 30, 40, 1);
  note(taking(graph, {PoolId{core0.v + 1}}), kNow, 20, 1);
  note(taking(graph, {socket0}), kNow, 20, 1);
  EXPECT_EQ(state.fingerprint(), State(graph, kNow).fingerprint());
  state.set_status(core0, Status::down);
  EXPECT_TRUE(seen.insert(state.fingerprint()).second);
  state.set_status(core0, Status::failing);
  EXPECT_TRUE(seen.insert(state.fingerprint()).second);
}

// --- Against the plain reading: a list of grants

struct PlainGrant {
  std::vector<PoolId> pools;  // each taken whole
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
  // Units of a type below p in use at a time.
  [[nodiscard]] std::int64_t used(PoolId p, TypeId type, std::int64_t time) const {
    std::int64_t units = 0;
    for (std::uint32_t v = p.v + 1; v < graph_.end(p).v; ++v) {
      if (graph_.type(PoolId{v}) == type && held(PoolId{v}, time)) units += graph_.size(PoolId{v});
    }
    return units;
  }
  // Grants that use p, or something below it, at a time.
  [[nodiscard]] std::int64_t jobs(PoolId p, std::int64_t time) const {
    return std::ranges::count_if(grants, [&](const PlainGrant& g) {
      return g.start <= time && time < g.end &&
             std::ranges::any_of(
                 g.pools,
                 [&](PoolId taken) { return graph_.below(p, taken) || graph_.below(taken, p); });
    });
  }
  // Taken at a time, itself or a pool above it.
  [[nodiscard]] bool held(PoolId p, std::int64_t time) const {
    return std::ranges::any_of(grants, [&](const PlainGrant& g) {
      return g.start <= time && time < g.end &&
             std::ranges::any_of(g.pools, [&](PoolId taken) { return graph_.below(p, taken); });
    });
  }
  [[nodiscard]] bool available_now(PoolId p) const {
    if (held(p, kNow)) return false;
    return std::ranges::none_of(unusable, [&](PoolId u) { return graph_.below(p, u); });
  }
  // A grant has something below p, and p is not below a pool that it took.
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

// Candidates of a list with at least `value` in a column, by number.
std::set<std::uint32_t> with(const WatchedList& watched, std::uint32_t column, std::int64_t value) {
  const std::vector<CandidateList::Need> needs{{column, static_cast<CandidateList::Value>(value)}};
  std::set<std::uint32_t> out;
  for (CandidateList::Position p; watched.list.next(p, needs); CandidateList::advance(p)) {
    out.insert(watched.list.pool(p).v);
  }
  return out;
}

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
          if (plain.held(p, t) && p != root) continue;  // the hold says all about that time
          ASSERT_EQ(state.planner(i)->used_at(k + 1, t), plain.used(p, type, t));
        }
      }
      ASSERT_EQ(state.planner(i) != nullptr, p == root ? !plain.grants.empty() : plain.shared(p));
    }
    for (std::uint32_t v = 0; v < graph.tree_count(); ++v) {
      const PoolId p{v};
      ASSERT_EQ(state.available_now(p), plain.available_now(p));
      const bool above_held = graph.parent(p) != kNoPool && plain.held(graph.parent(p), kNow);
      ASSERT_TRUE(above_held || state.held(p, kNow, kNow + 1) == plain.held(p, kNow));
    }
    for (const WatchedList* watched : lists) compare(*watched);
  }

  void compare(const WatchedList& watched) {
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
    WatchedList& watched = state.add_list(pools);
    for (const char* type : types) state.watch(watched, graph.find_type(type));
    lists.push_back(&watched);
    return watched;
  }

  Plain plain{graph};
  std::vector<const WatchedList*> lists;
};

TEST_F(StateAgainstPlain, AgreesUnderRandomGrantsAndStatus) {
  std::mt19937 random(3);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::uint64_t empty = state.fingerprint();
  std::vector<PoolId> nodes = graph.of_type(graph.find_type("node"));
  watch({node1, node0}, {"core", "memory"});  // of one parent
  std::reverse(nodes.begin(), nodes.end());
  watch(nodes, {"core"});                                           // of one type
  watch({rack1, pool("/cluster0/rack1/node2"), socket0}, {"gpu"});  // of several
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
  const std::uint32_t column = state.watch(watched, graph.find_type("core"));
  EXPECT_EQ(column, 2U);
  EXPECT_EQ(state.watch(watched, graph.find_type("core")), column);
  ASSERT_NO_FATAL_FAILURE(compare());
  EXPECT_EQ(with(watched, column, 5), (std::set<std::uint32_t>{node1.v}));
  // A type that is not below them is never free there.
  EXPECT_TRUE(with(watched, state.watch(watched, graph.find_type("rack")), 1).empty());
}

TEST_F(StateOfMachine, ListsAreNoPartOfTheState) {
  const std::uint64_t before = state.fingerprint();
  state.watch(state.add_list(std::vector<PoolId>{node0}), graph.find_type("core"));
  EXPECT_EQ(state.fingerprint(), before);
  EXPECT_GT(state.bytes(), State(graph, kNow).bytes());
  state.drop_lists();
  state.apply(taking(graph, {node0}), kNow, 20, 1, +1);  // nothing left to refresh
  EXPECT_EQ(state.bytes(), [&] {
    State other(graph, kNow);
    other.apply(taking(graph, {node0}), kNow, 20, 1, +1);
    return other.bytes();
  }());
}

TEST(State, AmountsBeyondAColumnsWidthAreCut) {
  GraphText t;
  const auto root = t.pool({"cluster"}), node = t.child(root, {"node"});
  t.child(node, {"memory", 0, INT64_MAX});
  const ResourceGraph g = t.build();
  State state(g, 0);
  WatchedList& watched = state.add_list(std::vector<PoolId>{PoolId{1}});
  const std::uint32_t column = state.watch(watched, g.find_type("memory"));
  EXPECT_EQ(with(watched, column, INT32_MAX), (std::set<std::uint32_t>{1}));
}

#ifndef NDEBUG
TEST(StateDeathTest, RefusesGrantsThatOverlap) {
  const ResourceGraph g = machine();
  State state(g, kNow);
  const Selection selection = taking(g, {at(g, "/cluster0/rack0")});
  state.apply(selection, kNow, 20, 1, +1);
  EXPECT_DEATH(state.apply(selection, 15, 30, 2, +1), "held");
  EXPECT_DEATH(state.apply(selection, 30, 30, 2, +1), "start < end");
}
#endif

}  // namespace
}  // namespace copse
