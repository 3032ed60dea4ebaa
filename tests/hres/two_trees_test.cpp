// SPDX-License-Identifier: Apache-2.0
#include "hres/two_trees.hpp"

#include <gtest/gtest.h>

#include <random>

namespace copse {
namespace {

// Nodes in two trees, with the free amount of each layer; the reference tries every set of nodes.
struct Case {
  std::vector<TwoTrees::Layer> layers;
  std::uint32_t first_tree = 0;
  struct Node {
    std::uint32_t leaves[2];
  };
  std::vector<Node> nodes;

  [[nodiscard]] bool fits(std::uint32_t set) const {
    std::vector<std::int64_t> count(layers.size(), 0);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if ((set >> n & 1U) == 0) continue;
      for (std::uint32_t l : nodes[n].leaves) {
        for (; l != TwoTrees::kNone; l = layers[l].above) ++count[l];
      }
    }
    for (std::size_t l = 0; l < layers.size(); ++l) {
      if (count[l] > layers[l].nodes) return false;
    }
    return true;
  }

  // The first set of this size, compared node by node; 0: there is none.
  [[nodiscard]] std::uint32_t first_set(int wanted) const {
    std::uint32_t best = 0;
    auto before = [&](std::uint32_t a, std::uint32_t b) {  // a has the first unshared node
      const std::uint32_t different = a ^ b;
      return different != 0 && (a & (different & -different)) != 0;
    };
    for (std::uint32_t set = 1; set < 1U << nodes.size(); ++set) {
      if (__builtin_popcount(set) != wanted || !fits(set)) continue;
      if (best == 0 || before(set, best)) best = set;
    }
    return best;
  }
};

// Each tree has two levels: a root and leaves.
Case random_case(std::mt19937& random) {
  auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Case out;
  std::uint32_t firsts[2], leaves[2];
  for (int tree = 0; tree < 2; ++tree) {
    const auto root = static_cast<std::uint32_t>(out.layers.size());
    if (tree == 1) out.first_tree = root;
    out.layers.push_back({below(8), TwoTrees::kNone});
    firsts[tree] = root + 1;
    leaves[tree] = 1 + below(4);
    for (std::uint32_t l = 0; l < leaves[tree]; ++l) out.layers.push_back({below(4), root});
  }
  const std::uint32_t nodes = 1 + below(10);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    out.nodes.push_back({{firsts[0] + below(leaves[0]), firsts[1] + below(leaves[1])}});
  }
  return out;
}

TEST(TwoTrees, FindsWhatTryingEverySetFinds) {
  std::mt19937 random(1);
  int found = 0, missed = 0;
  for (int i = 0; i < 2'000; ++i) {
    const Case c = random_case(random);
    const int wanted = 1 + static_cast<int>(random() % 5);
    TwoTrees trees(c.layers, c.first_tree);
    std::vector<std::uint32_t> kinds;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> known;
    for (const Case::Node& node : c.nodes) {
      const std::pair leaves(node.leaves[0], node.leaves[1]);
      auto at = std::find(known.begin(), known.end(), leaves);
      if (at == known.end()) {
        known.push_back(leaves);
        at = std::prev(known.end());
        (void)trees.add_kind(node.leaves[0], node.leaves[1]);
      }
      kinds.push_back(static_cast<std::uint32_t>(at - known.begin()));
      trees.add_node(kinds.back());
    }
    const std::uint32_t expected = c.first_set(wanted);
    std::vector<bool> chosen;
    const bool any = trees.choose(kinds, wanted, chosen);
    ASSERT_EQ(any, expected != 0) << "case " << i;
    if (!any) {
      ++missed;
      continue;
    }
    ++found;
    std::uint32_t set = 0;
    for (std::size_t n = 0; n < chosen.size(); ++n) set |= chosen[n] ? 1U << n : 0U;
    ASSERT_EQ(set, expected) << "case " << i;
  }
  EXPECT_GT(found, 300);
  EXPECT_GT(missed, 300);
}

TEST(TwoTrees, OneLeafMayHaveToBeLeftToOthers) {
  // Power: leaves a (1 node) and b (1); cooling: leaves c (1) and d (1). If the node in a and d is
  // chosen first, b is left with c only: choosing one after another finds two nodes in the right
  // order.
  using Layer = TwoTrees::Layer;
  TwoTrees trees({Layer{2, TwoTrees::kNone}, Layer{1, 0}, Layer{1, 0}, Layer{2, TwoTrees::kNone},
                  Layer{1, 3}, Layer{1, 3}},
                 3);
  const std::uint32_t kinds[] = {trees.add_kind(1, 4), trees.add_kind(2, 4), trees.add_kind(1, 5)};
  for (std::uint32_t kind : kinds) trees.add_node(kind);
  EXPECT_EQ(trees.largest(3), 2);
  std::vector<bool> chosen;
  ASSERT_TRUE(trees.choose(kinds, 2, chosen));
  EXPECT_EQ(chosen, (std::vector<bool>{false, true, true}));
}

}  // namespace
}  // namespace copse
