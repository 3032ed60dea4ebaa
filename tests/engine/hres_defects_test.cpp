// SPDX-License-Identifier: Apache-2.0
//
// Defects of Slurm's hierarchical resources in August 2026, by their numbers in
// docs/compatibility.md: Copse has none of them. Those without a counterpart (B4, B13, B17, B18)
// are only in that page.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/hres_machine.hpp"

namespace copse {
namespace {

// Eight nodes represent 32; numbers are those of Slurm's documentation, divided by 10 or 1,000.
constexpr std::string_view kNatural = R"(
- resource: natural
  mode: MODE_1
  layers: [{nodes: "n[0-7]", count: 50}, {nodes: "n[0-3]", count: 100}, {nodes: "n[4-7]", count: 100}]
)";
constexpr std::string_view kFlat = R"(
- resource: flat
  mode: MODE_2
  layers: [{nodes: "n[0-7]", count: 24}, {nodes: "n[0-3]", count: 12}, {nodes: "n[4-7]", count: 12}]
)";
constexpr std::string_view kPower = R"(
- resource: power
  mode: MODE_3
  layers: [{nodes: "n[0-3]", count: 40}, {nodes: "n[4-7]", count: 40}, {nodes: "n[0-7]", count: 60}]
)";

TEST(HresDefects, B1LayersPayInTheOrderOfTheirCounts) {
  HresMachine m(8, kNatural);
  EXPECT_EQ(m.alloc(1, 1, "natural:1", 0, "0"), "0 at 0");
  EXPECT_EQ(m.used(), "0/50 1/100 0/100");
  EngineOptions options = with_policy("lonode");
  options.layer_order = LayerOrder::file;
  HresMachine file(8, kNatural, std::move(options));
  EXPECT_EQ(file.alloc(1, 1, "natural:1", 0, "0"), "0 at 0");
  EXPECT_EQ(file.used(), "1/50 0/100 0/100");
}

TEST(HresDefects, B2NoSingleLayerSaysWhatCanEverBe) {
  HresMachine m(8, kNatural);
  EXPECT_EQ(m.alloc(1, 1, "natural:60"), "0 at 0");  // the first layer of the file has 50
  EXPECT_EQ(m.alloc(2, 1, "natural:101"), "infeasible");
  HresMachine zero(8,
                   "- {resource: a, mode: MODE_1, layers: [{nodes: 'n[0-1]', count: 0}, "
                   "{nodes: 'n[0-3]', count: -1}]}");
  EXPECT_EQ(zero.alloc(1, 1, "a:1000000"), "0 at 0");
  HresMachine flat(8, kFlat);
  EXPECT_EQ(flat.alloc(1, 1, "flat:13"), "infeasible");  // it does not wait for ever, either
  EXPECT_EQ(flat.alloc(1, 1, "flat:12"), "0 at 0");
}

TEST(HresDefects, B3ATreeOfOneLayerHasItsLimit) {
  HresMachine m(8, "- {resource: t, mode: MODE_3, layers: [{nodes: 'n[0-5]', count: 100}]}");
  EXPECT_EQ(m.alloc(1, 2, "t:40"), "0-1 at 0");
  EXPECT_EQ(m.alloc(2, 1, "t:40"), "insufficient");
  EXPECT_EQ(m.alloc(2, 3, "t:40"), "infeasible");
  EXPECT_EQ(m.alloc(2, 1, "t:1", 0, "6"), "infeasible");  // outside all leaves
  EXPECT_EQ(m.used(), "80/100");
}

TEST(HresDefects, B5WhatIsGivenBackInPartIsFree) {
  HresMachine m(8, std::string(kFlat) + std::string(kPower));
  EXPECT_EQ(m.alloc(1, 4, "flat:2,power:10", 0, "2-5"), "2-5 at 0");
  EXPECT_EQ(m.used(), "2/24 2/12 2/12 20/40 20/40 40/60");
  EXPECT_EQ(m.give_back(1, {4, 5}), false);
  EXPECT_EQ(m.used(), "2/24 2/12 0/12 20/40 0/40 20/60");
  EXPECT_TRUE(m.engine->cancel(1));
  EXPECT_EQ(m.used(), "0/24 0/12 0/12 0/40 0/40 0/60");
}

TEST(HresDefects, B6OneAlternativeIsChargedAndReturned) {
  HresMachine m(8, std::string(kNatural) + std::string(kFlat));
  const auto idle = m.engine->fingerprint();
  EXPECT_EQ(m.alloc(1, 1, "flat:2|natural:1"), "0 at 0");
  EXPECT_EQ(m.used(), "0/50 0/100 0/100 2/24 2/12 0/12");
  EXPECT_EQ(m.alloc(2, 1, "flat:13|natural:1"), "1 at 0");  // the first never fits
  EXPECT_EQ(m.used(), "0/50 1/100 0/100 2/24 2/12 0/12");
  EXPECT_TRUE(m.engine->cancel(1));
  EXPECT_TRUE(m.engine->cancel(2));
  EXPECT_EQ(m.engine->fingerprint(), idle);
}

TEST(HresDefects, B7AsksWhetherATreeCouldEverServe) {
  HresMachine m(8, kPower);
  EXPECT_EQ(m.alloc(1, 6, "power:10"), "0-5 at 0");
  EXPECT_EQ(m.match(Operation::satisfiability, 0, "slot=6/node{x}", "power:10"), "satisfiable");
  EXPECT_EQ(m.match(Operation::satisfiability, 0, "slot=7/node{x}", "power:10"), "infeasible");
}

TEST(HresDefects, B8TreesAreTheSameInAnyOrderOfTheFile) {
  const std::vector<std::string> layers{
      "{nodes: 'n[0-1]', count: 20, base: [{name: a, value: 1}]}",
      "{nodes: 'n[2-3]', count: 20, base: [{name: a, value: 2}]}",
      "{nodes: 'n[0-3]', count: 40, base: [{name: a, value: 4}]}",
      "{nodes: 'n[4-5]', count: 20}",
      "{nodes: 'n[4-7]', count: 40}",
      "{nodes: 'n[0-7]', count: 80, base: [{name: a, value: 8}]}"};
  std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
  do {
    std::string text, uneven;
    for (std::size_t i : order) {
      text += (text.empty() ? "" : ", ") + layers[i];
      if (i != 4) uneven += (uneven.empty() ? "" : ", ") + layers[i];
    }
    const std::string head = "- {resource: t, mode: MODE_3, layers: [";
    HresMachine m(8, head + text + "]}");
    std::map<std::string, std::int64_t> totals;
    for (const LayerView& v : m.engine->layers(0)) totals[v.nodes] = v.total;
    EXPECT_EQ(totals["n[0-3]"], 40 - 4 - 3);
    EXPECT_EQ(totals["n[0-7]"], 80 - 8 - 7);
    EXPECT_EQ(m.alloc(1, 8, "t:1"), "infeasible");  // n6 and n7 are in no leaf
    EXPECT_EQ(m.alloc(1, 6, "t:1"), "0-5 at 0");
    const auto spec = read_hres(head + uneven + "]}", "resources.yaml");
    HresMachine other(8, "[]");
    const auto added = other.engine->add_resources(*spec);
    ASSERT_FALSE(added);
    EXPECT_NE(added.error().text.find("leaves at different depth"), std::string::npos);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(HresDefects, B9TreesAreAskedForTheWholeWindow) {
  HresMachine m(8, kPower);
  EXPECT_EQ(m.alloc(1, 8, "", 10), "0-7 at 0");
  EXPECT_EQ(m.reserve(2, 4, "power:10", 10, "0-3"), "0-3 at 10");
  EXPECT_TRUE(m.engine->cancel(1));
  EXPECT_EQ(m.alloc(3, 4, "power:10", 11, "4-7"), "insufficient");  // free only at its start
  EXPECT_EQ(m.reserve(3, 4, "power:10", 11, "4-7"), "4-7 at 20");
  EXPECT_EQ(m.alloc(4, 4, "power:10", 10, "4-7"), "4-7 at 0");
}

TEST(HresDefects, B10WhatIsReservedIsCountedOnceAndForItsJobs) {
  HresMachine m(8, kPower);
  ASSERT_TRUE(m.engine->reserve_layer({"r", "power", "n[4-7]", 30, 0, 60, {7}}));
  EXPECT_EQ(m.alloc(1, 2, "power:10", 60, "4-7"), "insufficient");
  EXPECT_EQ(m.alloc(1, 1, "power:10", 60, "4-7"), "4 at 0");
  EXPECT_EQ(m.alloc(7, 1, "power:30", 20, "4-7"), "5 at 0");
  EXPECT_EQ(m.used(), "0/40 40/40 40/60");
  EXPECT_EQ(m.reserve(2, 1, "power:10", 10, "4-7"), "4 at 60");  // not when the insider ends
  ASSERT_TRUE(m.engine->advance(20));
  EXPECT_EQ(m.used(), "0/40 10/40(30) 10/60");
}

TEST(HresDefects, B11APlannedJobIsPaidByALayerThatHasEnough) {
  HresMachine m(8, kNatural);
  EXPECT_EQ(m.alloc(1, 1, "natural:80", 100, "0"), "0 at 0");
  EXPECT_EQ(m.alloc(2, 1, "natural:50", 20, "1"), "1 at 0");
  EXPECT_EQ(m.reserve(3, 1, "natural:40", 30, "2"), "2 at 20");
  EXPECT_EQ(m.charged(3), "natural(n[0-7]):40");
  EXPECT_EQ(m.used(20), "40/50 80/100 0/100");
}

TEST(HresDefects, B12TreesHonourReservations) {
  HresMachine m(8, kPower);
  ASSERT_TRUE(m.engine->reserve_layer({"r", "power", "n[0-7]", 30, 0, 60, {}}));
  EXPECT_EQ(m.alloc(1, 4, "power:10"), "insufficient");
  EXPECT_EQ(m.alloc(1, 3, "power:10"), "0-2 at 0");
  ASSERT_TRUE(m.engine->reserve_layer({"s", "power", "n[4-7]", 40, 0, 60, {}}));
  EXPECT_EQ(m.reserve(2, 1, "power:1", 5, "4-7"), "4 at 60");
}

TEST(HresDefects, B14AnUnknownModeIsRefused) {
  for (const char* mode : {"MODE_4", "MODE_0", "1", "mode"}) {
    const auto spec =
        read_hres(fmt::format("- {{resource: a, mode: {}, layers: []}}", mode), "resources.yaml");
    ASSERT_FALSE(spec) << mode;
    EXPECT_NE(spec.error().text.find("unknown mode"), std::string::npos);
  }
  EXPECT_TRUE(read_hres("- {resource: a, mode: mode_3, layers: []}").has_value());
}

TEST(HresDefects, B15TheLayerThatPaidIsRemembered) {
  HresMachine m(8, kNatural);
  EXPECT_EQ(m.alloc(1, 1, "natural:100", 0, "0"), "0 at 0");
  EXPECT_EQ(m.alloc(2, 1, "natural:10", 0, "1"), "1 at 0");
  EXPECT_EQ(m.charged(2), "natural(n[0-7]):10");
  EXPECT_TRUE(m.engine->cancel(1));
  EXPECT_TRUE(m.engine->compact());
  ASSERT_TRUE(m.engine->set_layer_count("natural", "n[0-7]", 5));
  ASSERT_TRUE(m.add("- {resource: natural, mode: MODE_1, layers: [{nodes: n1, count: 900}]}"));
  EXPECT_EQ(m.charged(2), "natural(n[0-7]):10");
  EXPECT_EQ(m.used(), "10/5 0/100 0/100 0/900");
  EXPECT_TRUE(m.engine->cancel(2));
  EXPECT_EQ(m.used(), "0/5 0/100 0/100 0/900");
}

TEST(HresDefects, B16CountsHave63Bits) {
  HresMachine m(8,
                "- {resource: a, mode: MODE_1, layers: [{nodes: 'n[0-7]', count: 4294967300}]}\n"
                "- {resource: t, mode: MODE_3, layers: [{nodes: 'n[0-7]', count: -1}]}");
  EXPECT_EQ(m.alloc(1, 1, "a:4294967297"), "0 at 0");  // not 1
  EXPECT_EQ(m.used(), "4294967297/4294967300 0/*");
  EXPECT_EQ(m.alloc(2, 1, "a:4"), "insufficient");
  EXPECT_EQ(m.alloc(2, 2, "t:3074457345618258602"), "1-2 at 0");
  EXPECT_EQ(m.alloc(3, 4, "t:3074457345618258602"), "infeasible");  // the product exceeds 2^63
  EXPECT_EQ(m.alloc(3, 2, "t:3074457345618258602"), "insufficient");
  EXPECT_EQ(m.alloc(3, 1, "t:3074457345618258603"), "3 at 0");
  EXPECT_EQ(m.used(), "4294967297/4294967300 9223372036854775807/*");
  EXPECT_FALSE(parse_hres_request("a:9223372036854775808").has_value());
}

TEST(HresDefects, B19AShortageOfSupplyIsNoShortageOfNodes) {
  HresMachine m(8, kFlat);
  EXPECT_EQ(m.alloc(1, 1, "flat:12", 0, "0"), "0 at 0");
  EXPECT_EQ(m.alloc(2, 1, "flat:1", 0, "1"), "insufficient");
  EXPECT_EQ(m.alloc(2, 1, "flat:25", 0, "1"), "infeasible");
}

TEST(HresDefects, B20TheSameNodesAreTheSameLayerHoweverSpelled) {
  for (int mode = 1; mode <= 3; ++mode) {
    HresMachine m(8, "[]");
    const auto added =
        m.add(fmt::format("- {{resource: a, mode: MODE_{}, layers: [{{nodes: 'n[0-1]', "
                          "count: 1}}, {{nodes: [n1, n0], count: 2}}]}}",
                          mode));
    ASSERT_FALSE(added);
    EXPECT_NE(added.error().text.find("duplicate layer"), std::string::npos);
  }
}

TEST(HresDefects, B21LeavesDoNotOverlap) {
  HresMachine m(8, "[]");
  const auto added = m.add(
      "- {resource: t, mode: MODE_3, layers: [{nodes: 'n[0-4]', count: 100}, {nodes: 'n[4-7]', "
      "count: 100}, {nodes: 'n[0-7]', count: 150}]}");
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().text.find("overlap"), std::string::npos);
}

}  // namespace
}  // namespace copse
