// SPDX-License-Identifier: Apache-2.0
#include "host/running_jobs.hpp"

#include <gtest/gtest.h>

namespace copse {
namespace {

TEST(RunningJobs, AreNamedByTheirFiles) {
  EXPECT_EQ(job_id_of_name("job1.json"), 1U);
  EXPECT_EQ(job_id_of_name("/tmp/7/R-1234.json"), 1234U);
  EXPECT_EQ(job_id_of_name("1234.R"), 1234U);
  EXPECT_EQ(job_id_of_name("1234"), 1234U);
  EXPECT_EQ(job_id_of_name("dir/ƒ2X.json"), 88U);  // 1 · 58 + 30
  EXPECT_EQ(job_id_of_name("ƒ0.json"), std::nullopt);
  EXPECT_EQ(job_id_of_name("first.json"), std::nullopt);
  EXPECT_EQ(job_id_of_name("job0.json"), std::nullopt);
  EXPECT_EQ(job_id_of_name("job99999999999999999999.json"), std::nullopt);
  EXPECT_EQ(job_id_of_name(""), std::nullopt);
  EXPECT_EQ(job_id_of_name("-"), std::nullopt);
}

}  // namespace
}  // namespace copse
