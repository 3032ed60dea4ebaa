// SPDX-License-Identifier: Apache-2.0
#include "draw/machine_svg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "draw/svg_text.hpp"
#include "engine/jobs.hpp"

namespace copse::draw {
namespace {

// The contents of a picture, as an XML parser reads it.
struct Picture {
  std::string text;
  std::map<std::string, std::size_t> cells;  // rectangles by class, those of paths counted singly
  std::size_t shapes = 0;
  std::vector<std::string> words;   // <text>
  std::vector<std::string> titles;  // <title>
  double width = 0, height = 0;

  [[nodiscard]] bool says(const std::string& part) const {
    return std::ranges::any_of(words, [&](const auto& w) { return w.contains(part); });
  }
  [[nodiscard]] bool hints(const std::string& part) const {
    return std::ranges::any_of(titles, [&](const auto& t) { return t.contains(part); });
  }
};

void read(const pugi::xml_node& node, Picture& out) {  // three levels at most
  for (const pugi::xml_node& child : node.children()) {
    const std::string name = child.name(), css = child.attribute("class").value();
    if (name == "g") read(child, out);
    if (name == "rect") {
      ++out.cells[css];
      ++out.shapes;
      const double right = child.attribute("x").as_double() + child.attribute("width").as_double();
      const double foot = child.attribute("y").as_double() + child.attribute("height").as_double();
      EXPECT_LE(right, out.width + 0.2);
      EXPECT_LE(foot, out.height + 0.2);
      EXPECT_GE(child.attribute("width").as_double(), 0);
      EXPECT_GE(child.attribute("height").as_double(), 0);
    } else if (name == "path") {
      const std::string d = child.attribute("d").value();
      const auto count = static_cast<std::size_t>(std::ranges::count(d, 'M'));
      out.cells[css] += count;
      out.shapes += count;
    } else if (name == "text") {
      out.words.emplace_back(child.child_value());
      const double font = child.attribute("font-size").as_double();
      EXPECT_LE(
          child.attribute("x").as_double() + svg::text_width(child.child_value(), font) * 0.98,
          out.width)
          << child.child_value();
    }
    if (const auto title = child.child("title")) out.titles.emplace_back(title.child_value());
  }
}

Picture parsed(std::string text) {
  Picture out;
  out.text = std::move(text);
  pugi::xml_document document;
  const auto result = document.load_string(out.text.c_str(), pugi::parse_full);
  EXPECT_TRUE(result) << result.description() << " at " << result.offset;
  const auto root = document.document_element();
  EXPECT_STREQ(root.name(), "svg");
  out.width = root.attribute("width").as_double();
  out.height = root.attribute("height").as_double();
  read(root, out);
  EXPECT_LE(out.shapes, kMachineShapesMax);
  return out;
}

Picture draw(const MachinePicture& picture) {
  std::string text;
  const auto written = write_machine_svg(picture, text);
  EXPECT_TRUE(written) << (written ? "" : written.error().message());
  return parsed(std::move(text));
}
Picture draw(const ResourceGraph& graph) { return draw(MachinePicture{.graph = graph}); }
Picture draw(const Engine& e) { return draw(MachinePicture{.graph = e.graph(), .engine = &e}); }

// racks > nodes > cores; 0 racks: the nodes are below the root.
ResourceGraph racks(int rack_count, int node_count, int core_count) {
  GraphText t;
  const auto root = t.pool({"cluster", 0});
  t.root("containment", root);
  int number = 0;
  for (int r = 0; r < std::max(rack_count, 1); ++r) {
    const auto rack = rack_count == 0 ? root : t.child(root, {"rack", r});
    for (int n = 0; n < node_count; ++n) {
      const auto node = t.child(rack, {.type = "node", .id = number++});
      for (int c = 0; c < core_count; ++c) t.child(node, {"core", c});
    }
  }
  return t.build();
}

TEST(MachineSvg, IdleMachineShowsEveryCore) {
  Picture p = draw(machine());
  // 4 nodes of 2 sockets of 4 cores, a gpu and a bar of memory; the sample in the legend.
  EXPECT_EQ(p.cells["f"], 4U * 2 * (4 + 1 + 1) + 1);
  EXPECT_EQ(p.cells["c"], 4U);
  EXPECT_EQ(p.cells["i"], 8U);
  EXPECT_EQ(p.cells["k"], 2U);
  EXPECT_EQ(p.cells["w"], 1U);  // the background
  EXPECT_TRUE(p.says("cluster0"));
  EXPECT_TRUE(p.says("core 0 of 32"));
  EXPECT_TRUE(p.says("memory 0 of 64 GB"));
  EXPECT_TRUE(p.says("idle"));
  EXPECT_TRUE(p.hints("/cluster0/rack1/node3"));
}

TEST(MachineSvg, JobsHaveColours) {
  auto e = engine();
  ASSERT_TRUE(allocate(*e, nodes(1), 7));
  ASSERT_TRUE(allocate(*e, cores(3), 8));
  Picture p = draw(*e);
  EXPECT_EQ(p.cells["j0"], 2U * (4 + 1 + 1) + 1);  // all of a node, and the sample
  EXPECT_EQ(p.cells["o0"], 1U);                    // the node's frame
  EXPECT_EQ(p.cells["j1"], 3U + 1);
  EXPECT_EQ(p.cells["c"], 3U);
  EXPECT_TRUE(p.says("job 7"));
  EXPECT_TRUE(p.says("node 2 of 4 in use"));
  EXPECT_TRUE(p.says("core 11 of 32"));
  EXPECT_TRUE(p.says("2 jobs run"));
  EXPECT_TRUE(p.hints("used by job 8"));
}

TEST(MachineSvg, ManyJobsShareOneColour) {
  auto e = engine();
  for (JobId job = 1; job <= 13; ++job) ASSERT_TRUE(allocate(*e, cores(1), job));
  Picture p = draw(*e);
  EXPECT_EQ(p.cells["u"], 13U + 1);
  EXPECT_EQ(p.cells["j0"], 0U);
  EXPECT_FALSE(p.says("job 13"));
  EXPECT_TRUE(p.hints("used by job 13"));
}

TEST(MachineSvg, ReservedIsWhatIsFreeNowAndHeldLater) {
  auto e = engine();
  ASSERT_TRUE(allocate(*e, nodes(3), 1));
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve, nodes(4), 2));
  ASSERT_GT(e->grant(2)->start, 0);
  Picture p = draw(*e);
  EXPECT_EQ(p.cells["r"], 2U * (4 + 1 + 1) + 1);
  EXPECT_EQ(p.cells["f"], 2U * 1 + 6 + 1);  // below bars a free part is drawn
  EXPECT_TRUE(p.says("1 job is reserved"));
  EXPECT_TRUE(p.hints("reserved for job 2 from 100"));
}

TEST(MachineSvg, WhatKeepsPoolsFromUse) {
  auto e = engine();
  const ResourceGraph& g = e->graph();
  e->set_status(at(g, "/cluster0/rack0/node0"), Status::down);
  e->set_status(at(g, "/cluster0/rack0/node1/socket0/core2"), Status::failing);
  const std::vector<PoolId> drained{at(g, "/cluster0/rack1/node2")};
  const std::vector<PoolId> excluded{at(g, "/cluster0/rack1/node3/socket1")};
  Picture p = draw({.graph = g, .engine = e.get(), .drained = drained, .excluded = excluded});
  EXPECT_EQ(p.cells["d"], 1U + 1 + 1);  // a node, a core, and the sample
  EXPECT_EQ(p.cells["n"], 1U + 1);
  EXPECT_EQ(p.cells["x"], 1U + 1);
  EXPECT_TRUE(p.says("node 1 down"));
  EXPECT_TRUE(p.says("node 1 drained"));
  EXPECT_TRUE(p.hints("failing"));
  EXPECT_FALSE(p.says("node 1 excluded"));  // a part of it is
}

TEST(MachineSvg, HostileNames) {
  const std::string odd = "a\"b\\c<d>&e'\n\t\r\x01\x7F\xFFz\u00E9]]>--%{}";
  const std::string longest(1000, 'W');
  GraphText t;
  const auto root = t.pool({.type = odd, .id = 0, .basename = longest});
  const auto rack = t.child(root, {.type = longest, .id = 1, .basename = longest});
  for (int n = 0; n < 3; ++n) {
    const auto node = t.child(rack, {.type = "node", .id = n, .basename = n == 0 ? odd : longest});
    t.child(node, {.type = odd, .id = 1});
    t.child(node, {.type = longest, .id = 1, .size = 512, .unit = odd});
  }
  t.child(rack, {.type = longest + "x", .size = INT64_C(1) << 40, .unit = longest});
  const Picture p = draw(t.build());
  for (const auto& word : p.words) EXPECT_LT(word.size(), 200U);
  for (const auto& title : p.titles) EXPECT_LT(title.size(), 600U);
  EXPECT_TRUE(p.says("…"));
  EXPECT_TRUE(p.says("a\"b\\c<d>&e'"));
}

TEST(MachineSvg, OddMachines) {
  GraphText one;
  one.root("containment", one.pool({"cluster", 0}));
  EXPECT_EQ(draw(one.build()).cells["c"], 1U);

  GraphText leaves;  // no node at all
  const auto root = leaves.pool({"board", 0});
  for (int c = 0; c < 6; ++c) leaves.child(root, {"core", c});
  Picture p = draw(leaves.build());
  EXPECT_EQ(p.cells["f"], 6U + 1);

  GraphText mixed;  // nodes at three depths, a rack of storage only, an interior pool without nodes
  const auto top = mixed.pool({"cluster", 0});
  mixed.child(mixed.child(top, {"node", 0}), {"core", 0});
  const auto rack = mixed.child(top, {"rack", 0});
  mixed.child(mixed.child(mixed.child(rack, {"chassis", 0}), {"node", 1}), {"core", 0});
  mixed.child(rack, {"node", 2});
  mixed.child(mixed.child(mixed.child(top, {"rack", 1}), {"shelf", 0}), {"ssd", 0, 100, "GB"});
  mixed.child(top, {"licence", 0, 5});
  p = draw(mixed.build());
  EXPECT_EQ(p.cells["k"], 2U);  // rack0 and its chassis; rack1 has no node: it is a unit
  EXPECT_EQ(p.cells["c"], 4U);
}

TEST(MachineSvg, DeepTreesAreCutWithoutRecursion) {
  GraphText t;
  auto p = t.pool({"cluster", 0});
  for (int depth = 0; depth < 900; ++depth) p = t.child(p, {"level", 0});
  t.child(t.child(p, {"node", 0}), {"core", 0});
  const Picture picture = draw(t.build());
  EXPECT_LE(picture.shapes, 20U);
  EXPECT_TRUE(picture.says("too many"));

  GraphText inside;
  p = inside.child(inside.pool({"cluster", 0}), {"node", 0});
  for (int depth = 0; depth < 900; ++depth) p = inside.child(p, {"level", 0});
  inside.child(p, {"core", 0});
  EXPECT_LE(draw(inside.build()).shapes, 20U);
}

TEST(MachineSvg, DetailFollowsSize) {
  Picture flat = draw(racks(0, 1000, 8));
  EXPECT_EQ(flat.cells["f"], 8000U + 1);
  EXPECT_EQ(flat.cells["c"], 1000U);

  Picture bars = draw(racks(0, 2000, 64));  // 128,000 cores are too many
  EXPECT_EQ(bars.cells["c"], 2000U);
  EXPECT_EQ(bars.cells["f"], 2000U + 1);
  EXPECT_TRUE(bars.says("a box is one node"));

  Picture cells = draw(racks(100, 100, 16));
  EXPECT_EQ(cells.cells["f"], 10'000U + 1);
  EXPECT_EQ(cells.cells["k"], 100U);
  EXPECT_TRUE(cells.says("a cell is one node"));

  Picture by_rack = draw(racks(1000, 128, 0));
  EXPECT_EQ(by_rack.cells["f"], 1000U + 1);
  EXPECT_TRUE(by_rack.says("a cell is one rack"));
  EXPECT_TRUE(by_rack.says("128,000"));

  Picture grouped = draw(racks(0, 120'000, 0));
  EXPECT_EQ(grouped.cells["f"], 10'000U + 1);
  EXPECT_TRUE(grouped.says("up to 12 neighbours"));

  Picture small_racks = draw(racks(6000, 2, 1));  // more racks than are drawn
  EXPECT_EQ(small_racks.cells["k"], 0U);
  EXPECT_TRUE(small_racks.says("too many"));
}

TEST(MachineSvg, CellsAreFilledAsFarAsTheyAreUsed) {
  auto e = engine(with_policy("low"), racks(100, 100, 16));
  ASSERT_TRUE(allocate(*e, cores(4), 1));
  ASSERT_TRUE(allocate(*e, cores(8), 2));
  ASSERT_TRUE(allocate(*e, nodes(100), 3));
  e->set_status(at(e->graph(), "/cluster0/rack99/node9999"), Status::down);
  Picture p = draw(*e);
  EXPECT_EQ(p.cells["j2"], 100U + 1);
  EXPECT_EQ(p.cells["f"], 10'000U - 100 + 1 + 1);  // also under the samples of free and down
  EXPECT_EQ(p.cells["d"], 1U + 1);
  EXPECT_TRUE(p.hints("used; job 3") || p.hints("used by job 3"));
  EXPECT_TRUE(p.hints("75% used; jobs 1, 2") || p.hints("25% used; job 1"));
}

TEST(MachineSvg, ShapesAreBoundedWhenAllIsInUse) {
  auto e = engine(with_policy("low"), racks(100, 120, 6));
  for (JobId job = 1; job <= 12; ++job) {  // on every node, cores of several jobs
    ASSERT_TRUE(allocate(*e, copse::job(res("node", "6000", slot("1", res("core", "1")))), job));
  }
  std::vector<PoolId> drained;
  for (int rack = 0; rack < 100; ++rack) {
    drained.push_back(at(e->graph(), "/cluster0/rack" + std::to_string(rack)));
  }
  const Picture p = draw({.graph = e->graph(), .engine = e.get(), .drained = drained});
  EXPECT_GT(p.shapes, 30'000U);
  EXPECT_LE(p.shapes, kMachineShapesMax);
}

TEST(MachineSvg, SameInputSameBytes) {
  const auto text = [] {
    auto e = engine();
    EXPECT_TRUE(allocate(*e, cores(3), 12));
    EXPECT_TRUE(allocate(*e, nodes(1), 3));
    EXPECT_EQ(e->jobs(), (std::vector<JobId>{3, 12}));
    std::string out;
    EXPECT_TRUE(write_machine_svg({.graph = e->graph(), .engine = e.get()}, out));
    return out;
  };
  EXPECT_EQ(text(), text());
}

TEST(MachineSvg, Refusals) {
  const ResourceGraph g = machine();
  std::string out;
  const std::vector<PoolId> none{PoolId{g.pool_count()}};
  EXPECT_EQ(error_of(write_machine_svg({.graph = g, .drained = none}, out)), "not_found");
  EXPECT_EQ(error_of(write_machine_svg({.graph = g, .excluded = none}, out)), "not_found");
  auto e = engine();
  EXPECT_EQ(error_of(write_machine_svg({.graph = g, .engine = e.get()}, out)), "not_found");
  EXPECT_TRUE(out.empty());
  const TextSink full = [](std::string_view) { return false; };
  EXPECT_EQ(error_of(write_machine_svg({.graph = g}, full)), "io");
}

TEST(SvgText, FitsAndShortens) {
  EXPECT_EQ(svg::fitted("node12", 10, 100), "node12");
  EXPECT_EQ(svg::fitted("node12", 10, 5), "");
  const std::string cut = svg::fitted("a long name of a rack", 10, 60);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_LE(svg::text_width(cut, 10), 60);
  EXPECT_EQ(svg::shortened("/cluster0/rack1/node2", 9), "/clu…ode2");
  EXPECT_EQ(svg::shortened("\u00E9\u00E9\u00E9", 3), "\u00E9\u00E9\u00E9");
  EXPECT_EQ(svg::grouped(-1234567), "-1,234,567");
  EXPECT_EQ(svg::grouped(999), "999");
  std::string number;
  svg::append_number(number, 12.04);
  svg::append_number(number, -0.25);
  EXPECT_EQ(number, "12-0.3");
}

}  // namespace
}  // namespace copse::draw
