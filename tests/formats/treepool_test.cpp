// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/treepool.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/rv1_write.hpp"

namespace copse {
namespace {

constexpr const char* kSockets =
    R"({"socket": [{"cores": "0-3", "gpus": "0", "memory": 64}, {"cores": "4-7"}]})";

// The key of an R, and an R with it whose ranks are these.
std::string with_children(const std::string& children) {
  return fmt::format(R"({{"writer": "TreePool", "children": [{}]}})", children);
}

Result<RSet> read_layouts(const std::string& scheduling, std::string_view pool = "0-3",
                          const TreepoolLimits& limits = {}) {
  return read_r(fmt::format(R"({{"scheduling": {}, "version": 1, "execution": {{"R_lite":
                                [{{"rank": "{}", "children": {{"core": "0"}}}}]}}}})",
                            scheduling, pool),
                "R", {.layouts = limits});
}

RSet r_with_layouts(const std::string& scheduling, std::string_view pool = "0-3") {
  auto r = read_layouts(scheduling, pool);
  EXPECT_TRUE(r) << r.error().message();
  return r ? std::move(*r) : RSet{};
}

// The ranges of ranks with the number of their layout, "0-1:0 3:1".
std::string layouts_in_short(const RSet& r) {
  std::string out;
  for (const Layouts::Ranks& of : r.layouts.ranks) {
    out += fmt::format("{}{}-{}:{}", out.empty() ? "" : " ", of.first, of.last, of.layout);
  }
  return out;
}

std::string written_scheduling(const RSet& r, std::string_view allocated) {
  std::string out;
  JsonWriter json(out);
  const Idset ranks = *Idset::parse(allocated);
  write_scheduling(json, r.scheduling, &ranks);
  return out;
}

TEST(Treepool, IsOfTreePoolOnly) {
  const auto of_treepool = [](const std::string& scheduling) {
    return r_with_layouts(scheduling).scheduling.treepool;
  };
  EXPECT_FALSE(of_treepool(R"({"writer": "fluxion:jgf", "children": 3})"));
  EXPECT_FALSE(of_treepool(R"({"graph": {"nodes": []}})"));
  EXPECT_FALSE(of_treepool("null"));
  EXPECT_TRUE(of_treepool(R"({"writer": "TreePool"})"));
  // RFC 20: the scheme of a URI names who wrote.
  EXPECT_TRUE(of_treepool(R"({"writer": "TreePool:v1"})"));
  EXPECT_FALSE(of_treepool(R"({"writer": "TreePools"})"));
  // What is behind `children` counts as well.
  EXPECT_TRUE(of_treepool(R"({"children": [], "writer": "TreePool"})"));
}

TEST(Treepool, DomainsInPreorder) {
  const RSet r = r_with_layouts(with_children(R"({"ranks": "0-3", "topo": {
      "storage": [{"path": "/l", "capacity": 1.5}], "gpus": "8",
      "socket": [{"numa": [{"cores": "0-1,4", "memory": 32}, {"memory": 7}]}, {"cores": "5"}],
      "apu": [{"gpus": "0-1"}]}})"));
  ASSERT_EQ(r.layouts.layouts.size(), 1u);
  const Layout& layout = r.layouts.layouts[0];
  std::string shown;
  for (const Domain& d : layout.domains) {
    shown += fmt::format("{}<{} c{} g{} m{};", d.name, d.parent, d.cores.size(), d.gpus.size(),
                         d.memory_gib);
  }
  EXPECT_EQ(shown,
            "<0 c0 g1 m0;socket<0 c0 g0 m0;numa<1 c2 g0 m32;numa<1 c0 g0 m7;socket<0 c1 g0 m0;"
            "apu<0 c0 g1 m0;");
  ASSERT_EQ(layout.storage.size(), 1u);
  EXPECT_EQ(layout.storage[0].unit, "GiB");
  EXPECT_EQ(layout.storage[0].capacity, 1.5);
}

TEST(Treepool, EqualLayoutsAreOne) {
  const std::string names = R"({"numa": [{"cores": "0-3", "gpus": "0", "memory": 64},
      {"cores": "4-7"}]})";
  const RSet r = r_with_layouts(
      with_children(fmt::format(R"({{"ranks": "0", "topo": {0}}}, {{"ranks": "1", "topo": {1}}},
                     {{"ranks": "2-3", "topo": {0}}})",
                                kSockets, names)));
  EXPECT_EQ(layouts_in_short(r), "0-0:0 1-1:1 2-3:0");
}

// Excluded nodes, and nodes without a layout: ranks mean themselves.
TEST(Treepool, RanksAreIntersected) {
  const std::string text =
      with_children(fmt::format(R"({{"ranks": "0-3", "topo": {}}})", kSockets));
  EXPECT_EQ(layouts_in_short(r_with_layouts(text, "1-3")), "1-3:0");
  EXPECT_EQ(layouts_in_short(r_with_layouts(text, "2,8")), "2-2:0");
  EXPECT_EQ(layouts_in_short(r_with_layouts(text, "0-9")), "0-3:0");
}

// As many as there are: R was renumbered, and its scheduling key was not.
TEST(Treepool, RanksAreMappedInOrder) {
  const std::string text = with_children(fmt::format(
      R"({{"ranks": "12,20-21", "topo": {}}}, {{"ranks": "11", "topo": {{}}}})", kSockets));
  const RSet r = r_with_layouts(text, "0-3");
  EXPECT_EQ(layouts_in_short(r), "0-0:1 1-3:0");
  EXPECT_EQ(r.scheduling.children[0].ranks.text(), "1-3");
  EXPECT_EQ(layouts_in_short(r_with_layouts(text, "2,4-6")), "2-2:1 4-6:0");
  auto none = read_layouts(text, "0-2");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message(),
            "R:1:51: children names 4 ranks, none of them among the 3 of R_lite, and so many "
            "others cannot be those renumbered");
}

TEST(Treepool, AllocatedKeysAreTrimmed) {
  const RSet r = r_with_layouts(fmt::format(
      R"({{"writer": "TreePool", "site": {{"a": [1, "}}"]}}, "children": [
          {{"ranks": "0-1", "topo": {0}, "note": "x, y" }}, {{"topo": {0} , "ranks": "2-3"}}]}})",
      kSockets));
  EXPECT_EQ(written_scheduling(r, "1,3"),
            fmt::format(R"({{"writer": "TreePool", "site": {{"a": [1, "}}"]}}, "children": [)"
                        R"({{"ranks": "1", "topo": {0}, "note": "x, y"}}, )"
                        R"({{"ranks": "3", "topo": {0}}}]}})",
                        kSockets));
  EXPECT_EQ(written_scheduling(r, "2"),
            fmt::format(R"({{"writer": "TreePool", "site": {{"a": [1, "}}"]}}, "children": [)"
                        R"({{"ranks": "2", "topo": {0}}}]}})",
                        kSockets));
  // What was written is read again.
  const RSet again = r_with_layouts(written_scheduling(r, "1,3"), "1,3");
  EXPECT_EQ(layouts_in_short(again), "1-1:0 3-3:0");
}

struct Refused {
  const char* children;
  const char* message;  // behind "R:line:"
};

TEST(Treepool, EveryRuleHasItsSentence) {
  const Refused cases[] = {
      {R"(3)", "an entry of scheduling.children must be an object"},
      {R"({"topo": {}})", "an entry of scheduling.children has no key \"ranks\""},
      {R"({"ranks": "0"})", "an entry of scheduling.children has no key \"topo\""},
      {R"({"ranks": "0", "ranks": "1", "topo": {}})",
       "an entry of scheduling.children has the key \"ranks\" twice"},
      {R"({"ranks": 0, "topo": {}})", "ranks must be a string"},
      {R"({"ranks": "1-0", "topo": {}})", "ranks: "},
      {R"({"ranks": "", "topo": {}})", "ranks names no rank"},
      {R"({"ranks": "0-1", "topo": {}}, {"ranks": "1", "topo": {}})",
       "rank 1 is in two entries of scheduling.children"},
      {R"({"ranks": "0", "topo": []})", "topo must be an object"},
      {R"({"ranks": "0", "topo": {"cores": 1}})", "cores of topo must be a string"},
      {R"({"ranks": "0", "topo": {"numa": [{"gpus": "0,0"}]}})", "gpus of a domain \"numa\": "},
      {R"({"ranks": "0", "topo": {"memory": 1.5}})",
       "topo's memory must be a whole number from 0 to 1099511627776"},
      {R"({"ranks": "0", "topo": {"memory": -1}})",
       "topo's memory must be a whole number from 0 to 1099511627776"},
      {R"({"ranks": "0", "topo": {"numa": {"cores": "0"}}})",
       "the domains of locality \"numa\" must be an array"},
      {R"({"ranks": "0", "topo": {"numa": ["0"]}})", "a domain \"numa\" must be an object"},
      {R"({"ranks": "0", "topo": {"numa": [], "numa": []}})", "topo has the key \"numa\" twice"},
      {R"({"ranks": "0", "topo": {"core": []}})", "a locality cannot be named \"core\""},
      {R"({"ranks": "0", "topo": {"": []}})", "a locality is named \"\"; it needs a name"},
      {R"({"ranks": "0", "topo": {"a b": []}})", "a locality is named \"a b\"; it needs a name"},
      {R"({"ranks": "0", "topo": {"storage": {}}})", "storage must be an array"},
      {R"({"ranks": "0", "topo": {"storage": [1]}})", "an entry of storage must be an object"},
      {R"({"ranks": "0", "topo": {"storage": [{"capacity": 1}]}})",
       "an entry of storage has no key \"path\""},
      {R"({"ranks": "0", "topo": {"storage": [{"path": "/l"}]}})",
       "an entry of storage has no key \"capacity\""},
      {R"({"ranks": "0", "topo": {"storage": [{"path": 1, "capacity": 1}]}})",
       "path of storage must be a string"},
      {R"({"ranks": "0", "topo": {"storage": [{"path": "/l", "capacity": "1"}]}})",
       "capacity of storage must be a number"},
      {R"({"ranks": "0", "topo": {"storage": [{"path": "/l", "capacity": -1}]}})",
       "capacity of storage must be 0 or more"},
      {R"({"ranks": "0", "topo": {"storage": [{"path": "/l", "capacity": 1, "unit": 2}]}})",
       "unit of storage must be a string"},
  };
  for (const Refused& c : cases) {
    const auto r = read_layouts(with_children(c.children));
    ASSERT_FALSE(r) << c.children;
    EXPECT_EQ(r.error().code, ErrorCode::invalid) << c.children;
    EXPECT_EQ(r.error().text.substr(0, std::string(c.message).size()), c.message) << c.children;
    EXPECT_GT(r.error().place.column, 0u) << c.children;
  }
  auto twice = read_layouts(R"({"writer": "TreePool", "writer": "TreePool"})");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message(), "R:1:39: scheduling has the key \"writer\" twice");
  EXPECT_FALSE(read_layouts(R"({"writer": "TreePool", "children": {}})"));
}

// simdjson takes a string that nobody reads, and a colon behind it, for a key.
TEST(Treepool, AStringIsNoKeyOfAnotherValue) {
  EXPECT_FALSE(read_layouts(R"({"writer": "TreePool", "site": {"a": "b": {c}}})"));
  EXPECT_FALSE(read_layouts(with_children(R"({"ranks": "0": {c}, "topo": {}})")));
  EXPECT_FALSE(read_layouts(with_children(R"({"ranks": "0", "topo": {"cores": "0": {c}}})")));
}

TEST(Treepool, BoundsAreTold) {
  auto limited = [](const std::string& topo, const TreepoolLimits& limits) {
    const auto r = read_layouts(with_children(fmt::format(R"({{"ranks": "0", "topo": {}}})", topo)),
                                "0", limits);
    return r ? std::string("read") : std::string(word(r.error().code)) + ": " + r.error().text;
  };
  const std::string deep = R"({"a": [{"a": [{"a": [{}]}]}]})";
  EXPECT_EQ(limited(deep, {.depth_max = 3}), "read");
  EXPECT_EQ(limited(deep, {.depth_max = 2}), "limit: more than 2 levels of domains");
  EXPECT_EQ(limited(deep, {.domains_max = 3}), "limit: a topo has more than 3 domains");
  EXPECT_EQ(limited(deep, {.all_domains_max = 3}), "limit: all topos have more than 3 domains");
}

}  // namespace
}  // namespace copse
