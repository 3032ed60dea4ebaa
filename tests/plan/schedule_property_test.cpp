// SPDX-License-Identifier: Apache-2.0
//
// Random traces of whole-node jobs: every job has the start and the nodes of the slow schedule in
// oracle.hpp.
#include <gtest/gtest.h>

#include "formats/hres/hres.hpp"
#include "plan/flat.hpp"
#include "plan/oracle.hpp"
#include "property/random.hpp"
#include "request/resource_of.hpp"

namespace copse::plan {
namespace {

#if defined(COPSE_SANITIZED)
constexpr std::uint64_t kSeeds = 100;
#else
constexpr std::uint64_t kSeeds = 1000;
#endif

struct Trace {
  int nodes = 1;
  std::vector<OracleJob> jobs;
};

Trace trace_of(std::uint64_t seed) {
  property::Random random(seed);
  Trace out;
  out.nodes = static_cast<int>(random.between(1, 12));
  const auto jobs = random.between(1, 40);
  const bool few_lengths = random.chance(50), priorities = random.chance(20);
  const auto gap = random.between(0, 6);
  int now = 0;
  for (std::int64_t n = 0; n < jobs; ++n) {
    now += static_cast<int>(random.between(0, gap));
    OracleJob job;
    job.submit = now;
    job.duration = static_cast<int>(few_lengths ? 5 * random.between(1, 3) : random.between(1, 30));
    job.run = random.chance(50) ? static_cast<int>(random.between(1, job.duration)) : job.duration;
    if (random.chance(5)) job.run = job.duration + 7;  // ended at its limit
    job.nodes = static_cast<int>(random.between(1, random.chance(50) ? out.nodes : 3));
    if (random.chance(3)) job.nodes = out.nodes + 1;  // refused
    if (priorities) job.priority = static_cast<int>(random.between(0, 2));
    out.jobs.push_back(job);
  }
  return out;
}

Jobs jobs_of(const Trace& trace) {
  Jobs out;
  for (const OracleJob& j : trace.jobs) {
    Job job;
    job.name = std::to_string(out.jobs.size());
    job.submit_s = j.submit;
    job.duration_s = j.duration;
    job.run_s = j.run;
    job.priority = j.priority;
    job.request = *out.requests.whole_nodes(j.nodes);
    out.jobs.push_back(std::move(job));
  }
  return out;
}

std::string text_of(const Trace& trace) {
  std::string out = "nodes " + std::to_string(trace.nodes) + "\n";
  for (const OracleJob& j : trace.jobs) {
    out += "submit " + std::to_string(j.submit) + " duration " + std::to_string(j.duration) +
           " run " + std::to_string(j.run) + " nodes " + std::to_string(j.nodes) + " priority " +
           std::to_string(j.priority) + "\n";
  }
  return out;
}

struct Kind {
  Discipline discipline;
  OracleDiscipline oracle;
};
const Kind kKinds[] = {{kFcfs, OracleDiscipline::fcfs},
                       {kEasy, OracleDiscipline::easy},
                       {kConservative, OracleDiscipline::conservative}};

void compare(const Trace& trace, const Kind& kind, const char* policy) {
  const auto engine = flat_engine(trace.nodes, 2, policy);
  const auto have = placed(*engine, jobs_of(trace), kind.discipline);
  const auto want =
      oracle(trace.nodes, trace.jobs, kind.oracle, std::string_view(policy) == "first");
  for (std::size_t j = 0; j < have.size(); ++j) {
    ASSERT_EQ(have[j].start_s, want[j].start) << "job " << j;
    ASSERT_EQ(have[j].end_s, want[j].end) << "job " << j;
    ASSERT_EQ(have[j].nodes, want[j].nodes) << "job " << j;
  }
}

class Traces : public testing::TestWithParam<Kind> {};

TEST_P(Traces, AsTheSlowScheduleUnderLow) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Trace trace = trace_of(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text_of(trace));
    compare(trace, GetParam(), "low");
    if (HasFatalFailure()) return;
  }
}

TEST_P(Traces, AsTheSlowScheduleUnderFirst) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Trace trace = trace_of(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text_of(trace));
    compare(trace, GetParam(), "first");
    if (HasFatalFailure()) return;
  }
}

// What cannot bind changes no start: a constraint that all nodes meet, licences without an end, enough
// power for one node less in each half than the half has, on a machine that has these more; jobs of all
// cores of their nodes.
enum class Addition { constraint, licences, power, cores };

Jobs with_addition(Jobs jobs, const Trace& trace, Addition addition) {
  for (std::size_t n = 0; n < jobs.jobs.size(); ++n) {
    // Power is a number of nodes only where all jobs ask for it.
    if (addition != Addition::power && n % 2 == 0) continue;
    const std::int64_t nodes = trace.jobs[n].nodes;
    Request asked;
    asked.resources.push_back(resource_of("slot", nodes, {resource_of("node", 1)}));
    switch (addition) {
      case Addition::constraint:
        asked.constraint = {
            Constraint::Op::negate, {}, {}, {{Constraint::Op::hostlist, {"x"}, {}, {}}}};
        break;
      case Addition::licences: asked.hres.items.push_back({"lic", {}, 3}); break;
      case Addition::power: asked.hres.items.push_back({"power", {}, 2}); break;
      case Addition::cores:
        asked.resources = {
            resource_of("node", nodes, {resource_of("slot", 2, {resource_of("core", 1)})})};
        break;
    }
    const std::string text = "added " + std::to_string(nodes);
    const std::uint32_t* known = jobs.requests.find(text);
    jobs.jobs[n].request = known != nullptr ? *known : *jobs.requests.add(text, asked);
  }
  return jobs;
}

// Each half has power for one node less.
std::unique_ptr<Engine> engine_with(const Trace& trace, Addition addition) {
  const int more = addition == Addition::power ? 2 : 0, nodes = trace.nodes + more;
  auto engine = flat_engine(nodes, 2, "low");
  const std::string last = std::to_string(nodes - 1), half = std::to_string(nodes / 2);
  const std::string before = std::to_string(nodes / 2 - 1);
  const auto layer = [](const std::string& hosts, int count) {
    return "{nodes: [\"node[" + hosts + "]\"], count: " + std::to_string(count) + "}";
  };
  std::string text;
  if (addition == Addition::licences) {
    text = "[{resource: lic, mode: MODE_2, layers: [" + layer("0-" + last, 1'000'000) + "]}]";
  } else if (addition == Addition::power) {
    text = "[{resource: power, mode: MODE_3, layers: [" + layer("0-" + last, 1'000) + ", " +
           layer("0-" + before, 2 * (nodes / 2 - 1)) + ", " +
           layer(half + "-" + last, 2 * (nodes - nodes / 2 - 1)) + "]}]";
  }
  if (text.empty()) return engine;
  EXPECT_TRUE(engine->add_resources(*read_hres(text, "added")));
  return engine;
}

TEST_P(Traces, WhatCannotBindChangesNoStart) {
  for (std::uint64_t seed = 0; seed < kSeeds / 4; ++seed) {
    const Trace trace = trace_of(seed + 2'000'000);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text_of(trace));
    const auto want = oracle(trace.nodes, trace.jobs, GetParam().oracle, false);
    for (const Addition addition :
         {Addition::constraint, Addition::licences, Addition::power, Addition::cores}) {
      SCOPED_TRACE("addition " + std::to_string(static_cast<int>(addition)));
      if (addition == Addition::power && trace.nodes < 2) continue;
      const auto engine = engine_with(trace, addition);
      const auto have =
          placed(*engine, with_addition(jobs_of(trace), trace, addition), GetParam().discipline);
      for (std::size_t j = 0; j < have.size(); ++j) {
        ASSERT_EQ(have[j].start_s, want[j].start) << "job " << j;
      }
    }
  }
}

// Each job has its requested number of nodes, shares none, and does not run before its submission;
// the engine is empty in the end.
TEST_P(Traces, NobodySharesANode) {
  for (std::uint64_t seed = 0; seed < kSeeds / 4; ++seed) {
    const Trace trace = trace_of(seed + 1'000'000);
    const Jobs jobs = jobs_of(trace);
    const auto engine = flat_engine(trace.nodes, 2, "high");
    const auto have = placed(*engine, jobs, GetParam().discipline);
    ASSERT_EQ(engine->grant_count(), 0U);
    for (std::size_t a = 0; a < have.size(); ++a) {
      const bool fits = trace.jobs[a].nodes <= trace.nodes;
      ASSERT_EQ(have[a].start_s >= 0, fits);
      if (!fits) continue;
      ASSERT_GE(have[a].start_s, trace.jobs[a].submit);
      ASSERT_EQ(have[a].nodes.size(), static_cast<std::size_t>(trace.jobs[a].nodes));
      for (std::size_t b = 0; b < a; ++b) {
        if (have[a].start_s >= have[b].end_s || have[b].start_s >= have[a].end_s) continue;
        for (std::uint32_t n : have[a].nodes) {
          ASSERT_EQ(std::ranges::count(have[b].nodes, n), 0) << "seed " << seed;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Disciplines, Traces, testing::ValuesIn(kKinds),
                         [](const auto& kind) { return kind.param.discipline.name; });

}  // namespace
}  // namespace copse::plan
