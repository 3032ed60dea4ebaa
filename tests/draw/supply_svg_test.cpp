// SPDX-License-Identifier: Apache-2.0
//
// Pictures of layers: what is in them, at 7 layers and at 11,000.
#include "draw/supply_svg.hpp"

#include <gtest/gtest.h>

#include <pugixml.hpp>

#include <map>
#include <string>
#include <vector>

#include "formats/hres/supply_table.hpp"

namespace copse::draw {
namespace {

struct Seen {
  std::map<std::string, std::size_t> boxes;  // rectangles by class
  std::map<std::string, double> ground;      // by class: the largest y + height
  std::vector<std::string> words, titles;
  [[nodiscard]] bool says(const std::string& text) const {
    for (const std::string& word : words) {
      if (word == text) return true;
    }
    return false;
  }
};

// Everything must lie within the picture; two levels at most.
void look(const pugi::xml_node& at, double width, double height, Seen& seen) {
  for (const pugi::xml_node& child : at.children()) {
    const std::string name = child.name();
    if (name == "g") look(child, width, height, seen);
    if (name == "title") seen.titles.emplace_back(child.child_value());
    if (name == "text") seen.words.emplace_back(child.child_value());
    if (name != "rect") continue;
    const double x = child.attribute("x").as_double(), y = child.attribute("y").as_double();
    const double w = child.attribute("width").as_double(),
                 h = child.attribute("height").as_double();
    EXPECT_GE(x, 0);
    EXPECT_GE(y, 0);
    EXPECT_GT(w, 0);
    EXPECT_GT(h, 0);
    EXPECT_LE(x + w, width + 0.2);
    EXPECT_LE(y + h, height + 0.2);
    ++seen.boxes[child.attribute("class").value()];
  }
}

Seen drawn(const std::vector<LayerView>& layers, std::size_t* bytes = nullptr) {
  std::string svg, again;
  EXPECT_TRUE(write_supply_svg({.layers = layers, .first = 0, .at = 0}, svg));
  EXPECT_TRUE(write_supply_svg({.layers = layers, .first = 0, .at = 0}, again));
  EXPECT_EQ(svg, again);
  if (bytes != nullptr) *bytes = svg.size();
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(svg.c_str()));
  Seen seen;
  const pugi::xml_node root = document.child("svg");
  look(root, root.attribute("width").as_double(), root.attribute("height").as_double(), seen);
  return seen;
}

// A root over `leaves` leaves of 2 nodes.
std::vector<LayerView> tree(std::int32_t leaves) {
  std::vector<LayerView> out;
  for (std::int32_t i = 0; i < leaves; ++i) {
    out.push_back({.resource = "power",
                   .nodes = "n[" + std::to_string(2 * i) + "-" + std::to_string(2 * i + 1) + "]",
                   .mode = 3,
                   .node_count = 2,
                   .total = 100,
                   .parent = leaves});
  }
  out.push_back({.resource = "power",
                 .nodes = "n[0-" + std::to_string(2 * leaves - 1) + "]",
                 .mode = 3,
                 .node_count = static_cast<std::uint32_t>(2 * leaves),
                 .total = 1000,
                 .base = 200,
                 .level = 1});
  return out;
}

TEST(SupplySvg, ShowsWhatEachLayerHas) {
  auto layers = tree(2);
  layers[0].used = 60;
  layers[2].used = 120;
  layers[2].held = layers[2].reserved = 300;
  const Seen seen = drawn(layers);
  EXPECT_TRUE(seen.says("n[0-1]"));
  EXPECT_TRUE(seen.says("60 of 100"));
  EXPECT_TRUE(seen.says("120 of 1,000"));
  // Three layers and the sample: two of them use some, one keeps some, and has a base.
  EXPECT_EQ(seen.boxes.at("f"), 4U);
  EXPECT_EQ(seen.boxes.at("u"), 3U);
  EXPECT_EQ(seen.boxes.at("r"), 2U);
  EXPECT_EQ(seen.boxes.at("a"), 2U);
  EXPECT_EQ(seen.boxes.count("o"), 0U);
  EXPECT_EQ(seen.titles.at(0), "n[0-3]: 1,000 in all, 580 free, 120 used, 300 reserved, base 200");
}

TEST(SupplySvg, ShowsThatMoreIsUsedThanThereIs) {
  auto layers = tree(2);
  layers[1].used = 130;
  EXPECT_EQ(drawn(layers).boxes.at("o"), 2U);
}

TEST(SupplySvg, ShowsLayersWithoutABoundAndWithNothing) {
  auto layers = tree(2);
  layers[0].total = kUnlimitedCount;
  layers[0].used = 5;
  layers[1].total = 0;
  const Seen seen = drawn(layers);
  EXPECT_EQ(seen.boxes.at("n"), 3U);
  EXPECT_TRUE(seen.says("5 used"));
}

TEST(SupplySvg, StaysSmallWhateverTheLayers) {
  auto layers = tree(10'000);
  for (std::size_t i = 0; i < 10'000; i += 7) layers[i].used = 90;
  std::size_t bytes = 0;
  const Seen seen = drawn(layers, &bytes);
  EXPECT_LE(seen.boxes.at("f"), 700U);
  EXPECT_GE(seen.boxes.at("f"), 300U);
  EXPECT_GT(seen.boxes.at("m"), 300U);  // the fullest of each column
  EXPECT_LT(bytes, 1'000'000U);
}

TEST(SupplySvg, PutsLayersOfEquallyManyNodesInARow) {
  std::vector<LayerView> layers(70);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i] = {
        .resource = "<a>", .nodes = "n&1", .node_count = 1 + static_cast<std::uint32_t>(i)};
    layers[i].total = 10;
  }
  EXPECT_EQ(drawn(layers).boxes.at("f"), kSupplyRowsMax + 1);
}

TEST(SupplySvg, RefusesNothing) {
  std::string svg;
  EXPECT_FALSE(write_supply_svg({}, svg));
  EXPECT_EQ(svg, "");
}

TEST(SupplyTable, AlignsWhatItShows) {
  std::vector<LayerView> layers{
      {.resource = "flat", .nodes = "n[0-1]", .mode = 2, .total = 24, .used = 30, .held = 1},
      {.resource = "power", .nodes = "n0", .mode = 3, .total = kUnlimitedCount, .base = 5000},
      {.resource = "x", .nodes = "n1", .total = 9, .used = 2, .reserved = 4, .held = 3}};
  std::string table, json;
  append_supply_table(table, layers);
  EXPECT_EQ(table,
            "RESOURCE  MODE  NODES   TOTAL  USED  RESERVED  FREE  BASE\n"
            "flat         2  n[0-1]     24    30         0     0     0\n"
            "power        3  n0          -     0         0     -  5000\n"
            "x            1  n1          9     2         4     4     0\n");
  append_supply_json(json, std::span(layers).subspan(1, 1));
  EXPECT_EQ(json,
            "{\"resource\": \"power\", \"nodes\": \"n0\", \"mode\": 3, \"total\": -1, \"used\": 0, "
            "\"reserved\": 0, \"free\": -1, \"base\": 5000, \"level\": 0}\n");
}

}  // namespace
}  // namespace copse::draw
