// SPDX-License-Identifier: Apache-2.0
//
// How many cores a job asks for on nodes of several kinds.
#include "plan/streams/cluster_nodes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace copse::plan {
namespace {

using Flags = std::vector<bool>;

NodeKind kind(std::int64_t cores, std::int64_t threads, std::int64_t gpus = 0) {
  NodeKind out;
  out.cpus.of_core = threads;
  out.cores = cores;
  out.gpus = gpus;
  return out;
}

TEST(ClusterNodes, NeedWhatMostOfThemCanGive) {
  const std::vector<NodeKind> kinds{kind(8, 2), kind(8, 1)};
  const NodeNeed both = need_of(8, 0, kinds, {2, 2});
  EXPECT_EQ(both.cores, 8);
  EXPECT_EQ(both.used, (Flags{true, true}));
  EXPECT_EQ(both.too_few, (Flags{false, false}));
  EXPECT_TRUE(both.differs);
  const NodeNeed one = need_of(8, 0, kinds, {2, 0});
  EXPECT_EQ(one.cores, 4);
  EXPECT_EQ(one.used, (Flags{true, false}));
  EXPECT_FALSE(one.differs);
}

// Seven cores of a node without threads are too little for 14 cpus.
TEST(ClusterNodes, LeaveOutNodesWhoseCpusAreTooFew) {
  const NodeNeed need = need_of(14, 0, {kind(8, 2), kind(8, 1)}, {1, 9});
  EXPECT_EQ(need.cores, 7);
  EXPECT_EQ(need.used, (Flags{true, false}));
  EXPECT_EQ(need.too_few, (Flags{false, true}));
  EXPECT_FALSE(need.differs);
  const NodeNeed more = need_of(8, 0, {kind(6, 2), kind(8, 1)}, {5, 1});
  EXPECT_EQ(more.cores, 4);
  EXPECT_EQ(more.too_few, (Flags{false, true}));
  EXPECT_TRUE(more.differs);
}

TEST(ClusterNodes, CountGpusAndTheSocketsOfCpus) {
  NodeKind by_socket = kind(16, 1);
  by_socket.cpus.cores_each = 8;
  EXPECT_EQ(need_of(2, 0, {by_socket}, {1}).cores, 16);
  const NodeNeed need = need_of(4, 2, {kind(4, 1), kind(4, 2, 2)}, {5, 1});
  EXPECT_EQ(need.cores, 2);
  EXPECT_EQ(need.used, (Flags{false, true}));
}

TEST(ClusterNodes, HaveASmallestNeedWhereNothingFits) {
  EXPECT_EQ(need_of(100, 0, {kind(8, 2), kind(8, 1)}, {1, 1}).cores, 50);
  EXPECT_EQ(need_of(3, 0, {}, {}).cores, 3);
}

}  // namespace
}  // namespace copse::plan
