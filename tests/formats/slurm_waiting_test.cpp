// SPDX-License-Identifier: Apache-2.0
//
// Dependencies and tasks of arrays, as squeue writes them.
#include <gtest/gtest.h>

#include "formats/slurm/jobs/slurm_waiting.hpp"

namespace copse {
namespace {

ClusterRequest wish_of(std::string_view text, std::string_view task = {}) {
  ClusterRequest out;
  add_slurm_dependency(out, text, task);
  return out;
}

using On = ClusterAfter::On;
using Awaited = std::vector<ClusterAfter>;

TEST(SlurmDependency, NamesTheJobsThatItWaitsFor) {
  EXPECT_EQ(wish_of("afterok:7:8_3(unfulfilled),afterany:9_*(unfulfilled)").after,
            (Awaited{{"7"}, {"8_3"}, {"9", On::ended}}));
  EXPECT_EQ(wish_of("afternotok:7(unfulfilled),after:8:9(unfulfilled)").after,
            (Awaited{{"7", On::failed}, {"8", On::started}, {"9", On::started}}));
  EXPECT_EQ(wish_of("after:7+5:8(unfulfilled)").after,
            (Awaited{{"7", On::started, 300}, {"8", On::started}}));
  EXPECT_EQ(wish_of("aftercorr:7(unfulfilled)", "3").after, (Awaited{{"7_3"}}));
  EXPECT_FALSE(wish_of("afternotok:7(unfulfilled),after:8(unfulfilled)").unread);
  EXPECT_TRUE(wish_of("singleton(unfulfilled)").alone_of_name);
  for (const char* text :
       {"", "(null)", "afterok:7(fulfilled)", "afterok:7?afterok:8(fulfilled)"}) {
    const ClusterRequest request = wish_of(text);
    EXPECT_TRUE(request.after.empty() && !request.held && !request.unread && !request.alone_of_name)
        << text;
  }
}

TEST(SlurmDependency, SaysWhatNoPlanCanKeep) {
  EXPECT_TRUE(wish_of("afterok:7(failed)").held);
  for (const char* text :
       {"after:7+x(unfulfilled)", "afterok:7(unfulfilled)?afterok:8(unfulfilled)", "aftr:7"}) {
    EXPECT_TRUE(wish_of(text).unread) << text;
  }
}

TEST(SlurmTasks, AreRangesWithSteps) {
  EXPECT_EQ(parse_slurm_tasks("1-3,8%2", 100, "squeue")->text(), "1-3,8");
  EXPECT_EQ(parse_slurm_tasks("1-7:2,8", 100, "squeue")->text(), "1,3,5,7-8");
  EXPECT_EQ(parse_slurm_tasks("0", 100, "squeue")->text(), "0");
  for (const char* text :
       {"1-", "3-1", "a", "1-7:0", "1-7:", "1 3", "1,2...", "-1", "99999999999999999999"}) {
    EXPECT_FALSE(parse_slurm_tasks(text, 100, "squeue")) << text;
  }
  EXPECT_EQ(parse_slurm_tasks("0-100", 100, "squeue").error().code, ErrorCode::limit);
  EXPECT_EQ(parse_slurm_tasks("0-4611686018427387903:2", 100, "squeue").error().code,
            ErrorCode::limit);
}

}  // namespace
}  // namespace copse
