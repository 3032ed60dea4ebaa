// SPDX-License-Identifier: Apache-2.0
#include "hres/availability/layer_availability.hpp"

#include <gtest/gtest.h>

#include <map>

#include "hres/availability/layer_charger.hpp"
#include "hres/machine_of_nodes.hpp"

namespace copse {
namespace {

// n0-n3 | n4-n7, and n8, which no layer has.
constexpr std::string_view kThree = R"(
- resource: one
  mode: MODE_1
  layers: [{nodes: "n[0-7]", count: 5}, {nodes: "n[0-3]", count: 10}, {nodes: "n[4-7]", count: 0}]
- resource: two
  mode: MODE_2
  layers: [{nodes: "n[0-7]", count: 6}, {nodes: "n[0-3]", count: 4}, {nodes: "n[6-7]", count: -1}]
- resource: tree
  mode: MODE_3
  layers: [{nodes: "n[0-7]", count: 10}, {nodes: "n[0-3]", count: 6}, {nodes: "n[4-6]", count: 9}]
)";
enum : std::uint32_t { one, two, branches };

class LayerAvailabilityTest : public testing::Test {
 protected:
  // Over [0, 100), for job 1.
  void begin(const std::vector<HresNeed>& needs, bool empty = false, HresTable::Job job = 1,
             std::int64_t start = 0) {
    ledger.begin();
    availability.begin(needs, job, start, 100, empty);
  }
  void TearDown() override { EXPECT_TRUE(ledger.check()); }
  PoolId node(int n) { return node_of(on.graph, n); }
  std::string eligible() {
    std::string out;
    for (int n = 0; n < 9; ++n) {
      if (availability.eligible(node(n))) out += static_cast<char>('0' + n);
    }
    return out;
  }
  // The charges of nodes from "0145": "layer:amount …" in file order, or "refused".
  std::string charge(std::string_view nodes) {
    std::vector<LayerCharge> out{{99, 1}};  // the earlier charges stay
    std::vector<PoolId> pools;
    for (char n : nodes) pools.push_back(node(n - '0'));
    if (!charger.charge(availability, pools, out)) {
      EXPECT_EQ(out.size(), 1u);
      return "refused";
    }
    return text(std::span(out).subspan(1));
  }
  static std::string text(std::span<const LayerCharge> charges) {
    std::map<std::uint32_t, std::int64_t> sorted;
    for (const LayerCharge& c : charges) sorted[c.layer] = c.amount;
    EXPECT_EQ(sorted.size(), charges.size());
    std::string out;
    for (const auto& [layer, amount] : sorted) {
      out += (out.empty() ? "" : " ") + std::to_string(layer) + ":" + std::to_string(amount);
    }
    return out;
  }
  void use(std::uint32_t layer, std::int64_t amount, HresTable::Job job = 2) {
    const LayerCharge charges[] = {{layer, amount}};
    on.hres.apply(job, charges, 50, 60, 1);
  }

  HresOnNodes on{9, kThree};
  ChargeLedger ledger;
  LayerAvailability availability{on.graph, on.hres, ledger};
  LayerCharger charger{on.graph, on.hres};
};

TEST_F(LayerAvailabilityTest, ModeOneNeedsOneLayerThatHasEnough) {
  begin({{one, 6}});
  EXPECT_EQ(eligible(), "0123");
  EXPECT_EQ(charge("03"), "1:6");
  begin({{one, 5}});
  EXPECT_EQ(eligible(), "01234567");
  EXPECT_EQ(charge("34"), "1:5");  // the largest layer that has any of them, once
  EXPECT_EQ(charge("4"), "0:5");
  EXPECT_EQ(charge("8"), "refused");
  EXPECT_EQ(charge(""), "refused");
  use(1, 6);
  begin({{one, 5}});
  EXPECT_EQ(charge("3"), "0:5");
  use(0, 1);
  begin({{one, 5}});
  EXPECT_EQ(eligible(), "");
  EXPECT_TRUE(availability.cannot_serve(1));
}

// A single layer must have enough for the whole window.
TEST_F(LayerAvailabilityTest, ModeOneLayersDoNotTakeTurns) {
  const LayerCharge early[] = {{0, 1}}, late[] = {{1, 6}};
  on.hres.apply(2, early, 0, 50, 1);
  on.hres.apply(3, late, 50, 100, 1);
  begin({{one, 5}});
  EXPECT_EQ(eligible(), "");
}

TEST_F(LayerAvailabilityTest, ModeTwoNeedsEveryLayer) {
  begin({{two, 5}});
  EXPECT_EQ(eligible(), "4567");
  EXPECT_EQ(charge("47"), "3:5 5:5");
  EXPECT_EQ(charge("34"), "refused");
  begin({{two, 4}});
  EXPECT_EQ(charge("0123456"), "3:4 4:4 5:4");
  use(5, INT64_MAX - 4);  // unbounded layers have INT64_MAX
  begin({{two, 5}});
  EXPECT_EQ(eligible(), "45");
}

TEST_F(LayerAvailabilityTest, ModeThreeTakesOfThePathForEachNode) {
  begin({{branches, 3}});
  EXPECT_EQ(eligible(), "0123456");  // n7 is in no leaf
  EXPECT_TRUE(availability.take(node(0)));
  const std::size_t mark = ledger.mark();
  EXPECT_TRUE(availability.take(node(0)));  // the job has it
  EXPECT_EQ(ledger.mark(), mark);
  EXPECT_TRUE(availability.take(node(1)));
  EXPECT_FALSE(ledger.contended());
  EXPECT_FALSE(availability.take(node(2)));
  EXPECT_TRUE(ledger.contended());
  EXPECT_EQ(eligible(), "01456");
  EXPECT_TRUE(availability.take(node(4)));
  EXPECT_EQ(eligible(), "014");
  EXPECT_TRUE(ledger.check());
  ledger.undo_to(mark);
  EXPECT_EQ(eligible(), "0123456");
  EXPECT_EQ(charge("014"), "6:9 7:6 8:3");
  EXPECT_EQ(charge("0145"), "refused");
  EXPECT_EQ(charge("012"), "refused");
  EXPECT_EQ(charge("7"), "refused");
}

TEST_F(LayerAvailabilityTest, ANodeAloneIsNotContended) {
  begin({{branches, 7}});
  EXPECT_EQ(eligible(), "456");
  EXPECT_FALSE(ledger.contended());
}

TEST_F(LayerAvailabilityTest, AllNeedsTogether) {
  begin({{one, 1}, {two, 4}, {branches, 4}});
  EXPECT_EQ(eligible(), "0123456");
  EXPECT_TRUE(availability.take(node(0)));
  EXPECT_EQ(eligible(), "0456");
  EXPECT_EQ(charge("06"), "1:1 3:4 4:4 5:4 6:8 7:4 8:4");
}

TEST_F(LayerAvailabilityTest, TheEmptySystemHasAllThatItsCountsSay) {
  use(3, 6);
  begin({{two, 1}});
  EXPECT_EQ(eligible(), "");
  begin({{two, 1}}, true);
  EXPECT_EQ(eligible(), "01234567");
}

TEST_F(LayerAvailabilityTest, ListedJobsFindWhatIsKeptForThem) {
  const auto nobody = [](HresTable::Job) { return std::nullopt; };
  ASSERT_TRUE(on.hres.reserve({"r", "two", "n[0-3]", 4, 0, 10, {1}}, nobody));
  ASSERT_TRUE(on.hres.reserve({"s", "two", "n[0-7]", 3, 0, 10, {2}}, nobody));
  begin({{two, 3}});
  EXPECT_EQ(eligible(), "01234567");
  begin({{two, 3}}, false, 2);
  EXPECT_EQ(eligible(), "4567");
  begin({{two, 3}}, false, 2, 10);
  EXPECT_EQ(eligible(), "01234567");
}

TEST_F(LayerAvailabilityTest, RefusingExcessKeepsAsManyAsFit) {
  begin({{branches, 3}});
  const PoolId wanted[] = {node(4), node(0), node(1), node(2), node(5)};
  EXPECT_TRUE(availability.refuse_excess(wanted));
  ledger.reset();
  EXPECT_EQ(eligible(), "01346");  // n2: its leaf is full; n5: the root is full
  const PoolId fit[] = {node(4), node(0), node(1)};
  EXPECT_FALSE(availability.refuse_excess(fit));
  begin({{branches, 3}});
  EXPECT_EQ(eligible(), "0123456");  // restarted
}

TEST_F(LayerAvailabilityTest, TooFewIsAProof) {
  begin({{branches, 3}}, true);
  EXPECT_FALSE(availability.too_few(3));
  EXPECT_TRUE(availability.too_few(4));
  EXPECT_EQ(eligible(), "0123456");  // nothing is charged
  begin({{two, 1}, {branches, 1}}, true);
  EXPECT_FALSE(availability.too_few(7));
  EXPECT_TRUE(availability.too_few(8));
  begin({{two, 5}}, true);
  EXPECT_TRUE(availability.too_few(5));
  begin({}, true);
  EXPECT_FALSE(availability.too_few(1000));
  begin({{branches, 5}, {two, 1}}, true);
  EXPECT_TRUE(availability.cannot_serve(3));
  EXPECT_FALSE(availability.cannot_serve(2));
  EXPECT_TRUE(availability.cannot_serve(INT64_MAX));
}

TEST_F(LayerAvailabilityTest, RedrawChargesTheNodesThatAreLeft) {
  GrantCharges charges{{{one, 2}, {two, 3}, {branches, 3}}, {}};
  begin(charges.needs);
  ASSERT_TRUE(
      charger.charge(availability, std::vector<PoolId>{node(0), node(1), node(4)}, charges.layers));
  EXPECT_EQ(text(charges.layers), "1:2 3:3 4:3 6:9 7:6 8:3");
  charger.recompute_charges(std::vector<PoolId>{node(4)}, charges);
  EXPECT_EQ(text(charges.layers), "1:2 3:3 6:3 8:3");  // in mode 1 the charged layer stays charged
  ASSERT_TRUE(on.hres.remove_layer("one", "n[0-3]"));
  charger.recompute_charges(std::vector<PoolId>{node(4)}, charges);
  EXPECT_EQ(text(charges.layers), "3:3 6:3 8:3");
}

TEST_F(LayerAvailabilityTest, AmountsBeyondTheCountAreNotThere) {
  use(4, 4);
  ASSERT_TRUE(on.hres.set_count("two", "n[0-3]", 1));
  begin({{two, 1}});
  EXPECT_EQ(eligible(), "4567");
  EXPECT_EQ(charge("0"), "refused");
}

}  // namespace
}  // namespace copse
