// SPDX-License-Identifier: Apache-2.0
#include "flux/fluxion/fluxion_resource.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "flux/fluxion/queue_text.hpp"
#include "flux/machine/machine.hpp"

namespace copse::flux {
namespace {

constexpr std::int64_t kNow_s = 1'000'000;
constexpr std::string_view kInventory =
    R"({"version": 1, "execution": {"R_lite": [{"rank": "0-3", "children": {"core": "0-3"}}],)"
    R"( "nodelist": ["n[0-3]"], "starttime": 0.0, "expiration": 0.0}})";

std::string jobspec(int cores, int duration_s = 3600) {
  return fmt::format(
      R"({{"version":1,"resources":[{{"type":"node","count":1,"with":[{{"type":"slot","count":1,"label":"task","with":[{{"type":"core","count":{}}}]}}]}}],"tasks":[{{"command":["a"],"slot":"task","count":{{"per_slot":1}}}}],"attributes":{{"system":{{"duration":{}}}}}}})",
      cores, duration_s);
}

class Quiet final : public JobManager {
 public:
  void succeed(JobId job, const std::string& r, const std::string&) override {
    started.emplace_back(job, r);
  }
  void annotate(JobId, const std::string&) override {}
  void deny(JobId, const std::string&) override {}
  void cancelled(JobId) override {}
  void complain(const std::string& line) override { ADD_FAILURE() << line; }
  std::vector<std::pair<JobId, std::string>> started;
};

class FluxionResourceTest : public ::testing::Test {
 protected:
  FluxionResourceTest() {
    const auto all = read_inventory(kInventory);
    engine_ = machine_of_r(kInventory, *all, true, options_.engine(kNow_s))->engine;
    resource_ = std::make_unique<FluxionResource>(engine_, options_, 0.5, kNow_s);
  }
  void work(Scheduler& scheduler) {
    for (queue::WorkBudget budget; !scheduler.work(kNow_s, budget);) {
    }
  }

  ResourceOptions options_;
  std::shared_ptr<Engine> engine_;
  std::unique_ptr<FluxionResource> resource_;
};

TEST_F(FluxionResourceTest, JobsAreMatchedAndGivenBackAsInFluxion) {
  EXPECT_EQ(resource_->next_job(), 0);
  const auto first = resource_->match("allocate", 0, jobspec(2));
  ASSERT_TRUE(first);
  EXPECT_STREQ(first->status, "ALLOCATED");
  EXPECT_EQ(first->at_s, kNow_s);
  EXPECT_EQ(
      first->r,
      R"({"version": 1, "execution": {"R_lite": [{"rank": "3", "children": {"core": "2-3"}}],)"
      R"( "nodelist": ["n3"], "starttime": 1000000, "expiration": 1003600}})"
      "\n");
  EXPECT_EQ(resource_->next_job(), 1);
  EXPECT_EQ(resource_->match("allocate", 0, jobspec(1)).error().number, EINVAL);
  EXPECT_EQ(resource_->match("allot", 1, jobspec(1)).error().number, EINVAL);
  EXPECT_EQ(resource_->match("allocate", 1, jobspec(99)).error().number, EBUSY);
  EXPECT_EQ(resource_->match("allocate_with_satisfiability", 1, jobspec(99)).error().number,
            ENODEV);
  EXPECT_EQ(resource_->match("allocate", 1, "{}").error().number, EINVAL);
  const auto only_asked = resource_->match("without_allocating", 1, jobspec(4));
  ASSERT_TRUE(only_asked);
  EXPECT_EQ(only_asked->job, -1);
  EXPECT_STREQ(only_asked->status, "MATCHED");

  ASSERT_TRUE(resource_->info(0));
  EXPECT_EQ(resource_->info(1).error().number, ENOENT);
  EXPECT_TRUE(resource_->cancel(0));
  EXPECT_EQ(resource_->cancel(0).error().number, ENOENT);
  EXPECT_EQ(resource_->info(0).error().number, ENOENT);
  EXPECT_EQ(engine_->grant_count(), 0U);
}

TEST_F(FluxionResourceTest, ReservationsAreInTheFuture) {
  for (int job = 1; job <= 4; ++job) ASSERT_TRUE(resource_->match("allocate", job, jobspec(4, 50)));
  const auto later = resource_->match("allocate_orelse_reserve", 5, jobspec(4, 60));
  ASSERT_TRUE(later);
  EXPECT_STREQ(later->status, "RESERVED");
  EXPECT_EQ(later->at_s, kNow_s + 50);
  EXPECT_STREQ(resource_->info(5)->status, "RESERVED");
}

// A job that is not cancelled in time keeps its resources; a reservation of them is cancelled.
TEST_F(FluxionResourceTest, JobsRunOnBeyondTheirEnd) {
  for (int job = 1; job <= 4; ++job) ASSERT_TRUE(resource_->match("allocate", job, jobspec(4, 50)));
  ASSERT_TRUE(resource_->match("allocate_orelse_reserve", 5, jobspec(4, 60)));
  resource_->advance(kNow_s + 1000);
  EXPECT_EQ(engine_->now(), kNow_s + 1000);
  EXPECT_EQ(resource_->match("allocate", 6, jobspec(1)).error().number, EBUSY);
  EXPECT_EQ(resource_->info(5).error().number, ENOENT);
  EXPECT_TRUE(resource_->cancel(1));
  EXPECT_TRUE(resource_->match("allocate", 6, jobspec(1)));
}

// A qmanager that was reloaded does this.
TEST_F(FluxionResourceTest, AReservationIsReplaced) {
  for (std::int64_t job = 1; job <= 4; ++job) {
    ASSERT_TRUE(resource_->match("allocate", job, jobspec(4)));
  }
  EXPECT_STREQ(resource_->match("allocate_orelse_reserve", 5, jobspec(4))->status, "RESERVED");
  EXPECT_STREQ(resource_->match("allocate_orelse_reserve", 5, jobspec(4))->status, "RESERVED");
  EXPECT_TRUE(resource_->cancel(1));
  EXPECT_STREQ(resource_->match("allocate_orelse_reserve", 5, jobspec(4))->status, "ALLOCATED");
  EXPECT_EQ(resource_->match("allocate_orelse_reserve", 5, jobspec(4)).error().number, EINVAL);
}

TEST_F(FluxionResourceTest, UpdatesBookWhatRSays) {
  const std::string r = resource_->match("allocate", 5, jobspec(2))->r;
  EXPECT_EQ(resource_->update(5, r)->r, r);
  EXPECT_EQ(resource_->update(6, r).error().number, EINVAL);
  std::string other = r;
  other.replace(other.find("2-3"), 3, "0-3");
  EXPECT_EQ(resource_->update(5, other).error().number, EINVAL);
  EXPECT_EQ(*resource_->partial_cancel(5, r), true);
  EXPECT_EQ(resource_->partial_cancel(5, r).error().number, ENOENT);
  EXPECT_EQ(resource_->update(6, r)->r, r);
  EXPECT_EQ(resource_->update(7, "{}").error().number, EINVAL);
}

TEST_F(FluxionResourceTest, PoolsAreFoundAndChanged) {
  FluxionPools& pools = resource_->pools();
  ASSERT_TRUE(resource_->match("allocate", 1, jobspec(2)));
  EXPECT_EQ(*pools.find("sched-now=allocated", ""),
            R"({"R": {"version": 1, "execution": {"R_lite": [{"rank": "3", "children": )"
            R"({"core": "2-3"}}], "nodelist": ["n3"], "starttime": 0, "expiration": 0}}})");
  EXPECT_EQ(*pools.find("status=down", ""), R"({"R": null})");
  EXPECT_EQ(*pools.find("sched-now=allocated", "simple"),
            R"({"R": "      ---------core2[1:x]\n      ---------core3[1:x]\n      ------n3[1:x]\n)"
            R"(      ---cluster0[1:x]\n"})");
  EXPECT_EQ(pools.find("sched-now=nothing", "").error().number, EINVAL);
  EXPECT_NE(pools.status().find(R"("down": null)"), std::string::npos);
  EXPECT_TRUE(pools.set_status("/cluster0/n1", "down"));
  EXPECT_NE(pools.status().find(R"("down": {"version": 1)"), std::string::npos);
  EXPECT_EQ(pools.set_status("/cluster0/n1", "sideways").error().text,
            "unrecognized status 'sideways'");
  EXPECT_EQ(pools.set_status("/cluster0/x1", "down").error().text,
            "could not find path '/cluster0/x1' in resource graph");

  const std::vector<std::string> both{"/cluster0/n0", "/cluster0/n1"}, wrong{"/cluster0/x0"};
  EXPECT_TRUE(pools.set_property(both, "foo=bar"));
  EXPECT_EQ(pools.set_property(both, "=bar").error().number, EINVAL);
  EXPECT_EQ(pools.set_property(wrong, "foo=bar").error().number, ENOENT);
  EXPECT_EQ(*pools.get_property("/cluster0/n1", "foo"), std::vector<std::string>{"bar"});
  EXPECT_EQ(pools.get_property("/cluster0/n2", "foo").error().text,
            "Property 'foo' was not found for resource /cluster0/n2");
  EXPECT_EQ(pools.get_property("/cluster0/x0", "foo").error().number, ENOENT);
  EXPECT_TRUE(pools.remove_property(both, "foo"));
  EXPECT_EQ(pools.get_property("/cluster0/n1", "foo").error().number, ENOENT);
  EXPECT_TRUE(pools.remove_property(both, "foo"));
  EXPECT_EQ(pools.remove_property(wrong, "foo").error().number, ENOENT);

  EXPECT_EQ(*pools.id_here(0, "core", 1), 1);
  EXPECT_EQ(pools.id_here(0, "core", 100).error().number, ENOENT);
  EXPECT_EQ(pools.id_here(9, "core", 0).error().number, ENOENT);
  EXPECT_TRUE(pools.remove_subgraph("/cluster0/n2"));
  EXPECT_EQ(pools.remove_subgraph("/cluster0/n9").error().number, ENOENT);
  EXPECT_EQ(pools.add_subgraph("{}").error().number, EINVAL);
}

TEST_F(FluxionResourceTest, SubgraphsOfAnotherRootAreRefused) {
  const auto graph = [](std::string_view root, std::string_view node) {
    return fmt::format(
        R"({{"graph":{{"nodes":[{{"id":"0","metadata":{{"type":"cluster","name":"{0}","paths":{{"containment":"/{0}"}}}}}},)"
        R"({{"id":"1","metadata":{{"type":"node","name":"{1}","id":7,"rank":7,"paths":{{"containment":"/{0}/{1}"}}}}}}],)"
        R"("edges":[{{"source":"1","target":"0","metadata":{{"name":{{"containment":"in"}}}}}},)"
        R"({{"source":"0","target":"1","metadata":{{"name":{{"containment":"contains"}}}}}}]}}}})",
        root, node);
  };
  FluxionPools& pools = resource_->pools();
  const auto other = pools.add_subgraph(graph("compute0", "n7"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().number, EINVAL);
  EXPECT_TRUE(engine_->graph().at_path("/compute0").empty());
  EXPECT_TRUE(pools.add_subgraph(graph("cluster0", "n7")));
  EXPECT_EQ(engine_->graph().at_path("/cluster0/n7").size(), 1U);
  EXPECT_TRUE(pools.add_subgraph(graph("cluster0", "n7"))) << "nothing is new";
}

// Only ranks count in what is given back.
TEST_F(FluxionResourceTest, GivenBackAreTheRanksWhateverTheHosts) {
  ASSERT_TRUE(resource_->match("allocate", 1, jobspec(4)));
  const auto emptied = resource_->partial_cancel(
      1, R"({"version": 1, "execution": {"R_lite": [{"rank": "3", "children": {"core": "0-3"}}],)"
         R"( "nodelist": ["n[0-3]"], "starttime": 0, "expiration": 0}})");
  ASSERT_TRUE(emptied) << emptied.error().text;
  EXPECT_TRUE(*emptied);
}

// A job beyond its limit has no known end.
TEST_F(FluxionResourceTest, AnOverdueJobHasNoKnownEnd) {
  for (int job = 1; job <= 3; ++job) {
    ASSERT_TRUE(resource_->match("allocate", job, jobspec(4, 50)));
  }
  ASSERT_TRUE(resource_->match("allocate", 4, jobspec(4, 5000)));
  EXPECT_EQ(resource_->match("without_allocating_future", -1, jobspec(4))->at_s, kNow_s + 50);
  resource_->advance(kNow_s + 1000);
  EXPECT_EQ(resource_->match("without_allocating_future", -1, jobspec(4))->at_s, kNow_s + 5000);
  EXPECT_TRUE(resource_->cancel(4));
  EXPECT_EQ(resource_->match("without_allocating_future", -1, jobspec(4))->at_s, kNow_s + 1000);
  ASSERT_TRUE(resource_->match("allocate", 4, jobspec(4, 50)));
  resource_->advance(kNow_s + 2000);
  EXPECT_EQ(resource_->match("without_allocating_future", -1, jobspec(4)).error().number, EBUSY);
}

TEST_F(FluxionResourceTest, StatisticsCountMatches) {
  (void)resource_->match("allocate", 1, jobspec(2));
  (void)resource_->match("allocate", 2, jobspec(99));
  const std::string stats = resource_->stats();
  EXPECT_TRUE(stats.starts_with(
      R"({"V": 21, "E": 20, "by_rank": {"[0-3]": 5}, "load-time": 0.5, "graph-uptime": 0, )"))
      << stats;
  EXPECT_NE(stats.find(R"("failed": {"njobs": 1, "njobs-reset": 1, "max-match-jobid": 2)"),
            std::string::npos)
      << stats;
  resource_->clear_stats();
  EXPECT_NE(resource_->stats().find(
                R"("succeeded": {"njobs": 1, "njobs-reset": 0, "max-match-jobid": -1)"),
            std::string::npos);
}

TEST_F(FluxionResourceTest, FeasibilityHasFluxionsErrors) {
  EXPECT_TRUE(resource_->feasible(jobspec(4)));
  EXPECT_EQ(resource_->feasible(jobspec(5)).error().number, ENODEV);
  EXPECT_EQ(resource_->feasible(jobspec(5)).error().text, "Unsatisfiable request");
  EXPECT_EQ(resource_->feasible("{}").error().number, EINVAL);
}

// Jobs of both sides share the engine, before, while and after there is a scheduler.
TEST_F(FluxionResourceTest, ASchedulerSharesTheEngine) {
  ASSERT_TRUE(resource_->match("allocate", 1, jobspec(4)));
  resource_->release();
  Quiet manager;
  Idset up;
  up.add_range(0, 3);
  auto scheduler = Scheduler::create(
      {.inventory = kInventory, .engine = engine_, .up = up, .now_s = kNow_s}, manager);
  ASSERT_TRUE(scheduler);
  resource_->share_with(scheduler->get());
  for (JobId job = 100; job < 104; ++job) {
    const std::string text = jobspec(4);
    (*scheduler)->alloc({.id = job, .priority = 16, .submit_s = 1, .jobspec = text});
  }
  work(**scheduler);
  EXPECT_EQ(manager.started.size(), 3U);
  EXPECT_STREQ(resource_->info(100)->status, "ALLOCATED");
  EXPECT_STREQ(resource_->info(103)->status, "RESERVED");
  EXPECT_EQ(resource_->match("allocate", 2, jobspec(1)).error().number, EBUSY);
  EXPECT_EQ(resource_->match("allocate_with_satisfiability", 2, jobspec(9)).error().number, ENODEV);
  EXPECT_TRUE(resource_->cancel(1));
  work(**scheduler);
  EXPECT_EQ(manager.started.size(), 4U);
  const std::string text = queue_text(**scheduler, {});
  EXPECT_NE(text.find(R"("pending": 4, "running": 4, "reserved": 1)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("policy": "easy")"), std::string::npos) << text;

  Idset rank;  // {"rank": "2", …
  rank.add(manager.started[0].second.at(manager.started[0].second.find("\"rank\": \"") + 9) - '0');
  (*scheduler)->free(manager.started[0].first, rank, true);
  ASSERT_TRUE(resource_->match("allocate", 2, jobspec(3)));
  EXPECT_TRUE(resource_->pools().set_status("/cluster0/n0", "down"));
  (*scheduler)->check();
  resource_->share_with(nullptr);
  scheduler->reset();
  EXPECT_EQ(engine_->grant_count(), 4U);  // running jobs keep their resources
  EXPECT_TRUE(resource_->cancel(2));
  EXPECT_EQ(engine_->grant_count(), 3U);
}

TEST(ResourceOptionsTest, AreFluxions) {
  ResourceOptions options;
  EXPECT_EQ(options.params(),
            R"({"params": {"load-file": null, "load-format": "rv1exec", "load-allowlist": null, )"
            R"("policy": "first", "match-format": "rv1_nosched", "subsystems": "containment", )"
            R"("reserve-vtx-vec": 0, "prune-filters": "ALL:core,ALL:node", "update-interval": 0, )"
            R"("traverser": "simple"}})");
  EXPECT_TRUE(options.set("match-policy", "lonodex"));
  EXPECT_TRUE(options.set("prune-filters", "ALL:core"));
  EXPECT_TRUE(options.set("prune-filters", "ALL:gpu"));
  EXPECT_EQ(options.prune_filters, "ALL:core,ALL:gpu");
  EXPECT_EQ(*options.set("match-format", "poem"), "unknown match-format \"poem\" is ignored");
  EXPECT_FALSE(options.set("match-policy", "poem"));
  EXPECT_FALSE(options.set("traverser", "poem"));
  EXPECT_FALSE(options.set("match-subsystems", "containment"));
  EXPECT_FALSE(options.set("policy", ""));
  EXPECT_EQ(*options.set("reserve-vtx-vec", "-3"), "unknown reserve-vtx-vec \"-3\" is ignored");
}

}  // namespace
}  // namespace copse::flux
