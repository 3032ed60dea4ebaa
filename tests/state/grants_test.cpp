// SPDX-License-Identifier: Apache-2.0
#include "state/grants.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace copse {
namespace {

void add(Grants& grants, JobId job) {
  const std::uint32_t number = grants.add(job, 0, 10);
  grants.own(number).selection.taken.push_back({PoolId{static_cast<std::uint32_t>(job)}});
}

TEST(Grants, NumbersAreDenseAndUsedAgain) {
  Grants grants;
  EXPECT_TRUE(grants.empty());
  EXPECT_EQ(grants.number_of(7), std::nullopt);
  EXPECT_EQ(grants.add(7, 0, 1), 0U);
  EXPECT_EQ(grants.add(3, 0, 1), 1U);
  EXPECT_EQ(grants.number_of(7), 0U);
  grants.drop(0);
  EXPECT_FALSE(grants.contains(7));
  EXPECT_EQ(grants.add(9, 0, 1), 0U);
  EXPECT_EQ(grants[0].job, 9U);
  EXPECT_EQ(grants.size(), 2U);
  EXPECT_TRUE(grants.check());
}

// Random ids, among them 0 and ids that hash to the same slot, compared with a map; copies change
// independently.
TEST(Grants, IsAMapByJob) {
  std::mt19937_64 random(1);
  Grants grants, copy;
  std::map<JobId, std::uint32_t> model, model_of_copy;
  for (int step = 0; step < 20'000; ++step) {
    const JobId job = random() % 3 == 0 ? random() % 50 : (random() % 2'000) << 40;
    const auto known = model.find(job);
    ASSERT_EQ(grants.number_of(job),
              known == model.end() ? std::nullopt : std::optional(known->second));
    if (known == model.end()) {
      add(grants, job);
      model[job] = *grants.number_of(job);
    } else if (random() % 2 == 0) {
      grants.drop(known->second);
      model.erase(known);
    }
    if (step % 1'000 == 0) {
      ASSERT_TRUE(grants.check() && copy.check());
      copy = grants;
      model_of_copy = model;
    }
  }
  std::map<JobId, std::uint32_t> all;
  const Grants& read = grants;
  read.for_each([&](std::uint32_t number, const Grant& g) { all.emplace(g.job, number); });
  EXPECT_EQ(all, model);
  EXPECT_EQ(copy.size(), model_of_copy.size());
  for (const auto& [job, number] : model_of_copy) EXPECT_EQ(copy.number_of(job), number);
}

}  // namespace
}  // namespace copse
