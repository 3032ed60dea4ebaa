// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/treepool.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace copse {
namespace {

constexpr const char* kTopo =
    R"({"socket": [{"cores": "0-3", "gpus": "0", "memory": 64}, {"cores": "4-7"}]})";

std::string r_with(const std::string& scheduling) {
  return fmt::format(R"({{"version": 1, "execution": {{"R_lite": []}}, "scheduling": {}}})",
                     scheduling);
}

std::string with_children(const std::string& children) {
  return r_with(fmt::format(R"({{"writer": "TreePool", "children": [{}]}})", children));
}

Idset ranks(std::string_view text) { return *Idset::parse(text); }

Result<std::optional<TreepoolKey>> read(const std::string& text, std::string_view pool = "0-3") {
  return read_treepool(text, ranks(pool), "R");
}

TreepoolKey key_of(const std::string& text, std::string_view pool = "0-3") {
  auto key = read(text, pool);
  EXPECT_TRUE(key) << key.error().message();
  if (!key || !*key) return {};
  return std::move(**key);
}

// The ranges of ranks with the number of their layout, "0-1:0 3:1".
std::string layouts_of(const TreepoolKey& key) {
  std::string out;
  for (const Layouts::Ranks& r : key.layouts.ranks) {
    out += fmt::format("{}{}-{}:{}", out.empty() ? "" : " ", r.first, r.last, r.layout);
  }
  return out;
}

std::string written(const TreepoolKey& key, const std::vector<std::int64_t>& allocated) {
  std::string out;
  append_treepool(out, key, allocated);
  return out;
}

TEST(TreepoolKey, IsOfTreePoolOnly) {
  EXPECT_FALSE(*read(R"({"version": 1, "execution": {}})"));
  EXPECT_FALSE(*read(r_with(R"({"writer": "fluxion:jgf", "children": 3})")));
  EXPECT_FALSE(*read(r_with(R"({"graph": {"nodes": []}})")));
  EXPECT_FALSE(*read(r_with("null")));
  EXPECT_TRUE(*read(r_with(R"({"writer": "TreePool"})")));
  // What is behind `children` counts as well.
  EXPECT_TRUE(*read(r_with(R"({"children": [], "writer": "TreePool"})")));
}

TEST(TreepoolKey, DomainsInPreorder) {
  const TreepoolKey key = key_of(with_children(R"({"ranks": "0-3", "topo": {
      "storage": [{"path": "/l", "capacity": 1.5}], "gpus": "8",
      "socket": [{"numa": [{"cores": "0-1,4", "memory": 32}, {"memory": 7}]}, {"cores": "5"}],
      "apu": [{"gpus": "0-1"}]}})"));
  ASSERT_EQ(key.layouts.layouts.size(), 1u);
  const Layout& layout = key.layouts.layouts[0];
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

TEST(TreepoolKey, EqualLayoutsAreOne) {
  const std::string names = R"({"numa": [{"cores": "0-3", "gpus": "0", "memory": 64},
      {"cores": "4-7"}]})";
  const TreepoolKey key = key_of(
      with_children(fmt::format(R"({{"ranks": "0", "topo": {0}}}, {{"ranks": "1", "topo": {1}}},
                     {{"ranks": "2-3", "topo": {0}}})",
                                kTopo, names)));
  EXPECT_EQ(layouts_of(key), "0-0:0 1-1:1 2-3:0");
}

// Excluded nodes, and nodes without a layout: ranks mean themselves.
TEST(TreepoolKey, RanksAreIntersected) {
  const std::string text = with_children(fmt::format(R"({{"ranks": "0-3", "topo": {}}})", kTopo));
  EXPECT_EQ(layouts_of(key_of(text, "1-3")), "1-3:0");
  EXPECT_EQ(layouts_of(key_of(text, "2,8")), "2-2:0");
  EXPECT_EQ(layouts_of(key_of(text, "0-9")), "0-3:0");
}

// As many as there are: R was renumbered, and its scheduling key was not.
TEST(TreepoolKey, RanksAreMappedInOrder) {
  const std::string text = with_children(fmt::format(
      R"({{"ranks": "12,20-21", "topo": {}}}, {{"ranks": "11", "topo": {{}}}})", kTopo));
  const TreepoolKey key = key_of(text, "0-3");
  EXPECT_EQ(layouts_of(key), "0-0:1 1-1:0 2-3:0");
  EXPECT_EQ(key.children[0].ranks.text(), "1-3");
  EXPECT_EQ(layouts_of(key_of(text, "2,4-6")), "2-2:1 4-4:0 5-6:0");
  auto none = read(text, "0-2");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message(),
            "R:1:94: children names 4 ranks, none of them among the 3 of R_lite, and so many "
            "others cannot be those renumbered");
}

TEST(TreepoolKey, AllocatedKeysAreTrimmed) {
  const TreepoolKey key = key_of(r_with(fmt::format(
      R"({{"writer": "TreePool", "site": {{"a": [1, "}}"]}}, "children": [
          {{"ranks": "0-1", "topo": {0}, "note": "x, y" }}, {{"topo": {0} , "ranks": "2-3"}}]}})",
      kTopo)));
  EXPECT_EQ(written(key, {1, 3}),
            fmt::format(R"({{"writer": "TreePool", "site": {{"a": [1, "}}"]}}, "children": [)"
                        R"({{"ranks": "1", "topo": {0}, "note": "x, y"}}, )"
                        R"({{"ranks": "3", "topo": {0}}}]}})",
                        kTopo));
  EXPECT_EQ(written(key, {2}),
            fmt::format(R"({{"writer": "TreePool", "site": {{"a": [1, "}}"]}}, "children": [)"
                        R"({{"ranks": "2", "topo": {0}}}]}})",
                        kTopo));
  // What was written is read again.
  const TreepoolKey again = key_of(r_with(written(key, {1, 3})), "1,3");
  EXPECT_EQ(layouts_of(again), "1-1:0 3-3:0");
}

struct Refused {
  const char* children;
  const char* message;  // behind "R:line:"
};

TEST(TreepoolKey, EveryRuleHasItsSentence) {
  const Refused cases[] = {
      {R"(3)", "an entry of children must be an object"},
      {R"({"topo": {}})", "an entry of children has no key \"ranks\""},
      {R"({"ranks": "0"})", "an entry of children has no key \"topo\""},
      {R"({"ranks": "0", "ranks": "1", "topo": {}})",
       "an entry of children has the key \"ranks\" twice"},
      {R"({"ranks": 0, "topo": {}})", "ranks of an entry of children must be a string"},
      {R"({"ranks": "1-0", "topo": {}})", "ranks of an entry of children: "},
      {R"({"ranks": "", "topo": {}})", "an entry of children names no rank"},
      {R"({"ranks": "0-1", "topo": {}}, {"ranks": "1", "topo": {}})",
       "rank 1 is in two entries of children"},
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
    auto key = read(with_children(c.children));
    ASSERT_FALSE(key) << c.children;
    EXPECT_EQ(key.error().code, ErrorCode::invalid) << c.children;
    EXPECT_EQ(key.error().text.substr(0, std::string(c.message).size()), c.message) << c.children;
    EXPECT_GT(key.error().place.column, 0u) << c.children;
  }
  auto twice = read(r_with(R"({"writer": "TreePool", "writer": "TreePool"})"));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message(), "R:1:82: scheduling has the key \"writer\" twice");
  EXPECT_FALSE(read(r_with(R"({"writer": "TreePool", "children": {}})")));
}

// simdjson takes a string that nobody reads, and a colon behind it, for a key.
TEST(TreepoolKey, AStringIsNoKeyOfAnotherValue) {
  EXPECT_FALSE(read(r_with(R"({"writer": "TreePool", "site": {"a": "b": {c}}})")));
  EXPECT_FALSE(read(with_children(R"({"ranks": "0": {c}, "topo": {}})")));
  EXPECT_FALSE(read(with_children(R"({"ranks": "0", "topo": {"cores": "0": {c}}})")));
}

TEST(TreepoolKey, BoundsAreTold) {
  auto limited = [](const std::string& topo, const TreepoolLimits& limits) {
    auto key = read_treepool(with_children(fmt::format(R"({{"ranks": "0", "topo": {}}})", topo)),
                             ranks("0"), "R", limits);
    return key ? std::string("read")
               : std::string(word(key.error().code)) + ": " + key.error().text;
  };
  const std::string deep = R"({"a": [{"a": [{"a": [{}]}]}]})";
  EXPECT_EQ(limited(deep, {.depth_max = 3}), "read");
  EXPECT_EQ(limited(deep, {.depth_max = 2}), "limit: more than 2 levels of domains");
  EXPECT_EQ(limited(deep, {.domains_max = 3}), "limit: a topo has more than 3 domains");
  EXPECT_EQ(limited(deep, {.all_domains_max = 3}), "limit: all topos have more than 3 domains");
}

}  // namespace
}  // namespace copse
