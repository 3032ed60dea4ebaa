// SPDX-License-Identifier: Apache-2.0
//
// What the treepool traverser says of what it refuses, and of what it does not count.
#include <gtest/gtest.h>

#include <string>

#include "engine/treepool_machine.hpp"

namespace copse::test {
namespace {

const Nodes kNodes{"0-1", "0-3", "0-1",
                   R"({"numa": [{"cores": "0-1", "gpus": "0-1"}, {"cores": "2-3"}]})"};

Explanation why(TreepoolMachine& m, std::string_view shape) {
  auto request = parse_shape(shape);
  EXPECT_TRUE(request);
  auto prepared = m.engine->prepare(std::move(*request));
  EXPECT_TRUE(prepared) << shape;
  auto out = m.engine->explain(*prepared);
  EXPECT_TRUE(out);
  return *out;
}

TEST(TreepoolExplain, TellsWhatIsTooLittle) {
  struct Row {
    std::string shape, type, path;
    std::int64_t needed, most_has;
  };
  const Row rows[] = {
      {"slot=1/core=7", "core", "slot[1] > core[7]", 7, 4},
      {"node/slot=2/core=3", "core", "node[1] > slot[2] > core[3]", 6, 4},
      {"slot=1/[core=1;gpu=3]", "gpu", "slot[1] > gpu[3]", 3, 2},
      {"slot=3/node{x}", "node", "slot[3] > node[1]", 3, 2},
      {"slot=1/node=1/numa=3{x}", "numa", "slot[1] > node[1] > numa[3]", 3, 2},
      {"slot=9/core=1", "slot", "slot[9]", 9, 8},
  };
  for (const Row& row : rows) {
    TreepoolMachine m({kNodes});
    const Explanation out = why(m, row.shape);
    EXPECT_EQ(out.verdict, Verdict::infeasible) << row.shape;
    ASSERT_FALSE(out.findings.empty()) << row.shape;
    EXPECT_EQ(out.findings[0].type, row.type) << row.shape;
    EXPECT_EQ(out.findings[0].path, row.path) << row.shape;
    EXPECT_EQ(out.findings[0].needed, row.needed) << row.shape;
    EXPECT_EQ(out.findings[0].most_has, row.most_has) << row.shape;
  }
}

TEST(TreepoolExplain, NowIsAnotherReasonThanEver) {
  TreepoolMachine m({kNodes});
  ASSERT_NE(m.alloc("slot=2/node=1/core=3", 1), "infeasible");
  const Explanation out = why(m, "slot=1/core=2");
  EXPECT_EQ(out.verdict, Verdict::insufficient);
  ASSERT_FALSE(out.findings.empty());
  EXPECT_EQ(out.findings[0].type, "core");
  EXPECT_EQ(out.findings[0].most_fits, 1);
  EXPECT_EQ(out.findings[0].most_has, 4);
  ASSERT_EQ(out.findings[0].holders.size(), 1U);
  EXPECT_EQ(out.findings[0].holders[0].job, 1U);
}

// There is enough on each node, but not in one domain.
TEST(TreepoolExplain, EveryRefusalHasAFinding) {
  TreepoolMachine m(
      {{"0", "0-3", "0-1",
        R"({"numa": [{"cores": "0-1"}, {"cores": "2-3"}], "card": [{"gpus": "0"}, {"gpus": "1"}]})"}});
  const Explanation out = why(m, "slot=1/card{x}");
  EXPECT_EQ(out.verdict, Verdict::infeasible);
  EXPECT_FALSE(out.findings.empty());
}

TEST(TreepoolExplain, HintsAreNamed) {
  TreepoolMachine m({kNodes});
  EXPECT_EQ(m.alloc("slot=1/[core=1;memory=1000]", 1), "0: core 0");
  ASSERT_EQ(m.remarks.size(), 1U);
  EXPECT_EQ(m.remarks[0], "memory is a hint: nothing is counted of it");
}

// R needs a core of each node (RFC 20): domains without one are never granted alone.
TEST(TreepoolCores, NoDomainWithoutCoresIsGrantedAlone) {
  const std::string topo = R"({"cores": "0-3", "tile": [{"gpus": "0"}, {"gpus": "1"}]})";
  TreepoolMachine m({{"0-1", "0-3", "0-1", topo}});
  for (const char* shape : {"slot=1/tile{x}", "slot=2/tile{x}", "slot=3/tile{x}",
                            "node=2/slot=1/tile{x}", "slot=1/node=1/tile=2{x}"}) {
    EXPECT_EQ(m.alloc(shape, 1), "infeasible") << shape;
  }
  // With a core, or the whole node, it is.
  TreepoolMachine flat(
      {{"0", "0-3", "0-1",
        R"({"numa": [{"cores": "0-3"}], "tile": [{"gpus": "0"}, {"gpus": "1"}]})"}});
  EXPECT_EQ(flat.alloc("slot=1/tile{x}", 1), "infeasible");
  EXPECT_EQ(flat.alloc("slot=1/[core=1;tile{x}]", 1), "0: core 0 gpu 0");
}

}  // namespace
}  // namespace copse::test
