// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/treepool_memory.hpp"

#include <gtest/gtest.h>

#include "formats/rv1/rv1_read.hpp"

namespace copse {
namespace {

// Ranks 0-9 in two entries; layouts for 2-3 and 5, and for 7-20 (of which there are 7-9).
constexpr const char* kMachine = R"({"version": 1, "execution": {"R_lite": [
    {"rank": "0-4", "children": {"core": "0-3"}}, {"rank": "5-9", "children": {"core": "0-7"}}],
    "nodelist": ["n[0-9]"]}, "scheduling": {"writer": "TreePool", "children": [
    {"ranks": "2-3,5", "topo": {"socket": [{"cores": "0-1", "memory": 5},
                                           {"cores": "2-3", "memory": 3}], "memory": 1}},
    {"ranks": "7-20", "topo": {"cores": "0-7", "storage": [
        {"path": "/a", "capacity": 1.5, "unit": "TiB"}, {"path": "/b", "capacity": 100}]}}]}})";

std::string pieces(const RSet& r) {
  std::string out;
  for (const RSet::Entry& entry : r.entries) {
    out += entry.ranks.text() + ':';
    for (const auto& [type, ids] : entry.children) {
      if (type != "core") out += ' ' + type + ' ' + ids.text();
    }
    out += '\n';
  }
  return out;
}

TEST(TreepoolMemoryOfR, EntriesAreCutByLayout) {
  auto r = *read_r(kMachine, {}, {.layouts = TreepoolLimits{}});
  ASSERT_TRUE(count_memory(r, 2));
  const Layouts& layouts = r.layouts;
  EXPECT_EQ(pieces(r), "2-3: memory 0-2\n0-1,4:\n5: memory 0-2\n7-9: storage 0-817\n6:\n");
  EXPECT_EQ(r.ranks().text(), "0-9");
  EXPECT_EQ(layouts.piece_gib, 2);
  const Layout& first = *layouts.of_rank(5);
  EXPECT_TRUE(first.domains[0].memory.empty());  // 1 GiB is no piece
  EXPECT_EQ(first.domains[1].memory, (IdRanges{{0, 1}}));
  EXPECT_EQ(first.domains[2].memory, (IdRanges{{2, 2}}));
  const auto graph = graph_of_r(r);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->of_type(graph->find_type("memory")).size(), 9U);
  EXPECT_EQ(graph->of_type(graph->find_type("storage")).size(), 3U * 818);
}

TEST(TreepoolMemoryOfR, IsBoundedAndRefusesWhatItDoesNotKnow) {
  const auto machine = *read_r(kMachine, {}, {.layouts = TreepoolLimits{}});
  auto storage = machine;
  storage.layouts.layouts[1].storage[0].capacity = 1e300;
  auto made = count_memory(storage, 1);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::limit);
  auto memory = machine;
  memory.layouts.layouts[0].domains[1].memory_gib = 4096;
  EXPECT_FALSE(count_memory(memory, 1));  // with those of the others
  memory = machine;
  memory.layouts.layouts[0].domains[1].memory_gib = 4096 - 4;
  EXPECT_TRUE(count_memory(memory, 1));
  made = count_memory(memory, 1);  // the R has its children already
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::invalid);
}

}  // namespace
}  // namespace copse
