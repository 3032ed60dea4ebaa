// SPDX-License-Identifier: Apache-2.0
#include "fluxion/job_table.hpp"

#include "fluxion.hpp"
#include "fluxion/match_statistics.hpp"
#include "fluxion/option_words.hpp"
#include "fluxion/resource.hpp"

namespace copse::fluxion {
namespace {

class JobTableTest : public ::testing::Test {
 protected:
  JobId grant(std::uint64_t id, int count) {
    const JobId number = jobs_.grant_number(*engine_, id);
    const auto matched = resource_.match(Operation::allocate, {.text = nodes(count)}, number);
    EXPECT_TRUE(matched.result);
    jobs_.add(id, number, (*matched.result)->start, matched.elapsed_s);
    return number;
  }

  std::unique_ptr<Engine> engine_ = desk_engine();
  Resource resource_{*engine_, Format::simple};
  JobTable jobs_;
};

TEST_F(JobTableTest, AJobMayHaveSeveralGrants) {
  EXPECT_EQ(grant(3, 1), 3U);
  EXPECT_EQ(grant(3, 1), JobId{1} << 62);
  EXPECT_EQ(grant(0, 1), (JobId{1} << 62) + 1);
  std::vector<JobId> grants;
  jobs_.find(3)->for_each_grant([&](JobId number) { grants.push_back(number); });
  EXPECT_EQ(grants, (std::vector<JobId>{3, JobId{1} << 62}));
  EXPECT_EQ(jobs_.find(4), nullptr);
}

TEST_F(JobTableTest, CanceledJobsAreRemembered) {
  grant(3, 1);
  jobs_.cancel(3);
  EXPECT_EQ(jobs_.holding(3), nullptr);
  ASSERT_NE(jobs_.find(3), nullptr);
  EXPECT_STREQ(word(jobs_.find(3)->state), "CANCELED");
  jobs_.add(3, 5, 60, 0.5).file = "job.yaml";
  ASSERT_NE(jobs_.holding(3), nullptr);
  EXPECT_STREQ(word(jobs_.find(3)->state), "RESERVED");
  EXPECT_EQ(jobs_.find(3)->grant, 5U);
}

TEST_F(JobTableTest, JobsWhoseResourcesWereRemovedAreCanceled) {
  grant(1, 1);
  grant(2, 1);
  ASSERT_TRUE(resource_.remove(resource_.graph().at_path("/desk0/rack0/node0")));
  jobs_.cancel_lost(*engine_);
  const bool first = jobs_.holding(1) == nullptr, second = jobs_.holding(2) == nullptr;
  EXPECT_NE(first, second);
}

TEST(MatchStatisticsTest, CountsSinceClear) {
  MatchStatistics statistics;
  EXPECT_EQ(statistics.mean_s(), 0);
  statistics.count(4, 0.25);
  statistics.count(5, 0.75);
  EXPECT_EQ(statistics.min_s(), 0.25);
  EXPECT_EQ(statistics.max_s(), 0.75);
  EXPECT_EQ(statistics.mean_s(), 0.5);
  std::string out;
  JsonWriter json(out);
  statistics.write(json);
  EXPECT_EQ(out, R"({"njobs": 2, "njobs-reset": 2, "max-match-jobid": 5, "max-match-iters": 1, )"
                 R"("stats": {"min": 0.25, "max": 0.75, "avg": 0.5, "variance": 0.0625}})");
  statistics.clear();
  EXPECT_EQ(statistics.total(), 2U);
  EXPECT_EQ(statistics.max_s(), 0);
}

TEST(OptionWordsTest, AreFluxions) {
  EXPECT_TRUE(is_load_format("rv1exec_force"));
  EXPECT_FALSE(is_load_format("slurm_conf"));
  EXPECT_EQ(fluxion::parse_traverser("loop-aware"), Traverser::loop_aware);
  EXPECT_EQ(fluxion::parse_traverser("treepool"), std::nullopt);
  EXPECT_EQ(fluxion::parse_traverser("loop_aware"), std::nullopt);
  EXPECT_EQ(kTraversers.size(), 3U);
}

}  // namespace
}  // namespace copse::fluxion
