// SPDX-License-Identifier: Apache-2.0
#include "session/node_jobs.hpp"
#include "base/job_id.hpp"

#include <gtest/gtest.h>

#include "engine/jobs.hpp"

namespace copse {
namespace {

std::vector<JobId> jobs_on(const Engine& e, const std::string& path) {
  const NodeJobs jobs(e);
  const auto on = jobs.of(at(e.graph(), path));
  return {on.begin(), on.end()};
}

TEST(NodeJobs, AreThoseWithAnythingOfANodeNow) {
  const auto e = engine();
  const std::string first = "/cluster0/rack0/node0", second = "/cluster0/rack0/node1";
  EXPECT_EQ(jobs_on(*e, first), std::vector<JobId>{});
  ASSERT_TRUE(allocate(*e, cores(1), 7));
  ASSERT_TRUE(allocate(*e, cores(1), 3));
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve, nodes(4), 9));  // later
  EXPECT_EQ(jobs_on(*e, first), (std::vector<JobId>{3, 7}));
  EXPECT_EQ(jobs_on(*e, second), std::vector<JobId>{});
  ASSERT_TRUE(e->cancel(3));
  ASSERT_TRUE(e->cancel(9));
  ASSERT_TRUE(allocate(*e, nodes(1), kFirstReservationId));
  EXPECT_EQ(jobs_on(*e, second), std::vector<JobId>{});
}

TEST(NodeJobs, HaveTheNodesOfARackThatIsTakenWhole) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, job(res("rack", "1", slot("1", res("node")), ", exclusive: true")), 5));
  EXPECT_EQ(jobs_on(*e, "/cluster0/rack0/node0"), std::vector<JobId>{5});
  EXPECT_EQ(jobs_on(*e, "/cluster0/rack0/node1"), std::vector<JobId>{5});
}

}  // namespace
}  // namespace copse
