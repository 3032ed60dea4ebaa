// SPDX-License-Identifier: Apache-2.0
//
// Queues with hierarchical resources, computed by hand: there are many nodes, and few licences.
#include <gtest/gtest.h>

#include "formats/hres/hres.hpp"
#include "plan/flat.hpp"
#include "plan/streams/job_reader.hpp"
#include "request/hres.hpp"

namespace copse::plan {
namespace {

std::unique_ptr<Engine> licensed(int nodes, int licences) {
  auto engine = flat_engine(nodes, 2);
  const std::string text = "- {resource: licence, mode: MODE_1, layers: [{nodes: \"node[0-" +
                           std::to_string(nodes - 1) + "]\", count: " + std::to_string(licences) +
                           "}]}\n";
  const auto spec = read_hres(text, "licence.yaml");
  EXPECT_TRUE(spec);
  EXPECT_TRUE(engine->add_resources(*spec));
  return engine;
}

using Starts = std::vector<std::int64_t>;

Starts starts(int nodes, int licences, std::string_view lines, Discipline discipline) {
  const auto jobs = read_job_lines(lines, "jobs");
  EXPECT_TRUE(jobs) << (jobs ? "" : jobs.error().message());
  const auto engine = licensed(nodes, licences);
  Starts out;
  for (const Placed& p : placed(*engine, *jobs, discipline)) out.push_back(p.start_s);
  return out;
}

// One licence, two jobs that need it, and one that does not: it overtakes them.
constexpr std::string_view kTwo = R"({"nodes": 1, "duration": 10, "hres": "licence"}
{"nodes": 1, "duration": 10, "hres": "licence"}
{"nodes": 2, "duration": 30}
)";

TEST(PlanSupply, OneLicenceIsSharedInTime) {
  EXPECT_EQ(starts(4, 1, kTwo, kEasy), (Starts{0, 10, 0}));
  EXPECT_EQ(starts(4, 1, kTwo, kConservative), (Starts{0, 10, 0}));
  EXPECT_EQ(starts(4, 1, kTwo, kFcfs), (Starts{0, 10, 10}));
  EXPECT_EQ(starts(4, 2, kTwo, kEasy), (Starts{0, 0, 0}));
}

// The first job waits for a's nodes, and has the licence from 10 on: c, which needs it for 20,
// would conflict; d, for 10, would not.
constexpr std::string_view kBehind = R"({"nodes": 3, "duration": 10}
{"nodes": 4, "duration": 10, "hres": "licence"}
{"nodes": 1, "duration": 20, "hres": "licence"}
{"nodes": 1, "duration": 10, "hres": "licence"}
)";

TEST(PlanSupply, WhatIsTooLongForALayerSaysNothingOfShorterJobs) {
  EXPECT_EQ(starts(4, 1, kBehind, kEasy), (Starts{0, 10, 20, 0}));
  EXPECT_EQ(starts(4, 1, kBehind, kConservative), (Starts{0, 10, 20, 0}));
}

// The licence alone blocks b: c needs it as well, and would delay b longer than a does.
constexpr std::string_view kKept = R"({"nodes": 1, "duration": 10, "hres": "licence:1"}
{"nodes": 1, "duration": 10, "hres": "licence:2"}
{"nodes": 1, "duration": 20, "hres": "licence:1"}
{"nodes": 1, "duration": 10, "hres": "licence:1"}
)";

TEST(PlanSupply, NothingTakesTheLicenceOfTheHead) {
  EXPECT_EQ(starts(8, 2, kKept, kEasy), (Starts{0, 10, 20, 0}));
  EXPECT_EQ(starts(8, 2, kKept, kConservative), (Starts{0, 10, 20, 0}));
}

// a ends at 5 instead of 20: conservative moves b forward, to the freed licence.
TEST(PlanSupply, WhatIsGivenBackMovesOthersForward) {
  const std::string_view lines = R"({"nodes": 1, "duration": 20, "run": 5, "hres": "licence"}
{"nodes": 1, "duration": 10, "hres": "licence"}
{"nodes": 1, "duration": 10, "hres": "licence"}
)";
  EXPECT_EQ(starts(4, 1, lines, kConservative), (Starts{0, 5, 15}));
  EXPECT_EQ(starts(4, 1, lines, kEasy), (Starts{0, 5, 15}));
}

TEST(PlanSupply, RequestsAreOneOnlyIfTheyAskForTheSame) {
  auto jobs = read_job_lines(kBehind, "jobs");
  ASSERT_TRUE(jobs);
  EXPECT_EQ(jobs->requests.size(), 3U);
  EXPECT_EQ(jobs->jobs[2].request, jobs->jobs[3].request);
  EXPECT_TRUE(jobs->requests[jobs->jobs[0].request].hres.empty());
  jobs->requests.also_all(*parse_hres_request("other:3"));
  EXPECT_EQ(jobs->requests[jobs->jobs[0].request].hres.items[0].name, "other");
  EXPECT_EQ(jobs->requests[jobs->jobs[1].request].hres.items[0].name, "licence");
}

// All licences are kept for others until 40; b, behind a first job that waits for nodes until 100,
// needs only one of them.
TEST(PlanSupply, WhatIsKeptOfALayerIsHadWhenThatEnds) {
  const auto starts_with = [](std::string_view lines, Discipline discipline) {
    const auto jobs = read_job_lines(lines, "jobs");
    EXPECT_TRUE(jobs);
    const auto engine = licensed(4, 2);
    EXPECT_TRUE(engine->reserve_layer({.id = "kept",
                                       .resource = "licence",
                                       .nodes = "node[0-3]",
                                       .count = 2,
                                       .start = 0,
                                       .end = 40,
                                       .jobs = {}}));
    Starts out;
    for (const Placed& p : placed(*engine, *jobs, discipline)) out.push_back(p.start_s);
    return out;
  };
  const std::string_view alone = "{\"nodes\": 1, \"duration\": 10, \"hres\": \"licence\"}\n";
  const std::string_view behind = R"({"nodes": 2, "duration": 100}
{"nodes": 4, "duration": 10}
{"nodes": 1, "duration": 10, "hres": "licence"}
)";
  for (const Discipline& d : {kFcfs, kEasy, kConservative}) {
    EXPECT_EQ(starts_with(alone, d), (Starts{40})) << d.name;
  }
  EXPECT_EQ(starts_with(behind, kFcfs), (Starts{0, 100, 110}));
  EXPECT_EQ(starts_with(behind, kEasy), (Starts{0, 100, 40}));
  EXPECT_EQ(starts_with(behind, kConservative), (Starts{0, 100, 40}));
}

TEST(PlanSupply, RefusesWhatNoLayerHas) {
  EXPECT_EQ(starts(4, 1, "{\"nodes\": 1, \"duration\": 10, \"hres\": \"licence:2\"}\n", kEasy),
            (Starts{-1}));
  const auto jobs = read_job_lines("{\"nodes\": 1, \"duration\": 10, \"hres\": \"a b\"}\n", "jobs");
  ASSERT_FALSE(jobs);
  EXPECT_EQ(jobs.error().place.line, 1U);
}

}  // namespace
}  // namespace copse::plan
