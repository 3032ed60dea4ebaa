// SPDX-License-Identifier: Apache-2.0
#include "hres/node_classes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "property/random.hpp"

namespace copse {
namespace {

using Kind = NodeClasses::Fault::Kind;
using Sets = std::vector<std::vector<std::uint32_t>>;

struct Made {
  NodeClasses classes;
  NodeClasses::Fault fault;
  std::vector<std::uint32_t> parents;
  std::vector<int> levels;
};

// Layers are numbered from 10, to tell numbers from indices.
constexpr std::uint32_t kFirst = 10;

Made make(const Sets& sets, bool tree, std::uint32_t nodes = 8) {
  Made out;
  std::vector<LayerNodes> layers;
  for (std::uint32_t i = 0; i < sets.size(); ++i) layers.push_back({kFirst + i, sets[i]});
  out.classes.make(layers, nodes);
  if (tree) out.fault = out.classes.make_tree(layers, 16, out.parents, out.levels);
  return out;
}

std::vector<std::uint32_t> layers_over(const NodeClasses& classes, std::uint32_t node) {
  const auto layers = classes.layers(classes.of(node));
  return {layers.begin(), layers.end()};
}

using Numbers = std::vector<std::uint32_t>;

TEST(NodeClasses, NodesInTheSameLayersShareOne) {
  const auto made = make({{0, 1, 2, 3}, {2, 3, 4}}, false);
  const NodeClasses& c = made.classes;
  EXPECT_EQ(c.of(0), c.of(1));
  EXPECT_EQ(c.of(2), c.of(3));
  EXPECT_NE(c.of(0), c.of(2));
  EXPECT_NE(c.of(4), c.of(2));
  EXPECT_EQ(c.count(), 4u);  // plus the node that no layer has
  EXPECT_EQ(layers_over(c, 0), Numbers({10}));
  EXPECT_EQ(layers_over(c, 3), Numbers({10, 11}));
  EXPECT_EQ(layers_over(c, 4), Numbers({11}));
  EXPECT_EQ(c.of(5), 0u);
  EXPECT_EQ(c.of(5000), 0u);  // a node that was added later
  EXPECT_TRUE(c.layers(0).empty());
}

TEST(NodeClasses, LayersAreInTheOrderOfTheFileAndInATreeFromTheLeafUp) {
  const Sets sets{{0, 1, 2, 3}, {0, 1}, {2, 3}};
  EXPECT_EQ(layers_over(make(sets, false).classes, 1), Numbers({10, 11}));
  const auto tree = make(sets, true);
  EXPECT_EQ(tree.fault.kind, Kind::none);
  EXPECT_EQ(layers_over(tree.classes, 1), Numbers({11, 10}));
  EXPECT_EQ(tree.parents, Numbers({NodeClasses::kNone, 10, 10}));
  EXPECT_EQ(tree.levels, std::vector<int>({1, 0, 0}));
}

TEST(NodeClasses, MakingThemAgainForgetsTheTree) {
  Made made = make({{0, 1, 2}, {0}}, true);
  EXPECT_EQ(made.fault.kind, Kind::none);
  EXPECT_FALSE(made.classes.rooted(made.classes.of(1)));  // it is in an inner layer only
  EXPECT_TRUE(made.classes.rooted(made.classes.of(0)));
  EXPECT_FALSE(made.classes.rooted(0));
  const std::vector<std::uint32_t> nodes{1};
  made.classes.make(std::vector<LayerNodes>{{10, nodes}}, 8);
  EXPECT_TRUE(made.classes.rooted(made.classes.of(1)));
}

TEST(NodeClasses, FaultsOfTrees) {
  EXPECT_EQ(make({{0, 1}, {}}, true).fault.kind, Kind::empty);
  EXPECT_EQ(make({{0, 1}, {2}}, true).fault.kind, Kind::roots);
  EXPECT_EQ(make({{0, 1, 2}, {2, 3}, {0, 1, 2, 3}}, true).fault.kind, Kind::overlap);
  EXPECT_EQ(make({{0, 1}, {1, 2}}, true).fault.kind, Kind::overlap);  // equal sizes
  EXPECT_EQ(make({{0, 1, 2}, {2, 3}}, true).fault.kind, Kind::overlap);
  const auto fault = make({{0, 1, 2, 3}, {0, 1}, {1, 2}}, true).fault;
  EXPECT_EQ(fault.kind, Kind::overlap);
  EXPECT_EQ(std::set<std::uint32_t>({fault.layer, fault.other}), std::set<std::uint32_t>({11, 12}));
}

// Slurm finds leaves at different depths only for some orders of the file.
TEST(NodeClasses, LeavesAtDifferentDepthsAreFoundInEveryOrder) {
  Sets sets{{0, 1}, {2, 3}, {0, 1, 2, 3}, {4, 5}, {0, 1, 2, 3, 4, 5}};
  std::sort(sets.begin(), sets.end());
  do {
    EXPECT_EQ(make(sets, true).fault.kind, Kind::uneven);
  } while (std::next_permutation(sets.begin(), sets.end()));
}

TEST(NodeClasses, SixteenLevelsAreATreeAndSeventeenAreNot) {
  Sets sets;
  for (std::uint32_t size = 1; size <= 17; ++size) {
    auto& set = sets.emplace_back();
    for (std::uint32_t n = 0; n < size; ++n) set.push_back(n);
  }
  EXPECT_EQ(make(sets, true, 32).fault.kind, Kind::depth);
  std::reverse(sets.begin(), sets.end());
  EXPECT_EQ(make(sets, true, 32).fault.kind, Kind::depth);
  sets.pop_back();
  const auto made = make(sets, true, 32);
  EXPECT_EQ(made.fault.kind, Kind::none);
  EXPECT_EQ(*std::max_element(made.levels.begin(), made.levels.end()), 15);
}

// --- Against the definitions

bool inside(const std::set<std::uint32_t>& a, const std::set<std::uint32_t>& b) {
  return std::includes(b.begin(), b.end(), a.begin(), a.end());
}

// Random sets, many of which form trees: parents are the smallest enclosing sets, and errors are
// reported exactly where the definition is violated, in any order.
TEST(NodeClasses, TreesAreWhatTheirDefinitionSays) {
  int trees = 0, others = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    property::Random random(seed);
    std::set<std::set<std::uint32_t>> once;
    const auto wanted = static_cast<std::size_t>(random.between(1, 6));
    for (int tries = 0; once.size() < wanted && tries < 50; ++tries) {
      std::set<std::uint32_t> set;
      const auto first = static_cast<std::uint32_t>(random.below(6));
      const auto size = static_cast<std::uint32_t>(random.chance(50) ? random.between(1, 2) : 6);
      for (std::uint32_t n = first - first % size; n < 6 && set.size() < size; ++n) set.insert(n);
      if (random.chance(8)) set.erase(set.begin());
      once.insert(set);
    }
    std::vector<std::set<std::uint32_t>> sets(once.begin(), once.end());
    random.shuffle(sets);
    Sets lists;
    for (const auto& set : sets) lists.emplace_back(set.begin(), set.end());
    const auto made = make(lists, true);

    bool tree = true;
    std::set<std::size_t> depths;
    std::size_t roots = 0;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      std::size_t above = 0;
      bool leaf = true;
      std::uint32_t parent = NodeClasses::kNone;
      tree = tree && !sets[i].empty();
      for (std::size_t k = 0; k < sets.size(); ++k) {
        if (k == i) continue;
        const bool up = inside(sets[i], sets[k]), down = inside(sets[k], sets[i]);
        std::set<std::uint32_t> both;
        std::set_intersection(sets[i].begin(), sets[i].end(), sets[k].begin(), sets[k].end(),
                              std::inserter(both, both.end()));
        tree = tree && (both.empty() || up || down);
        leaf = leaf && !down;
        if (!up) continue;
        ++above;
        const auto at = static_cast<std::uint32_t>(k);
        if (parent == NodeClasses::kNone || inside(sets[k], sets[parent - kFirst]))
          parent = kFirst + at;
      }
      roots += above == 0 ? 1 : 0;
      if (leaf) depths.insert(above);
      if (made.fault.kind == Kind::none) {
        EXPECT_EQ(made.parents[i], parent) << "seed " << seed;
      }
    }
    tree = tree && roots == 1 && depths.size() == 1;
    EXPECT_EQ(made.fault.kind == Kind::none, tree) << "seed " << seed;
    (tree ? trees : others) += 1;
  }
  EXPECT_GT(trees, 300);
  EXPECT_GT(others, 300);
}

}  // namespace
}  // namespace copse
