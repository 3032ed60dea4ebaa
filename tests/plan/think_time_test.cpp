// SPDX-License-Identifier: Apache-2.0
//
// Jobs that join the queue some time after another job, and jobs that are submitted then.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plan/flat.hpp"
#include "plan/streams/job_reader.hpp"

namespace copse::plan {
namespace {

struct Told {
  std::string text;
  std::map<std::uint32_t, std::int64_t> submitted_s;
};

// What happens to the jobs, on a node of four cores.
Told told_of(const Jobs& jobs) {
  const auto engine = flat_engine(1, 4);
  Told out;
  ScheduleObserver observer;
  observer.submitted = [&](std::uint32_t job, std::int64_t time_s) {
    EXPECT_TRUE(out.submitted_s.emplace(job, time_s).second) << "it is submitted once";
  };
  observer.started = [&](std::uint32_t job, std::int64_t start_s, std::int64_t, Ending,
                         const Grant&) {
    out.text += jobs.jobs[job].name + " at " + std::to_string(start_s) + "\n";
  };
  observer.refused = [&](std::uint32_t job, std::int64_t time_s, const Error& error) {
    out.text += jobs.jobs[job].name + " at " + std::to_string(time_s) + ": " + error.text + "\n";
  };
  observer.withdrawn = [&](std::uint32_t job, std::int64_t time_s, bool) {
    out.text += jobs.jobs[job].name + " gone at " + std::to_string(time_s) + "\n";
  };
  EXPECT_TRUE(schedule(*engine, jobs, kEasy, observer));
  return out;
}

Jobs trace_of(const std::vector<std::string>& lines, bool think_time = true) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  auto jobs = read_swf(text, "trace", {.trace_think_time = think_time});
  EXPECT_TRUE(jobs) << (jobs ? "" : jobs.error().message());
  return jobs ? std::move(*jobs) : Jobs{};
}

// A job of a trace: its number, submission, run time, cores, the job before, the think time.
std::string trace_line(int number, int submit_s, int run_s, int cores, int before, int think_s) {
  std::string out = std::to_string(number) + " " + std::to_string(submit_s) + " -1 " +
                    std::to_string(run_s) + " " + std::to_string(cores) +
                    " -1 -1 -1 -1 -1 1 1 1 -1 1 -1 " + std::to_string(before) + " " +
                    std::to_string(think_s);
  return out;
}

TEST(ThinkTime, AJobIsSubmittedThatLongAfterTheOneBefore) {
  const Jobs jobs = trace_of({trace_line(1, 0, 100, 4, -1, -1), trace_line(2, 10, 50, 4, 1, 30),
                              trace_line(3, 900, 10, 1, 2, 0), trace_line(4, 20, 10, 1, 1, -1)});
  const Told told = told_of(jobs);
  EXPECT_EQ(told.text, "1 at 0\n4 at 100\n2 at 130\n3 at 180\n");
  EXPECT_EQ(told.submitted_s, (std::map<std::uint32_t, std::int64_t>{{1, 130}, {2, 180}}));
  EXPECT_TRUE(jobs.remarks.empty());
  EXPECT_EQ(
      told_of(trace_of({trace_line(1, 0, 100, 4, -1, -1), trace_line(2, 10, 50, 4, 1, 30)}, false))
          .text,
      "1 at 0\n2 at 100\n");
}

// Job 2 is too large: it is refused, and what follows it comes its think time later.
TEST(ThinkTime, ARefusedJobCountsAsOver) {
  const Told told =
      told_of(trace_of({trace_line(1, 0, 10, 1, -1, -1), trace_line(2, 5, 10, 9, 1, 3),
                        trace_line(3, 6, 10, 1, 2, 7)}));
  EXPECT_TRUE(told.text.starts_with("1 at 0\n2 at 13: ")) << told.text;
  EXPECT_TRUE(told.text.ends_with("\n3 at 20\n")) << told.text;
}

TEST(ThinkTime, WhoFollowsNoEarlierJobKeepsItsTime) {
  const Jobs jobs = trace_of({trace_line(1, 0, 10, 1, 2, 5), trace_line(2, 1, 10, 1, 2, 5),
                              trace_line(3, 2, 10, 1, 9, 5), trace_line(4, 3, 10, 1, 0, 5)});
  EXPECT_EQ(told_of(jobs).text, "1 at 0\n2 at 1\n3 at 2\n4 at 3\n");
  ASSERT_EQ(jobs.remarks.size(), 1U);
  EXPECT_EQ(jobs.remarks[0],
            "3 jobs follow a job that is not before them in the trace, or is left out: they are "
            "submitted at their own times");
}

// The clock ends before the think time does.
TEST(ThinkTime, AJobThatComesAfterTheClockIsRefused) {
  const auto engine = Engine::create(flat(1, 4), {.policy = *find_policy("low"), .horizon = 1000});
  ASSERT_TRUE(engine);
  const Jobs jobs = trace_of({trace_line(1, 0, 100, 4, -1, -1), trace_line(2, 10, 50, 4, 1, 5000)});
  std::string text;
  ScheduleObserver observer;
  observer.refused = [&](std::uint32_t job, std::int64_t, const Error& error) {
    text += jobs.jobs[job].name + ": " + error.text;
  };
  ASSERT_TRUE(schedule(**engine, jobs, kEasy, observer));
  EXPECT_EQ(text, "2: the clock ends before it can start");
}

// Delays without a new submission: the latest of them counts, and also the own time.
TEST(ThinkTime, ADelayMayFollowAnyEvent) {
  auto read = read_job_lines(
      R"({"id": "a", "submit": 0, "duration": 100, "cores": 1}
{"id": "b", "submit": 0, "duration": 10, "cores": 1, "dependency": ["after:a", "afterany:a"]}
{"id": "c", "submit": 500, "duration": 10, "cores": 1, "dependency": "after:a"}
{"id": "d", "submit": 0, "duration": 10, "cores": 1, "dependency": "afterany:b"}
{"time": 120, "cancel": "d"})",
      "lines");
  ASSERT_TRUE(read) << read.error().message();
  read->after[0].delay_s = 300;  // b after the start of a
  read->after[2].delay_s = 50;   // c
  read->after[3].delay_s = 20;   // d
  EXPECT_EQ(told_of(*read).text, "a at 0\nd gone at 120\nb at 300\nc at 500\n");
  read->events.clear();
  EXPECT_EQ(told_of(*read).text, "a at 0\nb at 300\nd at 330\nc at 500\n");
}

}  // namespace
}  // namespace copse::plan
