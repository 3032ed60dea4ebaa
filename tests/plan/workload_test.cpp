// SPDX-License-Identifier: Apache-2.0
#include "plan/workload.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "plan/sampler.hpp"
#include "plan/streams/job_reader.hpp"

namespace copse::plan {
namespace {

TEST(Sampler, ExpAndLogAreThoseOfMathematics) {
  for (double x = -30; x <= 30; x += 0.0137) {
    EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 1e-13) << x;
    const double y = std::exp(x);
    EXPECT_NEAR(portable_log(y), std::log(y), 1e-13 * (1 + std::abs(x))) << y;
  }
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_log(1), 0);
}

TEST(Sampler, HasTheMomentsOfItsDistributions) {
  Sampler random(42);
  constexpr int kDraws = 200'000;
  double uniform = 0, normal = 0, normal2 = 0, gamma = 0, gamma2 = 0;
  for (int i = 0; i < kDraws; ++i) {
    uniform += random.uniform();
    const double n = random.normal(), g = random.gamma(4.2, 0.94);
    normal += n;
    normal2 += n * n;
    gamma += g;
    gamma2 += g * g;
  }
  EXPECT_NEAR(uniform / kDraws, 0.5, 0.005);
  EXPECT_NEAR(normal / kDraws, 0, 0.01);
  EXPECT_NEAR(normal2 / kDraws, 1, 0.02);
  const double mean = gamma / kDraws;
  EXPECT_NEAR(mean, 4.2 * 0.94, 0.03);
  EXPECT_NEAR(gamma2 / kDraws - mean * mean, 4.2 * 0.94 * 0.94, 0.1);
}

// The numbers are part of the meaning of a seed: they must be the same on every platform.
TEST(Sampler, GivesTheseNumbers) {
  Sampler random(1);
  EXPECT_EQ(random.bits(), 10451216379200822465U);
  EXPECT_EQ(random.bits(), 13757245211066428519U);
}

TEST(Workload, IsAFunctionOfItsSeed) {
  const Workload w{.jobs = 500, .nodes = 64, .load = 0.8, .seed = 3};
  const auto a = generate(w), b = generate(w);
  ASSERT_TRUE(a && b);
  std::string x, y, z;
  append_swf(x, *a);
  append_swf(y, *b);
  EXPECT_EQ(x, y);
  Workload other = w;
  other.seed = 4;
  append_swf(z, *generate(other));
  EXPECT_NE(x, z);
}

TEST(Workload, HasTheLoadAndTheSizesOfTheModel) {
  constexpr std::int64_t kNodes = 256;
  for (const double load : {0.5, 0.95}) {
    const auto jobs = generate({.jobs = 20'000, .nodes = kNodes, .load = load, .seed = 9});
    ASSERT_TRUE(jobs);
    double work = 0;
    int serial = 0, powers = 0;
    std::int64_t last_s = 0;
    for (const Job& job : jobs->jobs) {
      const std::int64_t nodes = jobs->requests[job.request].resources[0].count.min;
      ASSERT_GE(nodes, 1);
      ASSERT_LE(nodes, kNodes);
      ASSERT_GE(job.submit_s, last_s);
      ASSERT_GT(job.duration_s, job.run_s);
      ASSERT_LE(job.duration_s, 5 * job.run_s + 300);
      work += static_cast<double>(nodes * job.run_s);
      serial += nodes == 1 ? 1 : 0;
      powers += nodes > 1 && (nodes & (nodes - 1)) == 0 ? 1 : 0;
      last_s = job.submit_s;
    }
    EXPECT_NEAR(work / kNodes / static_cast<double>(last_s), load, 0.01 * load);
    EXPECT_NEAR(serial / 20'000.0, 0.244, 0.015);
    EXPECT_NEAR(powers / 20'000.0, 0.60, 0.05);  // 0.576, and some of the others by chance
  }
}

// Users by Zipf's law, queues evenly; sizes and times do not depend on them.
TEST(Workload, HasUsersAndQueues) {
  Workload w{.jobs = 10'000, .nodes = 64, .load = 0.8, .seed = 3};
  const auto plain = generate(w);
  w.users = 10;
  w.queues = {"day", "7"};
  const auto jobs = generate(w);
  ASSERT_TRUE(plain && jobs);
  std::map<std::string, double> users, queues;
  for (std::size_t n = 0; n < jobs->jobs.size(); ++n) {
    const Job &job = jobs->jobs[n], &same = plain->jobs[n];
    ASSERT_EQ(std::tuple(job.submit_s, job.duration_s, job.run_s, job.request),
              std::tuple(same.submit_s, same.duration_s, same.run_s, same.request));
    ++users[jobs->words[job.user]];
    ++queues[jobs->words[job.queue]];
  }
  ASSERT_EQ(users.size(), 10U);
  EXPECT_NEAR(users["1"] / users["2"], 2, 0.2);
  EXPECT_NEAR(users["1"] / users["10"], 10, 2);
  ASSERT_EQ(queues.size(), 2U);
  EXPECT_NEAR(queues["day"], 5'000, 200);
  std::string trace;
  append_swf(trace, *jobs);
  const auto read = read_swf(trace, "made", {.trace_user = true, .trace_queue = true});
  ASSERT_TRUE(read) << read.error().text;
  for (std::size_t n = 0; n < jobs->jobs.size(); ++n) {
    ASSERT_EQ(read->words[read->jobs[n].user], jobs->words[jobs->jobs[n].user]);
    ASSERT_EQ(read->words[read->jobs[n].queue], jobs->words[jobs->jobs[n].queue]);
  }
}

TEST(Workload, RefusesWhatItCannotMake) {
  EXPECT_FALSE(generate({.jobs = 1, .nodes = 0}));
  EXPECT_FALSE(generate({.jobs = 1, .nodes = 1, .load = 0}));
  EXPECT_FALSE(generate({.jobs = 1, .nodes = 1, .load = NAN}));
  EXPECT_FALSE(generate({.jobs = kJobsMax + 1, .nodes = 1}));
  EXPECT_TRUE(generate({.jobs = 1, .nodes = 1}));
}

}  // namespace
}  // namespace copse::plan
