// SPDX-License-Identifier: Apache-2.0
#include "explain/explanation.hpp"

#include <gtest/gtest.h>

namespace copse {
namespace {

std::string text(const Explanation& explanation) {
  std::string out = "before ";
  append_explanation_text(out, explanation);
  EXPECT_TRUE(out.starts_with("before "));
  EXPECT_TRUE(out.ends_with('\n'));
  return out.substr(out.find('\n') + 1);
}
std::string json(const Explanation& explanation) {
  std::string out;
  append_explanation_json(out, explanation);
  return out;
}

Explanation of(Verdict verdict, Finding finding) {
  Explanation out;
  out.verdict = verdict;
  out.until = 100;
  out.findings.push_back(std::move(finding));
  return out;
}

TEST(Explanation, TheArithmeticOfWhatCanNeverBe) {
  Finding f;
  f.path = "chassis[1] > slot[36] > memory[453]";
  f.place = {"job.yaml", 5, 7};
  f.type = "memory";
  f.unit = "GiB";
  f.counted = false;
  f.needed = 16'308;
  f.factors = {36, 453};
  f.where = "chassis";
  f.most_has = f.most_fits = 8'192;
  EXPECT_EQ(text(of(Verdict::infeasible, f)),
            "chassis[1] > slot[36] > memory[453] (job.yaml:5:7)\n"
            "needs 36 × 453 = 16,308 GiB of memory under one chassis; the largest has 8,192\n");
}

Finding full() {
  Finding f;
  f.path = "node[3]";
  f.type = "node";
  f.needed = 3;
  f.factors = {3};
  f.each = {{"core", 32}, {"gpu", 1}};
  f.most_has = 1'000;
  f.most_fits = 2;
  f.candidates = {.all = 1'000, .fit = 2, .excluded = 1, .down = 1, .held = 996};
  f.holders = {{17, 0, 3'600, 1}, {18, 50, 86'400, 2}};
  f.more_holders = 986;
  f.down = "node7";
  return f;
}

TEST(Explanation, WhatJobsHold) {
  EXPECT_EQ(
      text(of(Verdict::insufficient, full())),
      "node[3]\n"
      "needs 3 nodes with 32 free cores and 1 free gpu each; of 1,000 nodes 2 fit now: 996 "
      "are allocated to jobs (soonest: job 17 until 3,600 s, job 18 from 50 s until 86,400 s and "
      "986 more jobs), 1 is down (node7), 1 is excluded by the constraint\n");
}

TEST(Explanation, NodesThatAreDownBeyondThoseNamed) {
  Finding f = full();
  f.holders.clear();
  f.more_holders = 0;
  f.candidates = {.all = 1'998, .fit = 0, .down = 1'998};
  f.down = "node[1,3]";
  f.more_down = 1'996;
  const std::string words = text(of(Verdict::insufficient, f));
  EXPECT_TRUE(words.ends_with("none fits now: 1,998 are down (node[1,3] and 1,996 more)\n"))
      << words;
  const std::string all = json(of(Verdict::insufficient, f));
  EXPECT_NE(all.find("\"down\": \"node[1,3]\", \"more_down\": 1996}"), std::string::npos) << all;
}

TEST(Explanation, JsonHasEveryNumber) {
  EXPECT_EQ(json(of(Verdict::insufficient, full())),
            "{\"verdict\": \"insufficient\", \"at\": 0, \"until\": 100, \"findings\": [{\"cause\": "
            "\"too_few\", \"path\": \"node[3]\", \"type\": \"node\", \"needed\": 3, \"factors\": "
            "[3], \"each\": [{\"type\": \"core\", \"units\": 32}, {\"type\": \"gpu\", \"units\": "
            "1}], \"most_has\": 1000, \"most_fits\": 2, \"candidates\": {\"all\": 1000, \"fit\": "
            "2, \"too_small\": 0, \"excluded\": 1, \"down\": 1, \"held\": 996, \"busy\": 0, "
            "\"lacking\": 0, \"passed_over\": 0}, \"holders\": [{\"job\": 17, \"start\": 0, "
            "\"end\": 3600, \"units\": 1}, {\"job\": 18, \"start\": 50, \"end\": 86400, \"units\": "
            "2}], \"more_holders\": 986, \"down\": \"node7\"}]}\n");
  EXPECT_EQ(json({}), "{\"verdict\": \"fits\", \"at\": 0, \"until\": 0, \"findings\": []}\n");
  Finding duration;
  duration.cause = Cause::duration;
  duration.most_has = 7;
  EXPECT_EQ(json(of(Verdict::invalid, duration)),
            "{\"verdict\": \"invalid\", \"at\": 0, \"until\": 100, \"findings\": [{\"cause\": "
            "\"duration\", \"most\": 7}]}\n");
}

TEST(Explanation, EveryCauseHasAWordAndASentence) {
  for (int c = 0; c <= static_cast<int>(Cause::duration); ++c) {
    const auto cause = static_cast<Cause>(c);
    EXPECT_STRNE(word(cause), "");
    Finding f;
    f.cause = cause;
    f.type = "node";
    EXPECT_GT(text(of(Verdict::infeasible, f)).size(), 20U);
  }
}

TEST(Explanation, WordsOfOneAndOfMany) {
  const auto needs = [](const char* type, std::int64_t count) {
    Finding f;
    f.type = type;
    f.needed = count;
    f.factors = {count};
    const std::string all = text(of(Verdict::infeasible, f));
    return all.substr(0, all.find(';'));
  };
  EXPECT_EQ(needs("node", 1), "needs 1 node");
  EXPECT_EQ(needs("node", 2), "needs 2 nodes");
  EXPECT_EQ(needs("chassis", 2), "needs 2 chassis");
  EXPECT_EQ(needs("switch", 2), "needs 2 switches");
  EXPECT_EQ(needs("core", 1'234'567), "needs 1,234,567 cores");
}

}  // namespace
}  // namespace copse
