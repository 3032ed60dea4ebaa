// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/job_reader.hpp"

#include <gtest/gtest.h>

namespace copse::plan {
namespace {

Jobs good(std::string_view text, const ReadOptions& options = {}) {
  auto jobs = read_jobs(text, "jobs", options);
  EXPECT_TRUE(jobs) << (jobs ? "" : jobs.error().message());
  return jobs ? std::move(*jobs) : Jobs{};
}
std::string refused(std::string_view text, const ReadOptions& options = {}) {
  const auto jobs = read_jobs(text, "jobs", options);
  return jobs ? "accepted" : jobs.error().message();
}

TEST(JobLines, ReadsWhatAJobSays) {
  const Jobs jobs = good(
      "{\"id\": \"x\", \"submit\": 5, \"duration\": 60, \"run\": 40, \"nodes\": 2, \"priority\": "
      "-3}\n\n  {\"id\": 17, \"duration\": 10, \"run\": 0, \"cores\": 4}\r\n"
      "{\"submit\": 9, \"run\": 7, \"nodes\": 2}\n");
  ASSERT_EQ(jobs.jobs.size(), 3U);
  EXPECT_EQ(jobs.jobs[0].name, "x");
  EXPECT_EQ(jobs.jobs[0].submit_s, 5);
  EXPECT_EQ(jobs.jobs[0].duration_s, 60);
  EXPECT_EQ(jobs.jobs[0].run_s, 40);
  EXPECT_EQ(jobs.jobs[0].priority, -3);
  EXPECT_EQ(jobs.jobs[1].name, "17");
  EXPECT_EQ(jobs.jobs[1].submit_s, 5);  // default: the line before
  EXPECT_EQ(jobs.jobs[1].run_s, 1);     // nothing takes no time
  EXPECT_EQ(jobs.jobs[2].name, "3");
  EXPECT_EQ(jobs.jobs[2].duration_s, 7);
  EXPECT_EQ(jobs.jobs[2].request, jobs.jobs[0].request);
  EXPECT_NE(jobs.jobs[1].request, jobs.jobs[0].request);
  EXPECT_EQ(jobs.requests.size(), 2U);
}

constexpr const char* kJobspec =
    R"({"version": 1, "resources": [{"type": "slot", "count": 2, "label": "t", "with": [{"type": "core", "count": {"min": 1, "max": 4, "operator": "+", "operand": 1}}]}], "tasks": [], "attributes": {"system": {"duration": 33}}})";

TEST(JobLines, ReadsShapesAndJobspecs) {
  const Jobs jobs = good(R"({"shape": "slot=2/core=4", "duration": 5}
{"jobspec": )" + std::string(kJobspec) +
                         R"(}
{"duration": 8, "jobspec": )" +
                         kJobspec + R"(}
{"shape": "slot=2/core=4", "duration": 9})");
  ASSERT_EQ(jobs.jobs.size(), 4U);
  EXPECT_EQ(jobs.requests.size(), 2U);
  EXPECT_EQ(jobs.jobs[0].request, jobs.jobs[3].request);
  EXPECT_EQ(jobs.jobs[1].request, jobs.jobs[2].request);
  EXPECT_EQ(jobs.jobs[1].duration_s, 33);
  EXPECT_EQ(jobs.jobs[2].duration_s, 8);
}

TEST(JobLines, ReadsFilesOfJobspecsOnce) {
  int reads = 0;
  ReadOptions options;
  options.read_file = [&](const std::string& path) -> Result<std::string> {
    ++reads;
    if (path != "a.yaml") return fail(ErrorCode::io, "can't read " + path);
    return std::string(kJobspec);
  };
  const Jobs jobs = good("{\"jobspec\": \"a.yaml\"}\n{\"jobspec\": \"a.yaml\"}\n", options);
  EXPECT_EQ(jobs.jobs[1].duration_s, 33);
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(refused("{\"jobspec\": \"b.yaml\"}\n", options), "jobs:1: can't read b.yaml");
  EXPECT_EQ(refused("{\"jobspec\": \"a.yaml\"}\n"),
            "jobs:1:13: files of jobspecs are not read here");
}

TEST(JobLines, RefusesWithThePlace) {
  EXPECT_EQ(refused("{\"nodes\": 1, \"run\": 1}\n{\"nodes\": 0, \"run\": 1}\n"),
            "jobs:2:11: \"nodes\" is not a whole number from 1 to 1099511627776");
  EXPECT_EQ(refused("{\"run\": 1}\n"),
            "jobs:1: the job requests no resources: give nodes, cores, a shape or a jobspec");
  EXPECT_EQ(refused("{\"run\": 1, \"nodes\": 1, \"shape\": \"slot/core\"}\n"),
            "jobs:1: the job has two requests: give nodes and cores, a shape or a jobspec");
  EXPECT_EQ(refused("{\"nodes\": 1}\n"), "jobs:1: the job has no duration that can be planned");
  EXPECT_EQ(refused("{\"nodes\": 1, \"run\": 1, \"x\": 1}\n"),
            "jobs:1:24: unknown key \"x\"; there are id, submit, duration, run, priority, nodes, "
            "cores, shape, "
            "jobspec, hres, queue, user, after, dependency, constraint, deadline, …");
  EXPECT_EQ(refused("{\"nodes\": 1\n"),
            "jobs:1:12: this is not a JSON object: the line ends, and \"{\" of column 1 is not "
            "closed");
  EXPECT_EQ(refused("{\"nodes\": 1, \"run\": 1} x\n"),
            "jobs:1:24: this is not a JSON object: \"x\" comes after the end of the value");
  EXPECT_EQ(refused("{\"nodes\": 1, \"run\": 1}\n [1]\n"),
            "jobs:2:2: this is not a JSON object: it begins with \"[\"");
  EXPECT_EQ(refused("{\"nodes\": 1, \"run\": 1.5}\n"),
            "jobs:1:21: \"run\" is not a whole number from 0 to 1099511627776");
  EXPECT_EQ(refused("{\"nodes\": 1, \"run\": \"1x\"}\n"),
            "jobs:1:21: \"run\": \"1x\" is not a duration: write 90, 10m, 1.5h, 2d, 01:00:00 or "
            "1-12:00:00");
  EXPECT_EQ(refused("{\"nodes\": 1, \"run\": \"inf\"}\n"),
            "jobs:1:21: \"run\" is not from 0 to 1099511627776 seconds");
  EXPECT_EQ(refused("{\"shape\": \"slot=/core\", \"run\": 1}\n").substr(0, 17),
            "jobs:1:11: shape:");
  EXPECT_EQ(refused("{\"id\": \"\xff\", \"nodes\": 1, \"run\": 1}\n"),
            "jobs:1:9: this byte is not UTF-8");
  EXPECT_EQ(refused("{\"jobspec\": {}, \"run\": 1}\n").substr(0, 8), "jobs:1:1");
}

TEST(JobLines, Bounds) {
  ReadOptions options;
  options.jobs_max = 2;
  const std::string line = "{\"nodes\": 1, \"run\": 1}\n";
  EXPECT_EQ(refused(line + line + line, options), "jobs:3: more than 2 jobs");
  options.line_bytes_max = 10;
  EXPECT_EQ(refused(line, options), "jobs:1: a line of more than 10 bytes");
  std::string deep = "{\"jobspec\": ";
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\": ";
  EXPECT_NE(refused(deep + "\n"), "accepted");
}

constexpr const char* kTrace =
    "; MaxNodes: 4\n"
    ";\n"
    "  1   0  -1   100   8 -1 -1   8   200 -1 1 1 1 -1 1 -1 -1 -1\n"
    "  2  10   5     0   9 -1 -1  -1    -1 -1 1 1 1 -1 1 -1 -1 -1\n"
    "  3  20  -1    -1  -1 -1 -1   4   100 -1 5 1 1 -1 1 -1 -1 -1\n"
    "\t4\t30.7 -1 9.2 1 -1 -1 1 300 -1 0 1 1 -1 1 -1 -1 -1";

TEST(Swf, ReadsTheTrace) {
  const Jobs jobs = good(kTrace);
  ASSERT_EQ(jobs.jobs.size(), 3U);
  EXPECT_EQ(jobs.skipped.count(), 1U);
  EXPECT_EQ(jobs.jobs[0].name, "1");
  EXPECT_EQ(jobs.jobs[0].duration_s, 200);
  EXPECT_EQ(jobs.jobs[0].run_s, 100);
  EXPECT_EQ(jobs.jobs[1].submit_s, 10);
  EXPECT_EQ(jobs.jobs[1].run_s, 1);
  EXPECT_EQ(jobs.jobs[1].duration_s, 1);  // unknown: as long as it ran
  EXPECT_EQ(jobs.jobs[2].submit_s, 30);
  EXPECT_EQ(jobs.jobs[2].run_s, 10);
  const auto& slot = jobs.requests[jobs.jobs[1].request].resources[0];
  EXPECT_EQ(slot.count.min, 9);
  EXPECT_EQ(slot.with[0].type, "core");
}

TEST(Swf, ProcessorsBecomeNodes) {
  ReadOptions options;
  options.processors_per_node = 4;
  const Jobs jobs = good(kTrace, options);
  const auto& eight = jobs.requests[jobs.jobs[0].request].resources[0];
  const auto& nine = jobs.requests[jobs.jobs[1].request].resources[0];
  EXPECT_EQ(eight.count.min, 2);
  EXPECT_EQ(nine.count.min, 3);
  EXPECT_EQ(nine.with[0].type, "node");
}

// Some archives have a field of their own behind the 18.
TEST(Swf, IgnoresFurtherFields) {
  const Jobs jobs = good(
      "1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 1 1 7 x\n2 0 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 1 1\n");
  EXPECT_EQ(jobs.jobs.size(), 2U);
  EXPECT_EQ(jobs.remarks, std::vector<std::string>{
                              "1 job has more than 18 fields, the first in line 1: the others are "
                              "ignored"});
}

TEST(Swf, RefusesWithThePlace) {
  EXPECT_EQ(refused("; x\n1 2 3\n"), "jobs:2: a job of a trace has 18 fields, this one 3");
  EXPECT_EQ(refused("1 zero -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 1 1\n"),
            "jobs:1: field 2 is not a number");
  EXPECT_EQ(refused("1 nan -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 1 1\n"),
            "jobs:1: field 2 is not a number");
  EXPECT_EQ(refused("1 -5 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 1 1\n"),
            "jobs:1: a time is not between 0 and 1099511627776 s");
  EXPECT_EQ(refused("1 0 -1 10 1e13 -1 -1 1e13 10 -1 1 1 1 1 1 1 1 1\n"),
            "jobs:1: more than 1099511627776 processors");
}

// The clock of the engine ends at 100: a job must end before.
TEST(Swf, EndsBeforeTheClock) {
  ReadOptions options;
  options.clock_end_s = 100;
  const std::string rest = " 1 -1 -1 1 500 -1 1 1 1 1 1 1 1 1\n";
  EXPECT_EQ(good("1 0 -1 99" + rest + "2 89 -1 10" + rest, options).jobs.size(), 2U);
  const auto late = [&](const std::string& line) {
    const auto jobs = read_jobs("1 0 -1 10" + rest + line + rest, "jobs", options);
    return jobs ? "good" : jobs.error().message();
  };
  EXPECT_EQ(late("2 90 -1 10"),
            "jobs:2: the job ends at 100 s at the earliest; the clock ends at 100 s");
  EXPECT_EQ(late("2 100 -1 1"),
            "jobs:2: the job ends at 101 s at the earliest; the clock ends at 100 s");
}

TEST(JobLines, OfOneSecondAreBounded) {
  ReadOptions options;
  options.jobs_of_second_max = 2;
  const std::string job = "{\"nodes\": 1, \"duration\": 9}\n";
  EXPECT_EQ(good(job + job, options).jobs.size(), 2U);
  EXPECT_EQ(refused(job + job + job, options), "jobs:3: more than 2 jobs are submitted at 0 s");
  const std::string line = "1 7 -1 10 1 -1 -1 1 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n";
  EXPECT_EQ(refused(line + line + line, options), "jobs:3: more than 2 jobs are submitted at 7 s");
}

TEST(JobLines, EndBeforeTheClock) {
  ReadOptions options;
  options.clock_end_s = 100;
  const auto read = [&](const std::string& line) {
    const auto jobs = read_jobs("{\"nodes\": 1, \"duration\": 9}\n" + line, "jobs", options);
    return jobs ? "good" : jobs.error().message();
  };
  EXPECT_EQ(read(R"({"nodes": 1, "submit": 95, "duration": 40, "run": 4})"), "good");
  EXPECT_EQ(read(R"({"nodes": 1, "submit": 95, "duration": 40, "run": 5})"),
            "jobs:2: the job ends at 100 s at the earliest; the clock ends at 100 s");
}

TEST(Swf, IsWrittenAsItIsRead) {
  ReadOptions options;
  options.processors_per_node = 1;
  const Jobs jobs = good(kTrace, options);
  std::string text;
  append_swf(text, jobs);
  const Jobs again = good(text, options);
  ASSERT_EQ(again.jobs.size(), jobs.jobs.size());
  for (std::size_t j = 0; j < jobs.jobs.size(); ++j) {
    EXPECT_EQ(again.jobs[j].submit_s, jobs.jobs[j].submit_s);
    EXPECT_EQ(again.jobs[j].run_s, jobs.jobs[j].run_s);
    EXPECT_EQ(again.jobs[j].duration_s, jobs.jobs[j].duration_s);
    EXPECT_EQ(again.jobs[j].request, jobs.jobs[j].request);
  }
}

TEST(Jobs, AnEmptyTextHasNone) {
  EXPECT_EQ(good("").jobs.size(), 0U);
  EXPECT_EQ(good("\n \n").jobs.size(), 0U);
  EXPECT_EQ(good("; only comments\n").jobs.size(), 0U);
}

}  // namespace
}  // namespace copse::plan
