// SPDX-License-Identifier: Apache-2.0
#include "hres/hres_table.hpp"

#include <gtest/gtest.h>

#include <map>

#include <fmt/format.h>

#include "hres/machine_of_nodes.hpp"

namespace copse {
namespace {

constexpr std::string_view kTrees = R"(
- resource: flat
  mode: MODE_2
  variables: [{name: two, value: 2}, {name: two, value: 9}, {name: huge, value: 9223372036854775807}]
  layers:
    - {nodes: "n[0-7]", count: 24}
    - {nodes: "n[0-3]", count: 12}
- resource: natural
  mode: MODE_1
  layers:
    - {nodes: "n[0-7]", count: 5}
    - {nodes: "n[0-3]", count: 10}
    - {nodes: "n[4-7]", count: -1}
- resource: power
  mode: MODE_3
  layers:
    - {nodes: "n[0-3]", count: 40, base: [{name: store, value: 5}]}
    - {nodes: "n[0-7]", count: 90, base: [{name: a, value: 10}, {name: b, value: 8}]}
    - {nodes: ["n[6-7]", "n[4-5]"], count: 50, base: [{name: net, value: 3}]}
)";

std::string tree(std::string_view layers) {
  return fmt::format("- resource: a\n  mode: MODE_3\n  layers: [{}]\n", layers);
}

struct Refusal {
  const char* yaml;
  const char* code;
  std::uint32_t line, column;  // of the layer that is too small
  const char* says;
};

TEST(HresAdd, EachRefusalNamesItsPlaceAndChangesNothing) {
  const Refusal refusals[] = {
      {"- resource: b\n  mode: MODE_1\n  layers:\n    - nodes: [\"n0\", \"n[6-9]\"]\n      count: "
       "1\n",
       "invalid", 4, 21, "the machine has no node \"n8\""},
      {"- resource: b\n  mode: MODE_1\n  layers:\n    - {nodes: \"n[0-\", count: 1}\n", "invalid",
       4, 15, "nodes 'n[0-'"},
      {"- resource: b\n  mode: MODE_1\n  layers:\n    - {nodes: \"n[0-99999999]\", count: 1}\n",
       "limit", 4, 15, "nodes 'n[0-99999999]'"},
      {"- resource: b\n  mode: MODE_2\n  layers:\n    - {nodes: \"n[0-1]\", count: 1}\n"
       "    - {nodes: \"n[1,0]\", count: 2}\n",
       "exists", 5, 7, "duplicate layer"},
      {"- resource: flat\n  mode: MODE_2\n  layers:\n    - {nodes: \"n[3,2,0-1]\", count: 2}\n",
       "exists", 4, 7, "duplicate layer"},
      {"- resource: flat\n  mode: MODE_1\n  layers:\n    - {nodes: \"n0\", count: 2}\n", "invalid",
       1, 13, "mode 2 elsewhere"},
      {"- resource: b\n  mode: MODE_1\n  layers:\n    - {nodes: n0, count: 2, base: [{name: x, "
       "value: "
       "3}]}\n",
       "invalid", 4, 7, "is 3, greater than its count, 2"},
      {"- resource: b\n  mode: MODE_1\n  layers:\n    - {nodes: n0, count: -1, base: [{name: x, "
       "value: 9223372036854775807}, {name: y, value: 1}]}\n",
       "limit", 4, 7, "exceeds 2^63 - 1"},
      {"- resource: b\n  mode: MODE_3\n  layers:\n    - {nodes: n0, count: -1, base: [{name: x, "
       "value: "
       "9223372036854775807}]}\n    - {nodes: \"n[0-1]\", count: -1, base: [{name: y, value: "
       "1}]}\n",
       "limit", 4, 7, "exceeds 2^63 - 1"},
      {"- resource: b\n  mode: MODE_3\n  layers:\n    - {nodes: \"n[0-1]\", count: 2}\n"
       "    - {nodes: [], count: 2}\n",
       "invalid", 5, 7, "without nodes"},
      {"- resource: b\n  mode: MODE_3\n  layers:\n    - {nodes: \"n[0-1]\", count: 2}\n"
       "    - {nodes: \"n[2-3]\", count: 2}\n",
       "invalid", 5, 7, "not a rooted tree"},
      {"- resource: b\n  mode: MODE_3\n  layers:\n    - {nodes: \"n[0-3]\", count: 2}\n"
       "    - {nodes: \"n[0-1]\", count: 2}\n    - {nodes: \"n[1-2]\", count: 2}\n",
       "invalid", 6, 7, "overlap"},
      {"- resource: b\n  mode: MODE_3\n  layers:\n    - {nodes: \"n[0-3]\", count: 2}\n"
       "    - {nodes: \"n[0-1]\", count: 2}\n    - {nodes: \"n[2-3]\", count: 2}\n"
       "    - {nodes: n2, count: 2}\n",
       "invalid", 7, 7, "leaves at different depth"},
      // Charges of both children, and its own: 5 + 3 + 18 are in use.
      {"- resource: power\n  mode: MODE_3\n  layers:\n    - {nodes: \"n[0-7]\", count: 90}\n",
       "exists", 4, 7, "duplicate layer"},
      {"- resource: b\n  mode: MODE_3\n  layers:\n    - {nodes: n0, count: 9, base: [{name: x, "
       "value: "
       "4}]}\n    - {nodes: n1, count: 9, base: [{name: x, value: 4}]}\n"
       "    - {nodes: \"n[0-1]\", count: 8, base: [{name: x, value: 1}]}\n",
       "invalid", 6, 7, "is 9, greater than its count, 8"},
  };
  for (const Refusal& r : refusals) {
    HresOnNodes on(8, kTrees);
    const auto before = on.hres.fingerprint();
    const auto structure = on.hres.structure();
    const auto added =
        on.add(std::string("- resource: fine\n  mode: MODE_1\n  layers: []\n") + r.yaml);
    ASSERT_FALSE(added) << r.yaml;
    EXPECT_STREQ(word(added.error().code), r.code) << r.yaml;
    EXPECT_NE(added.error().text.find(r.says), std::string::npos) << added.error().text;
    EXPECT_EQ(added.error().place.file, "resources.yaml");
    EXPECT_EQ(added.error().place.line, r.line + 3) << r.yaml;
    EXPECT_EQ(added.error().place.column, r.column) << r.yaml;
    EXPECT_EQ(on.hres.fingerprint(), before);
    EXPECT_EQ(on.hres.structure(), structure);
    EXPECT_EQ(on.hres.layers().size(), 8u);
    EXPECT_EQ(on.hres.resources().size(), 3u);
    EXPECT_FALSE(on.hres.resolve({false, {{"b", "", 1}}}).has_value());
  }
}

TEST(HresAdd, BasesOfATreeGoUpInAnyOrderOfTheFile) {
  const HresOnNodes on(8, kTrees);
  std::map<std::string, std::int64_t> totals;
  for (const LayerView& v : on.hres.view(0)) {
    if (v.resource == "power") totals[v.nodes] = v.total;
  }
  EXPECT_EQ(totals, (std::map<std::string, std::int64_t>{
                        {"n[0-3]", 35}, {"n[6-7,4-5]", 47}, {"n[0-7]", 90 - 18 - 5 - 3}}));
  // A layer added below is charged to the layers above, if they have enough.
  HresOnNodes more(8, tree("{nodes: 'n[0-7]', count: 10}, {nodes: 'n[0-3]', count: 10}"));
  const auto added = more.add(tree("{nodes: 'n[4-7]', count: 20, base: [{name: x, value: 11}]}"));
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().text.find("the base of a n[0-7] is 11"), std::string::npos);
  EXPECT_TRUE(more.add(tree("{nodes: 'n[4-7]', count: 20, base: [{name: x, value: 10}]}")));
  EXPECT_EQ(more.hres.view(0)[0].total, 0);
}

TEST(HresAdd, ResourcesOfOneNameAreOne) {
  HresOnNodes on(8, tree("{nodes: 'n[0-3]', count: 1}, {nodes: 'n[0-7]', count: 2}"));
  ASSERT_TRUE(on.add(tree("{nodes: 'n[4-7]', count: 3}")));
  EXPECT_EQ(on.hres.resources().size(), 1u);
  const auto views = on.hres.view(0);
  ASSERT_EQ(views.size(), 3u);
  EXPECT_EQ(views[2].nodes, "n[4-7]");
  EXPECT_EQ(views[2].parent, 1);
  EXPECT_EQ(views[1].level, 1);
  EXPECT_EQ(views[1].parent, -1);
}

TEST(HresFind, AnySpellingOfTheSameNodes) {
  const HresOnNodes on(8, kTrees);
  const auto one = on.hres.find("power", "n[4-7]");
  ASSERT_TRUE(one);
  for (const char* nodes : {"n7,n6,n5,n4", "n[4-5,6,7]", "n[4-6],n[5-7]", "n[6-7],n4,n5,n4"}) {
    EXPECT_EQ(on.layer("power", nodes), *one);
  }
  for (const char* nodes : {"n[4-6]", "n[4-8]", "n[04-07]", ""}) {
    EXPECT_FALSE(on.hres.find("power", nodes).has_value()) << nodes;
  }
  EXPECT_EQ(on.hres.find("power", "n[4-8]").error().code, ErrorCode::not_found);
  EXPECT_EQ(on.hres.find("Power", "n[4-7]").error().code, ErrorCode::not_found);
  EXPECT_EQ(on.hres.find("power", "n[4-").error().code, ErrorCode::invalid);
  EXPECT_FALSE(on.hres.find("power", "n[0-99999999]").has_value());
}

TEST(HresRemove, WhatIsLeftMustBeATree) {
  HresOnNodes on(8, kTrees);
  const auto root = on.hres.remove_layer("power", "n[0-7]");
  ASSERT_FALSE(root);
  EXPECT_EQ(root.error().code, ErrorCode::invalid);
  EXPECT_EQ(on.hres.view(0).size(), 8u);
  ASSERT_TRUE(on.hres.remove_layer("power", "n[0-3]"));
  EXPECT_EQ(on.hres.view(0).back().total, 47);
  EXPECT_EQ(on.hres.view(0)[5].total, 90 - 18 - 3);  // the base of the removed layer is free
  EXPECT_EQ(on.hres.remove_layer("power", "n[0-3]").error().code, ErrorCode::not_found);
  ASSERT_TRUE(on.hres.remove_layer("power", "n[0-7]"));
  ASSERT_TRUE(on.hres.remove_layer("power", "n[4-7]"));
  EXPECT_EQ(on.hres.resolve({false, {{"power", "", 1}}}).error().code, ErrorCode::invalid);
  ASSERT_TRUE(on.add("- {resource: power, mode: MODE_1, layers: [{nodes: n0, count: 1}]}"));
  EXPECT_EQ(on.hres.view(0).back().mode, 1);
}

TEST(HresRemove, NotWhatIsReserved) {
  HresOnNodes on(8, kTrees);
  const auto nobody = [](HresTable::Job) { return std::nullopt; };
  ASSERT_TRUE(on.hres.reserve({"r", "flat", "n[0-3]", 1, 0, 10, {}}, nobody));
  EXPECT_EQ(on.hres.remove_layer("flat", "n[0-3]").error().code, ErrorCode::invalid);
  ASSERT_TRUE(on.hres.free("r"));
  EXPECT_TRUE(on.hres.remove_layer("flat", "n[0-3]"));
}

// The nodes of removed layers do not count against the bound on nodes.
TEST(HresRemove, WhatWentDoesNotCountAsThere) {
  HresOnNodes on(8, kTrees);
  ASSERT_TRUE(on.hres.remove_layer("flat", "n[0-3]"));
  std::size_t gone = 0;
  for (const HresTable::Layer& layer : on.hres.layers()) {
    if (layer.exists) continue;
    ++gone;
    EXPECT_TRUE(layer.nodes.empty());
  }
  EXPECT_EQ(gone, 1u);
}

TEST(HresSetNodes, GivesALayerOthers) {
  HresOnNodes on(8, kTrees);
  EXPECT_EQ(on.hres.set_nodes("power", "n[0-3]", "n[0-4]").error().code, ErrorCode::invalid);
  EXPECT_EQ(on.hres.set_nodes("power", "n[0-3]", "n[4-7]").error().code, ErrorCode::exists);
  EXPECT_EQ(on.hres.set_nodes("power", "n[0-3]", "n9").error().code, ErrorCode::invalid);
  EXPECT_EQ(on.hres.set_nodes("power", "n[0-2]", "n0").error().code, ErrorCode::not_found);
  const std::uint32_t number = on.layer("power", "n[0-3]");
  ASSERT_TRUE(on.hres.set_nodes("power", "n[3,2,1,0]", "n2,n1,n2"));
  EXPECT_EQ(on.layer("power", "n[2,1]"), number);
  EXPECT_EQ(on.hres.layers()[number].total(), 35);
  EXPECT_FALSE(on.hres.find("power", "n[0-3]").has_value());
}

TEST(HresSetCount, IsBoundedByTheBaseBelow) {
  HresOnNodes on(8, kTrees);
  EXPECT_EQ(on.hres.set_count("power", "n[0-7]", 25).error().code, ErrorCode::invalid);
  EXPECT_EQ(on.hres.set_count("power", "n[0-7]", -2).error().code, ErrorCode::invalid);
  EXPECT_EQ(on.hres.set_count("power", "n[0-6]", 30).error().code, ErrorCode::not_found);
  EXPECT_EQ(on.hres.view(0)[6].total, 64);
  ASSERT_TRUE(on.hres.set_count("power", "n[0-7]", 26));
  EXPECT_EQ(on.hres.view(0)[6].total, 0);
  ASSERT_TRUE(on.hres.set_count("power", "n[0-7]", -1));
  EXPECT_EQ(on.hres.view(0)[6].total, kUnlimitedCount);
  const auto version = on.hres.version();
  ASSERT_TRUE(on.hres.set_count("power", "n[0-7]", -1));
  EXPECT_EQ(on.hres.version(), version);
}

// Mode 1: unbounded layers first, then the largest first; ties in file order; changed counts count.
TEST(HresSetCount, ChangesWhoPaysFirst) {
  HresOnNodes on(8, kTrees);
  const auto rank = [&](const char* nodes) {
    return on.hres.layers()[on.layer("natural", nodes)].rank;
  };
  EXPECT_EQ(rank("n[4-7]"), 0u);
  EXPECT_EQ(rank("n[0-3]"), 1u);
  EXPECT_EQ(rank("n[0-7]"), 2u);
  ASSERT_TRUE(on.hres.set_count("natural", "n[0-7]", 10));
  EXPECT_EQ(rank("n[0-7]"), 1u);
  ASSERT_TRUE(on.hres.set_count("natural", "n[4-7]", 0));
  EXPECT_EQ(rank("n[4-7]"), 2u);
  EXPECT_EQ(rank("n[0-3]"), 1u);
  HresOnNodes file(8, kTrees, LayerOrder::file);
  EXPECT_EQ(file.hres.layers()[file.layer("natural", "n[0-7]")].rank, 0u);
  EXPECT_EQ(file.hres.layers()[file.layer("natural", "n[4-7]")].rank, 2u);
}

TEST(HresResolve, CountsAddUpAndZeroAsksForNothing) {
  const HresOnNodes on(8, kTrees);
  using Needs = std::vector<HresNeed>;
  const std::uint32_t flat = 0, natural = 1;
  EXPECT_EQ(on.needs({{"flat", "", 1}, {"natural", "", 3}, {"flat", "two", 1}}).alternatives,
            (std::vector<Needs>{{{flat, 3}, {natural, 3}}}));
  EXPECT_EQ(on.needs({{"flat", "", 1}, {"flat", "", 0}, {"flat", "two", 1}}, true).alternatives,
            (std::vector<Needs>{{{flat, 1}}, {{flat, 2}}}));
  EXPECT_TRUE(on.needs({{"flat", "", 0}}).empty());
  EXPECT_TRUE(on.needs({{"flat", "", 0}}, true).empty());
  for (const std::vector<HresItem>& wrong : {std::vector<HresItem>{{"Flat", "", 1}},
                                             {{"flat", "", 0}, {"none", "", 0}},
                                             {{"natural", "two", 1}},
                                             {{"flat", "Two", 1}},
                                             {{"flat", "huge", 1}, {"flat", "", 1}}}) {
    EXPECT_EQ(on.hres.resolve({false, wrong}).error().code, ErrorCode::invalid);
  }
  EXPECT_TRUE(on.hres.resolve({true, {{"flat", "huge", 1}, {"flat", "", 1}}}).has_value());
}

TEST(HresText, NamesTheLayerThatPaidInModeOne) {
  const HresOnNodes on(8, kTrees);
  const std::uint32_t payer = on.layer("natural", "n[4-7]");
  const GrantCharges charges{{{0, 2}, {1, 5}, {2, 7}},
                             {{0, 2}, {payer, 5}, {on.layer("power", "n[0-7]"), 14}}};
  EXPECT_EQ(on.hres.text(charges), "flat:2;natural(n[4-7]):5;power:7");
  EXPECT_EQ(on.hres.text({}), "");
}

TEST(HresView, ShowsWhatIsUsedReservedAndHeldAtATime) {
  HresOnNodes on(8, kTrees);
  const std::uint32_t flat = on.layer("flat", "n[0-3]");
  const LayerCharge charge[] = {{flat, 3}};
  on.hres.apply(7, charge, 10, 20, 1);
  const auto grant_of = [&](HresTable::Job job) -> std::optional<HresTable::Granted> {
    if (job != 7) return {};
    return HresTable::Granted{charge, 10, 20};
  };
  ASSERT_TRUE(on.hres.reserve({"r", "flat", "n[0-3]", 5, 0, 15, {7}}, grant_of));
  EXPECT_EQ(on.hres.view(0)[1].held, 5);
  const LayerView at = on.hres.view(12)[1];
  EXPECT_EQ(at.used, 3);
  EXPECT_EQ(at.reserved, 5);
  EXPECT_EQ(at.held, 2);
  EXPECT_EQ(at.total, 12);
  EXPECT_EQ(on.hres.view(15)[1].held, 0);
  EXPECT_EQ(on.hres.view(15)[1].used, 3);
  EXPECT_EQ(on.hres.view(20)[1].used, 0);
  EXPECT_EQ(on.hres.view(12)[0].used, 0);  // neither above nor below it
}

TEST(HresReserve, Refusals) {
  HresOnNodes on(8, kTrees);
  const auto nobody = [](HresTable::Job) { return std::nullopt; };
  const auto code = [&](const LayerReservation& r) {
    const auto before = on.hres.fingerprint();
    const auto done = on.hres.reserve(r, nobody);
    EXPECT_FALSE(done);
    EXPECT_EQ(on.hres.fingerprint(), before);
    return done ? std::string() : std::string(word(done.error().code));
  };
  ASSERT_TRUE(on.hres.reserve({"r", "flat", "n[0-3]", 8, 10, 20, {}}, nobody));
  EXPECT_EQ(code({"r", "flat", "n[0-7]", 1, 0, 10, {}}), "exists");
  EXPECT_EQ(code({"s", "flat", "n[0-3]", 0, 0, 10, {}}), "invalid");
  EXPECT_EQ(code({"s", "flat", "n[0-3]", 1, 10, 10, {}}), "invalid");
  EXPECT_EQ(code({"s", "flat", "n[0-2]", 1, 0, 10, {}}), "not_found");
  EXPECT_EQ(code({"s", "flat", "n[0-3]", 13, 0, 10, {}}), "infeasible");
  EXPECT_EQ(code({"s", "flat", "n[0-3]", 5, 0, 11, {}}), "insufficient");
  EXPECT_TRUE(on.hres.reserve({"s", "flat", "n[0-3]", 5, 0, 10, {}}, nobody));
  EXPECT_EQ(on.hres.next_edge(1), 10);
  EXPECT_EQ(on.hres.next_edge(11), 20);
  EXPECT_FALSE(on.hres.next_edge(21).has_value());
  on.hres.drop_ended(10);
  EXPECT_EQ(on.hres.free("s").error().code, ErrorCode::not_found);
  EXPECT_EQ(on.hres.next_edge(0), 20);
  EXPECT_TRUE(on.hres.free("r"));
  EXPECT_FALSE(on.hres.next_edge(0).has_value());
}

}  // namespace
}  // namespace copse
