// SPDX-License-Identifier: Apache-2.0
//
// Hierarchical resources over the life of grants: partial cancels, layers and counts that change
// while jobs run, machines that grow and shrink, the clock. Random streams of most of these are in
// property/hres_property_test.cpp.
#include <gtest/gtest.h>

#include <set>

#include "engine/hres_machine.hpp"

namespace copse {
namespace {

// Layers in the order of the file: 0 one, 1-2 two, 3-5 tree.
constexpr std::string_view kThree = R"(
- {resource: one, mode: MODE_1, layers: [{nodes: "n[0-3]", count: 10}]}
- {resource: two, mode: MODE_2, layers: [{nodes: "n[0-3]", count: 10}, {nodes: "n[0-1]", count: 6}]}
- resource: tree
  mode: MODE_3
  layers: [{nodes: "n[0-3]", count: 20}, {nodes: "n[0-1]", count: 10}, {nodes: "n[2-3]", count: 10}]
)";
constexpr const char* kNothing = "0/10 0/10 0/6 0/20 0/10 0/10";

TEST(HresEngine, GivingBackInPartReturnsItsLayers) {
  HresMachine m(4, kThree);
  const auto idle = m.engine->fingerprint();
  EXPECT_EQ(m.alloc(1, 4, "one:3,two:2,tree:4"), "0-3 at 0");
  EXPECT_EQ(m.used(), "3/10 2/10 2/6 16/20 8/10 8/10");
  EXPECT_EQ(m.give_back(1, {1}), false);
  EXPECT_EQ(m.used(), "3/10 2/10 2/6 12/20 4/10 8/10");
  EXPECT_EQ(m.give_back(1, {0}), false);
  EXPECT_EQ(m.used(), "3/10 2/10 0/6 8/20 0/10 8/10");
  EXPECT_EQ(m.charged(1), "one(n[0-3]):3;two:2;tree:4");
  EXPECT_EQ(m.give_back(1, {2, 3}), true);
  EXPECT_EQ(m.used(), kNothing);
  EXPECT_EQ(m.engine->fingerprint(), idle);
}

TEST(HresEngine, GivingBackPartOfWhatIsPlanned) {
  HresMachine m(4, kThree);
  EXPECT_EQ(m.alloc(1, 4, "", 10), "0-3 at 0");
  EXPECT_EQ(m.reserve(2, 4, "two:1,tree:1", 10), "0-3 at 10");
  EXPECT_EQ(m.give_back(2, {0, 1}), false);
  EXPECT_EQ(m.used(10), "0/10 1/10 0/6 2/20 0/10 2/10");
  EXPECT_EQ(m.used(0), kNothing);
}

TEST(HresEngine, CoresOfASharedNodeThatAreGivenBackLeaveItsCharge) {
  HresMachine m(4, kThree);
  EXPECT_EQ(m.match(Operation::allocate, 1, "slot=1/node/core=2", "tree:4"), "0 at 0");
  const PoolId core{m.node(0).v + 1};
  EXPECT_EQ(m.engine->cancel_part(1, {&core, 1}), false);
  EXPECT_EQ(m.used(), "0/10 0/10 0/6 4/20 4/10 0/10");
  EXPECT_TRUE(m.engine->cancel(1));
  EXPECT_EQ(m.used(), kNothing);
}

TEST(HresEngine, LayersThatComeAndGoAreChargedWhatRuns) {
  HresMachine m(4, kThree);
  const auto idle = m.engine->fingerprint();
  EXPECT_EQ(m.alloc(1, 3, "one:3,two:2,tree:4", 100), "0-2 at 0");
  EXPECT_EQ(m.reserve(2, 4, "two:5", 50), "0-3 at 100");
  ASSERT_TRUE(m.add("- {resource: two, mode: MODE_2, layers: [{nodes: 'n[2-3]', count: 1}]}"));
  EXPECT_EQ(m.used(), "3/10 2/10 2/6 2/1 12/20 8/10 4/10");  // more than the total: shown in full
  EXPECT_EQ(m.used(100), "0/10 5/10 5/6 5/1 0/20 0/10 0/10");
  EXPECT_EQ(m.alloc(3, 1, "two:1"), "insufficient");
  ASSERT_TRUE(m.engine->set_layer_nodes("two", "n[2-3]", "n3"));
  EXPECT_EQ(m.used(), "3/10 2/10 2/6 0/1 12/20 8/10 4/10");
  EXPECT_EQ(m.used(100), "0/10 5/10 5/6 5/1 0/20 0/10 0/10");
  ASSERT_TRUE(m.engine->remove_layer("two", "n[0-3]"));
  EXPECT_EQ(m.used(), "3/10 2/6 0/1 12/20 8/10 4/10");
  ASSERT_TRUE(m.engine->remove_layer("two", "n3"));
  ASSERT_TRUE(m.engine->remove_layer("one", "n[0-3]"));  // it is no longer charged
  EXPECT_EQ(m.used(), "2/6 12/20 8/10 4/10");
  ASSERT_TRUE(m.add("- {resource: one, mode: MODE_1, layers: [{nodes: 'n[0-3]', count: 10}]}"));
  EXPECT_EQ(m.used(), "2/6 12/20 8/10 4/10 0/10");
  EXPECT_TRUE(m.engine->cancel(1));
  EXPECT_TRUE(m.engine->cancel(2));
  EXPECT_EQ(m.used(), "0/6 0/20 0/10 0/10 0/10");
  EXPECT_NE(m.engine->fingerprint(), idle);  // other layers exist
}

TEST(HresEngine, ARefusedChangeOfLayersLeavesAllAsItWas) {
  HresMachine m(4, kThree);
  EXPECT_EQ(m.alloc(1, 3, "one:3,two:2,tree:4"), "0-2 at 0");
  const auto before = m.engine->fingerprint();
  const std::string used = m.used();
  EXPECT_EQ(error_of(m.engine->remove_layer("tree", "n[0-3]")), "invalid");
  EXPECT_EQ(error_of(m.engine->set_layer_nodes("tree", "n[0-1]", "n[1-2]")), "invalid");
  EXPECT_EQ(
      error_of(m.add("- {resource: two, mode: MODE_2, layers: [{nodes: 'n[2-9]', count: 1}]}")),
      "invalid");
  EXPECT_EQ(m.engine->fingerprint(), before);
  EXPECT_EQ(m.used(), used);
}

// A new layer may be charged for all jobs at once, also for those that no layer covers now.
TEST(HresEngine, LayersMayNotComeWhereSumsWouldPass63Bits) {
  HresMachine m(4, R"(
- resource: two
  mode: MODE_2
  layers: [{nodes: n0, count: -1}, {nodes: n1, count: -1}, {nodes: n3, count: -1}]
)");
  constexpr const char* half = "two:4611686018427387904";
  EXPECT_EQ(m.alloc(1, 1, half, 0, "0"), "0 at 0");
  ASSERT_TRUE(m.engine->remove_layer("two", "n0"));
  EXPECT_EQ(m.used(), "0/* 0/*");
  EXPECT_EQ(m.alloc(2, 1, half, 0, "1"), "1 at 0");
  const auto before = m.engine->fingerprint();
  EXPECT_EQ(
      error_of(m.add("- {resource: two, mode: MODE_2, layers: [{nodes: 'n[0-1]', count: -1}]}")),
      "limit");
  EXPECT_EQ(m.engine->fingerprint(), before);
  EXPECT_TRUE(m.engine->cancel(2));
  EXPECT_TRUE(m.add("- {resource: two, mode: MODE_2, layers: [{nodes: 'n[0-1]', count: -1}]}"));
  EXPECT_EQ(m.used(), "0/* 0/* 4611686018427387904/*");
}

TEST(HresEngine, ACountThatFallsLeavesWhatWasGranted) {
  HresMachine m(4, kThree);
  EXPECT_EQ(m.alloc(1, 2, "two:4", 100, "2-3"), "2-3 at 0");
  EXPECT_EQ(m.reserve(2, 2, "two:4", 100, "2-3"), "2-3 at 100");
  ASSERT_TRUE(m.engine->set_layer_count("two", "n[0-3]", 3));
  EXPECT_EQ(m.used(), "0/10 4/3 0/6 0/20 0/10 0/10");
  EXPECT_EQ(m.used(100), "0/10 4/3 0/6 0/20 0/10 0/10");
  EXPECT_EQ(m.alloc(3, 1, "two:1"), "insufficient");
  EXPECT_EQ(m.reserve(3, 1, "two:3", 10), "0 at 200");
  EXPECT_EQ(m.alloc(4, 1, "two:4"), "infeasible");
  EXPECT_TRUE(m.engine->cancel(1));
  EXPECT_EQ(m.alloc(4, 1, "two:3", 100), "0 at 0");
  EXPECT_TRUE(m.engine->cancel(4));
  ASSERT_TRUE(m.engine->set_layer_count("two", "n[0-3]", 9));
  EXPECT_EQ(m.alloc(4, 1, "two:6", 150), "insufficient");
  EXPECT_EQ(m.alloc(4, 1, "two:5", 150), "0 at 0");
}

// A request's earlier answers are not reused when counts change.
TEST(HresEngine, CountsChangeWhatCanEverBe) {
  HresMachine m(4, kThree);
  PreparedRequest request = m.prepared("slot=1/node{x}", "two:7", 10);
  EXPECT_EQ(error_of(m.engine->match(Operation::satisfiability, request, 0)), "");
  ASSERT_TRUE(m.engine->set_layer_count("two", "n[0-3]", 6));
  EXPECT_EQ(error_of(m.engine->match(Operation::satisfiability, request, 0)), "infeasible");
  ASSERT_TRUE(m.engine->set_layer_count("two", "n[0-3]", -1));
  EXPECT_EQ(error_of(m.engine->match(Operation::satisfiability, request, 0)), "");
  ASSERT_TRUE(m.engine->remove_layer("two", "n[0-3]"));
  EXPECT_EQ(error_of(m.engine->match(Operation::satisfiability, request, 0)), "infeasible");
  ASSERT_TRUE(m.engine->remove_layer("two", "n[0-1]"));
  EXPECT_EQ(error_of(m.engine->match(Operation::satisfiability, request, 0)), "invalid");
}

TEST(HresEngine, FailedMatchesAndCancelsLeaveNoTrace) {
  HresMachine m(4, kThree);
  const auto idle = m.engine->fingerprint();
  EXPECT_EQ(m.alloc(1, 2, "one:5|two:5"), "0-1 at 0");
  EXPECT_EQ(m.charged(1), "one(n[0-3]):5");
  const auto before = m.engine->fingerprint();
  EXPECT_EQ(m.alloc(2, 2, "one:6,tree:1"), "insufficient");
  EXPECT_EQ(m.alloc(2, 2, "one:11|two:11"), "infeasible");
  EXPECT_EQ(m.match(Operation::without_allocating, 2, "slot=2/node{x}", "one:5"), "2-3 at 0");
  PreparedRequest request = m.prepared("slot=2/node{x}", "one:6");
  EXPECT_TRUE(m.engine->explain(request).has_value());
  EXPECT_EQ(m.engine->fingerprint(), before);
  EXPECT_EQ(m.alloc(2, 2, "one:6|two:5"), "2-3 at 0");
  EXPECT_EQ(m.charged(2), "two:5");
  EXPECT_TRUE(m.engine->cancel(2));
  EXPECT_EQ(m.engine->fingerprint(), before);
  EXPECT_TRUE(m.engine->cancel(1));
  EXPECT_EQ(m.engine->fingerprint(), idle);
}

TEST(HresEngine, WhatIsGrantedByHandDrawsNothing) {
  HresMachine m(4, kThree);
  const PoolId pools[] = {m.node(0)};
  ASSERT_TRUE(m.engine->update(1, pools, 0, 10));
  EXPECT_EQ(m.charged(1), "");
  EXPECT_EQ(m.used(), kNothing);
}

// The charges in a text are recomputed, layer by layer, and sent to a sink.
TEST(HresEngine, WhatIsGrantedByHandDrawsWhatItSays) {
  HresMachine m(4, kThree), by_hand(4, kThree), told(4, kThree);
  struct Apply : EffectSink {
    void take(const Effect& effect) override { EXPECT_TRUE(to->apply(effect)); }
    Engine* to = nullptr;
  } sink;
  sink.to = told.engine.get();
  by_hand.engine->observe(&sink);
  EXPECT_EQ(m.alloc(1, 2, "one:5,two:3,tree:2", 100), "0-1 at 0");
  const PoolId pools[] = {by_hand.node(0), by_hand.node(1)};
  const auto draw = by_hand.engine->charges_of(*parse_hres_shares(m.charged(1)));
  ASSERT_TRUE(draw) << draw.error().text;
  ASSERT_TRUE(by_hand.engine->update(1, pools, 0, 100, *draw));
  EXPECT_EQ(by_hand.charged(1), m.charged(1));
  EXPECT_EQ(by_hand.used(), m.used());
  EXPECT_EQ(told.used(), m.used());
  EXPECT_EQ(told.engine->fingerprint(), by_hand.engine->fingerprint());
  ASSERT_TRUE(by_hand.engine->cancel(1));
  EXPECT_EQ(by_hand.used(), kNothing);
}

// Existing use is not refused: a layer may be charged more than its count, but not more than 64
// bits.
TEST(HresEngine, WhatRunsMayDrawMoreThanThereIs) {
  HresMachine m(4, kThree);
  const PoolId first[] = {m.node(0)}, second[] = {m.node(1)};
  const auto charges_of = [&](std::string_view text) {
    return m.engine->charges_of(*parse_hres_shares(text));
  };
  ASSERT_TRUE(m.engine->update(1, first, 0, 10, *charges_of("two:9223372036854775807")));
  EXPECT_EQ(error_of(m.engine->update(2, second, 0, 10, *charges_of("two:1"))), "invalid");
  EXPECT_EQ(m.engine->grant(2), nullptr);
  EXPECT_EQ(error_of(charges_of("none:1")), "invalid");
  EXPECT_EQ(error_of(charges_of("one(n[0-2]):1")), "not_found");
}

// --- Times

TEST(HresEngine, ReservationsOfLayersEndWithTheClock) {
  HresMachine m(4, kThree);
  const auto idle = m.engine->fingerprint();
  ASSERT_TRUE(m.engine->reserve_layer({"r", "two", "n[0-3]", 8, 5, 20, {7}}));
  EXPECT_EQ(error_of(m.engine->reserve_layer({"r", "two", "n[0-3]", 1, 5, 20, {}})), "exists");
  EXPECT_EQ(m.used(5), "0/10 0/10(8) 0/6 0/20 0/10 0/10");
  EXPECT_EQ(m.alloc(1, 1, "two:3", 5), "0 at 0");
  EXPECT_EQ(m.reserve(2, 1, "two:3", 6), "0 at 20");  // where no grant starts or ends
  EXPECT_EQ(m.alloc(7, 1, "two:5", 100), "2 at 0");
  ASSERT_TRUE(m.engine->advance(19));
  EXPECT_EQ(m.used(), "0/10 5/10(3) 0/6 0/20 0/10 0/10");
  ASSERT_TRUE(m.engine->advance(20));
  EXPECT_EQ(m.used(), "0/10 8/10 3/6 0/20 0/10 0/10");
  EXPECT_EQ(error_of(m.engine->free_layer("r")), "not_found");
  ASSERT_TRUE(m.engine->reserve_layer({"r", "two", "n[0-3]", 1, 20, 30, {}}));
  EXPECT_EQ(error_of(m.engine->reserve_layer({"s", "two", "n[0-3]", 1, 19, 30, {}})), "invalid");
  ASSERT_TRUE(m.engine->advance(200));
  EXPECT_EQ(m.used(), kNothing);
  EXPECT_EQ(m.engine->fingerprint(), idle);
}

// The nodes pass to another job at that time: the machine's sums do not change.
TEST(HresEngine, ALayerIsFreeWhenItsJobEndsAndAnotherBegins) {
  HresMachine m(4, kThree);
  EXPECT_EQ(m.alloc(1, 2, "one:10", 10), "0-1 at 0");
  EXPECT_EQ(m.alloc(2, 1, "", 100), "2 at 0");
  EXPECT_EQ(m.reserve(3, 2, "", 50, "0-1"), "0-1 at 10");
  EXPECT_EQ(m.reserve(4, 1, "one:1", 10), "3 at 10");
}

TEST(HresEngine, TheEarliestTimeOfAnyAlternativeAndThenTheLeftmost) {
  HresMachine m(4, kThree);
  EXPECT_EQ(m.alloc(1, 1, "one:10", 30), "0 at 0");
  EXPECT_EQ(m.alloc(2, 1, "two:6,tree:10", 20, "1"), "1 at 0");
  EXPECT_EQ(m.reserve(3, 1, "one:1|two:10|two:5", 5), "2 at 20");
  EXPECT_EQ(m.charged(3), "two:10");
  EXPECT_EQ(m.reserve(4, 1, "one:1|two:5|tree:4", 5), "2 at 0");
  EXPECT_EQ(m.charged(4), "tree:4");
}

TEST(HresEngine, AReservationMovesToWhenItsLayerIsFree) {
  HresMachine m(4, kThree);
  EXPECT_EQ(m.alloc(1, 1, "two:8", 30, "2"), "2 at 0");
  EXPECT_EQ(m.reserve(2, 1, "two:5", 10), "0 at 30");
  PreparedRequest request = m.prepared("slot=1/node{x}", "two:5", 10);
  EXPECT_EQ(m.engine->move_earlier(2, request, 0, INT64_MAX), false);
  EXPECT_TRUE(m.engine->cancel(1));
  EXPECT_EQ(m.engine->move_earlier(2, request, 0, INT64_MAX), true);
  EXPECT_EQ(m.engine->grant(2)->start, 0);
  EXPECT_EQ(m.used(0), "0/10 5/10 5/6 0/20 0/10 0/10");
  EXPECT_EQ(m.used(30), kNothing);
}

// Only its own start and end are times of the machine's pools.
TEST(HresEngine, AReservationMovesToTheEndOfALayersReservation) {
  HresMachine m(4, kThree);
  ASSERT_TRUE(m.engine->reserve_layer({"short", "two", "n[0-3]", 8, 0, 20, {}}));
  ASSERT_TRUE(m.engine->reserve_layer({"long", "two", "n[0-3]", 2, 0, 40, {}}));
  EXPECT_EQ(m.reserve(2, 1, "two:9", 50, "2"), "2 at 40");
  ASSERT_TRUE(m.engine->free_layer("long"));
  PreparedRequest request = m.prepared("slot=1/node{x}", "two:9", 50, "2");
  EXPECT_EQ(m.engine->move_earlier(2, request, 0, INT64_MAX), true);
  EXPECT_EQ(m.engine->grant(2)->start, 20);
}

// --- Machines that change

NewSubtree new_node(Engine& e, int id) {
  Names& names = e.names();
  const auto pool = [&](const char* type, const char* basename, int number, std::uint32_t parent) {
    NewPool p;
    p.parent = parent;
    p.type = TypeId{static_cast<std::uint16_t>(names.types.intern(type))};
    p.basename = NameId{names.basenames.intern(basename)};
    p.unit = UnitId{static_cast<std::uint16_t>(names.units.intern(""))};
    p.id = number;
    p.rank = id;
    return p;
  };
  NewSubtree out{e.graph().root(), {pool("node", "n", id, NewPool::kAttached)}};
  for (int c = 0; c < 2; ++c) out.pools.push_back(pool("core", "core", c, 0));
  return out;
}

class Changing : public testing::TestWithParam<Traverser> {
 protected:
  Changing() {
    EngineOptions options = with_policy("lonode");
    options.traverser = GetParam();  // the loop-aware traverser rebuilds its graph
    m = std::make_unique<HresMachine>(4, kThree, std::move(options));
  }
  void attach(int id) {
    const NewSubtree subtree = new_node(*m->engine, id);
    const auto done = m->engine->attach({&subtree, 1});
    ASSERT_TRUE(done) << done.error().message();
  }
  std::vector<JobId> remove(int rank) {
    const PoolId top = m->node(rank);
    const auto jobs = m->engine->remove({&top, 1});
    EXPECT_TRUE(jobs);
    return jobs.value_or(std::vector<JobId>());
  }
  std::unique_ptr<HresMachine> m;
};

TEST_P(Changing, ANodeThatGoesTakesItsChargesAlong) {
  EXPECT_EQ(m->alloc(1, 4, "one:3,two:2,tree:4"), "0-3 at 0");
  EXPECT_EQ(remove(3), std::vector<JobId>({1}));
  EXPECT_EQ(m->used(), "3/10 2/10 2/6 12/20 8/10 4/10");
  EXPECT_EQ(remove(1), std::vector<JobId>({1}));
  EXPECT_EQ(remove(0), std::vector<JobId>({1}));
  EXPECT_EQ(m->used(), "3/10 2/10 0/6 4/20 0/10 4/10");
  EXPECT_TRUE(m->engine->compact());
  EXPECT_EQ(m->used(), "3/10 2/10 0/6 4/20 0/10 4/10");
  EXPECT_EQ(remove(2), std::vector<JobId>({1}));
  EXPECT_EQ(m->used(), kNothing);
}

TEST_P(Changing, ANodeThatComesBackIsInItsLayersAndANewOneInNone) {
  (void)remove(3);
  attach(3);
  attach(4);
  EXPECT_EQ(m->alloc(1, 1, "tree:1", 0, "4"), "infeasible");
  EXPECT_EQ(m->alloc(1, 4, "tree:1"), "0-3 at 0");
  EXPECT_EQ(m->used(), "0/10 0/10 0/6 4/20 2/10 2/10");
  EXPECT_EQ(error_of(m->engine->set_layer_nodes("two", "n[0-3]", "n[0-5]")), "invalid");
  ASSERT_TRUE(m->engine->set_layer_nodes("two", "n[0-3]", "n[0-4]"));
  EXPECT_EQ(m->alloc(2, 1, "two:1"), "4 at 0");
  EXPECT_EQ(m->used(), "0/10 1/10 0/6 4/20 2/10 2/10");
  EXPECT_TRUE(m->engine->compact());
  EXPECT_EQ(m->nodes_of(2), "4");
  EXPECT_TRUE(m->engine->cancel(2));
  EXPECT_TRUE(m->engine->cancel(1));
  EXPECT_EQ(m->used(), "0/10 0/10 0/6 0/20 0/10 0/10");
}

TEST_P(Changing, ReservationsOfLayersOutliveAMachineBuiltAgain) {
  ASSERT_TRUE(m->engine->reserve_layer({"r", "two", "n[0-3]", 8, 5, 20, {7}}));
  EXPECT_EQ(m->alloc(7, 1, "two:3", 100), "0 at 0");
  const auto before = m->engine->fingerprint();
  attach(9);
  EXPECT_TRUE(m->engine->compact());
  (void)remove(9);
  EXPECT_TRUE(m->engine->compact());
  EXPECT_EQ(m->used(5), "0/10 3/10(5) 3/6 0/20 0/10 0/10");
  EXPECT_EQ(m->reserve(8, 1, "two:3", 10), "1 at 20");
  EXPECT_TRUE(m->engine->cancel(8));
  EXPECT_TRUE(m->engine->cancel(7));
  EXPECT_EQ(m->alloc(7, 1, "two:3", 100), "0 at 0");
  EXPECT_EQ(m->engine->fingerprint() == before, true);
  ASSERT_TRUE(m->engine->free_layer("r"));
}

INSTANTIATE_TEST_SUITE_P(Traversers, Changing,
                         testing::Values(Traverser::simple, Traverser::loop_aware),
                         [](const auto& test) {
                           return test.param == Traverser::simple ? "simple" : "loop_aware";
                         });

}  // namespace
}  // namespace copse
