// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/rv1_write.hpp"

namespace copse {
namespace {

constexpr const char* kTopo =
    R"({"numa": [{"cores": "0-3", "gpus": "0"}, {"cores": "4-7,12", "gpus": "1"}]})";

// The key of an R whose children are these ranks with kTopo, and an R with it and these ranks.
std::string key_with(const std::string& ranks, const std::string& topo_ids) {
  return fmt::format(
      R"({{"topo_ids": {}, "writer": "TreePool", "children": [{{"ranks": "{}", "topo": {}}}]}})",
      topo_ids, ranks, kTopo);
}

Result<RSet> read(const std::string& scheduling, std::string_view pool,
                  const TreepoolLimits& limits = {}) {
  return read_r(fmt::format(R"({{"scheduling": {}, "version": 1, "execution": {{"R_lite":
                                [{{"rank": "{}", "children": {{"core": "0"}}}}]}}}})",
                            scheduling, pool),
                "R", {.layouts = limits});
}

std::string shown(const IdRanges& ids) {
  std::string out;
  for (const auto& [first, last] : ids) {
    out += fmt::format("{}{}", out.empty() ? "" : ",", first);
    if (last > first) out += fmt::format("-{}", last);
  }
  return out;
}

// The domains of each range of ranks, "0-1: [0-3|0][4-7|1] 2: …".
std::string layouts_of(const std::string& text, std::string_view pool) {
  const auto r = read(text, pool);
  if (!r) return r.error().message();
  std::string out;
  for (const Layouts::Ranks& of : r->layouts.ranks) {
    out += fmt::format("{}{}-{}: ", out.empty() ? "" : " ", of.first, of.last);
    for (const Domain& d : r->layouts.layouts[of.layout].domains) {
      if (d.name.empty()) continue;
      out += fmt::format("[{}|{}]", shown(d.cores), shown(d.gpus));
    }
  }
  return out;
}

TEST(TreepoolIds, AreThoseOfTheInstance) {
  const auto with = [](const std::string& children) {
    return layouts_of(key_with("0", fmt::format(R"([{{"rank": "0", "children": {}}}])", children)),
                      "0");
  };
  EXPECT_EQ(with(R"({})"), "0-0: [0-3|0][4-7,12|1]");
  EXPECT_EQ(with(R"({"core": "0-12"})"), "0-0: [0-3|0][4-7,12|1]");
  EXPECT_EQ(with(R"({"core": "2-5"})"), "0-0: [0-1|0][2-3|1]");
  EXPECT_EQ(with(R"({"core": "4-7"})"), "0-0: [|0][0-3|1]");
  // 8 is in no domain; 7 and 12, which are apart in topo, are neighbours without it.
  EXPECT_EQ(with(R"({"core": "3,7-8,12"})"), "0-0: [0|0][1,3|1]");
  EXPECT_EQ(with(R"({"core": "3,7,12"})"), "0-0: [0|0][1-2|1]");
  EXPECT_EQ(with(R"({"core": "100-200"})"), "0-0: [|0][|1]");
  EXPECT_EQ(with(R"({"gpu": "1"})"), "0-0: [0-3|][4-7,12|0]");
  EXPECT_EQ(with(R"({"core": "5", "gpu": "0", "fpga": "7"})"), "0-0: [|0][0|]");
}

TEST(TreepoolIds, AreGivenByRank) {
  const std::string ids = R"([{"rank": "3,5", "children": {"core": "4-7"}},
                              {"rank": "0-1", "children": {"core": "2-5"}}])";
  EXPECT_EQ(layouts_of(key_with("0-6", ids), "0-6"),
            "0-1: [0-1|0][2-3|1] 2-2: [0-3|0][4-7,12|1] 3-3: [|0][0-3|1] "
            "4-4: [0-3|0][4-7,12|1] 5-5: [|0][0-3|1] 6-6: [0-3|0][4-7,12|1]");
  // Ranks that were excluded; and all of them renumbered, as those of children are.
  EXPECT_EQ(layouts_of(key_with("0-6", ids), "1-2,5"),
            "1-1: [0-1|0][2-3|1] 2-2: [0-3|0][4-7,12|1] 5-5: [|0][0-3|1]");
  EXPECT_EQ(layouts_of(key_with("0,3", ids), "0-1"), "0-0: [0-1|0][2-3|1] 1-1: [|0][0-3|1]");
  EXPECT_EQ(layouts_of(key_with("0,3", ids), "8,20"), "8-8: [0-1|0][2-3|1] 20-20: [|0][0-3|1]");
  // Equal layouts are one, wherever they come from.
  const auto r = read(key_with("0-6", R"([{"rank": "0", "children": {"core": "4-7"}},
                                          {"rank": "1", "children": {"core": "4-7,20"}}])"),
                      "0-6");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->layouts.layouts.size(), 2u);
}

TEST(TreepoolIds, AreTrimmed) {
  const auto r = read(key_with("10-16", R"([{"rank": "13,15", "children": {"core": "4-7"}},
                                            {"children": {"core": "2-5", "fpga": "0"},
                                             "rank": "10-11", "note": 1}])"),
                      "0-6");
  ASSERT_TRUE(r);
  const auto written = [&](std::string_view allocated) {
    std::string out;
    JsonWriter json(out);
    const Idset ranks = *Idset::parse(allocated);
    write_scheduling(json, r->scheduling, &ranks);
    return out;
  };
  const auto expected = [](const char* ranks, const char* ids) {
    return fmt::format(R"({{"writer": "TreePool", "children": [{{"ranks": "{}", "topo": {}}}]{}}})",
                       ranks, kTopo, ids);
  };
  EXPECT_EQ(
      written("1,5"),
      expected("1,5", R"(, "topo_ids": [{"rank": "1", "children": {"core": "2-5", "fpga": "0"}}, )"
                      R"({"rank": "5", "children": {"core": "4-7"}}])"));
  EXPECT_EQ(written("4,6"), expected("4,6", ""));
}

TEST(TreepoolIds, EveryRuleHasItsSentence) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({})", "R:1:29: topo_ids must be an array"},
      {R"([3])", "R:1:30: an entry of topo_ids must be an object"},
      {R"([{"rank": "0"}])", "R:1:30: an entry of topo_ids has no key \"children\""},
      {R"([{"children": {}}])", "R:1:30: an entry of topo_ids has no key \"rank\""},
      {R"([{"rank": "0", "rank": "1"}])",
       "R:1:44: an entry of topo_ids has the key \"rank\" twice"},
      {R"([{"rank": 0, "children": {}}])", "R:1:39: rank must be a string"},
      {R"([{"rank": "", "children": {}}])", "R:1:39: rank names no rank"},
      {R"([{"rank": "0", "children": []}])", "R:1:56: children must be an object"},
      {R"([{"rank": "0", "children": {"core": 5}}])",
       "R:1:65: children of type \"core\" must be a string"},
      {R"([{"rank": "0", "children": {"core": "9007199254740993"}}])",
       "R:1:65: children of type \"core\" go beyond 9007199254740992"},
      {R"([{"rank": "0-2", "children": {}}, {"rank": "2", "children": {}}])",
       "R:1:63: rank 2 is in two entries of scheduling.topo_ids"},
  };
  for (const auto& [ids, message] : cases) {
    const auto r = read(key_with("0", ids), "0");
    ASSERT_FALSE(r) << ids;
    EXPECT_EQ(r.error().message(), message) << ids;
  }
  // Of another writer it means nothing.
  EXPECT_TRUE(read(R"({"topo_ids": 3, "writer": "fluxion:jgf"})", "0"));
}

TEST(TreepoolIds, BoundsAreTold) {
  const std::string text = key_with("0-1", R"([{"rank": "0", "children": {"core": "4-7"}},
                                             {"rank": "1", "children": {"core": "2-5"}}])");
  EXPECT_TRUE(read(text, "0-1"));
  auto refused = read(text, "0-1", {.entries_max = 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::limit);
  EXPECT_EQ(refused.error().text, "topo_ids has more than 1 entries");
  // Equal entries make one layout, so that they are no more than one.
  const std::string equal = key_with("0-1", R"([{"rank": "0", "children": {"core": "4-7"}},
                                              {"rank": "1", "children": {"core": "4-7"}}])");
  EXPECT_TRUE(read(equal, "0-1", {.translated_bytes_max = 600}));
  refused = read(text, "0-1", {.translated_bytes_max = 600});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::limit);
  EXPECT_EQ(refused.error().text, "layouts with the ids of topo_ids come to more than 600 bytes");
  EXPECT_GT(refused.error().place.column, 0u);
}

}  // namespace
}  // namespace copse
