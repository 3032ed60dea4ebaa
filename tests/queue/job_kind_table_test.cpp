// SPDX-License-Identifier: Apache-2.0
#include "queue/job_kind_table.hpp"

#include "queue/events.hpp"

namespace copse::queue {
namespace {

TEST(JobKindTable, KnowsWhatItsRequestsLeaveOpen) {
  const auto engine = plan::flat_engine(2, 4);
  JobKindTable kinds(*engine);
  kinds.add_queue("", 0, {});
  const auto kind = [&](const std::string& shape) -> const JobKind& {
    return kinds[kinds.find(shape, 0, request_of(shape))];
  };
  EXPECT_TRUE(kind("slot=2/core=4").fixed);
  EXPECT_FALSE(kind("slot=2/core=1+").fixed);
  ASSERT_TRUE(kind("slot=2/node").counted);
  EXPECT_EQ(kind("slot=2/node").counted->nodes, 2);
  EXPECT_FALSE(kind("slot=2/core=4").counted);
  EXPECT_FALSE(kind("slot=3/node").request);
  EXPECT_EQ(kinds.find("slot=2/node", 0, {}), kinds.find("slot=2/node", 0, {}));
}

}  // namespace
}  // namespace copse::queue
