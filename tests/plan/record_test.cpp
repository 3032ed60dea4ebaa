// SPDX-License-Identifier: Apache-2.0
//
// Figures computed by hand; pictures and traces of small and large schedules, which are the same
// each time.
#include "plan/record.hpp"

#include <gtest/gtest.h>

#include <map>

#include "draw/gantt.hpp"
#include "draw/time_axis.hpp"
#include "plan/flat.hpp"
#include "plan/output/summary_text.hpp"
#include "plan/output/trace.hpp"
#include "plan/workload.hpp"

namespace copse::plan {
namespace {

struct Made {
  std::string lines, gantt, trace;
  Summary summary;
};

Made make(ResourceGraph graph, const Jobs& jobs, Discipline discipline,
          const char* policy = "low") {
  auto engine = Engine::create(std::move(graph), {.policy = *find_policy(policy)});
  EXPECT_TRUE(engine);
  const NodeRows node_rows((*engine)->graph());
  Made out;
  Record record(jobs, node_rows, true, [&](std::string_view line) { out.lines += line; });
  EXPECT_TRUE(schedule(**engine, jobs, discipline, record.observer()));
  out.summary = record.summary();
  const auto into = [](std::string& text) {
    return [&text](std::string_view piece) {
      text += piece;
      return true;
    };
  };
  EXPECT_TRUE(draw::write_gantt_svg(record, discipline.name, into(out.gantt)));
  EXPECT_TRUE(write_trace_json(record, into(out.trace)));
  return out;
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1))
    ++n;
  return n;
}

Jobs columns(std::initializer_list<std::array<std::int64_t, 4>> asked) {
  Jobs out;
  for (const auto& [submit_s, duration_s, run_s, nodes] : asked) {
    Job job;
    job.name = "j" + std::to_string(out.jobs.size());
    job.submit_s = submit_s;
    job.duration_s = duration_s;
    job.run_s = run_s;
    job.request = *out.requests.whole_nodes(nodes);
    out.jobs.push_back(std::move(job));
  }
  return out;
}

TEST(Record, BoundedSlowdown) {
  EXPECT_EQ(bounded_slowdown(0, 100), 1);
  EXPECT_EQ(bounded_slowdown(100, 100), 2);
  EXPECT_EQ(bounded_slowdown(5, 1), 1);   // (5 + 1) / 10, and at least 1
  EXPECT_EQ(bounded_slowdown(29, 1), 3);  // (29 + 1) / 10
}

// Two nodes of 4 cores, from 100 on:
//   0 a × 40, b × 20, b           a 100 … 140 (asked for 50), b 140 … 160, both nodes
//   1 . × 40, b × 20
TEST(Record, FiguresByHand) {
  const auto made =
      make(flat(2, 4), columns({{100, 50, 40, 1}, {110, 20, 20, 2}, {110, 5, 5, 3}}), kEasy);
  const Summary& s = made.summary;
  EXPECT_EQ(s.jobs, 3U);
  EXPECT_EQ(s.started, 2U);
  EXPECT_EQ(s.refused, 1U);
  EXPECT_EQ(s.first_submit_s, 100);
  EXPECT_EQ(s.makespan_s(), 60);
  EXPECT_EQ(s.of_started->mean_wait_s, 15);    // 0 and 30
  EXPECT_EQ(s.of_started->median_wait_s, 15);  // halfway between the two
  EXPECT_EQ(s.of_started->longest_wait_s, 30);
  EXPECT_EQ(s.of_started->mean_slowdown, (1 + 2.5) / 2);
  EXPECT_DOUBLE_EQ(s.nodes_used, (40 + 2 * 20) / (2 * 60.0));
  EXPECT_DOUBLE_EQ(s.cores_used, (40 * 4 + 8 * 20) / (8 * 60.0));
  EXPECT_EQ(s.longest_queue, 1U);
}

TEST(Record, NoJobHasNoMean) {
  const auto made =
      make(flat(2, 4), columns({{0, 50, 40, 3}, {0, 50, 40, 9}, {1, 5, 5, 9}}), kEasy);
  const Summary& s = made.summary;
  EXPECT_EQ(s.refused, 3U);
  EXPECT_FALSE(s.of_started);
  ASSERT_TRUE(s.commonest_refusal);
  EXPECT_EQ(s.commonest_refusal->jobs, 2U);
  EXPECT_NE(s.commonest_refusal->reason.find("needs 9 nodes"), std::string::npos)
      << s.commonest_refusal->reason;
  const std::string json = summary_json(s, "an \"own\" one", {});
  EXPECT_NE(json.find(R"("discipline": "an \"own\" one")"), std::string::npos) << json;
  EXPECT_NE(
      json.find(R"("makespan": null, "mean_wait": null, "median_wait": null, "p90_wait": null, )"
                R"("longest_wait": null, "mean_slowdown": null, "promised": 0)"),
      std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("longest_queue": 0, "commonest_refusal": {"reason": "this system)"),
            std::string::npos)
      << json;
  const std::string text = summary_text(s, "easy");
  EXPECT_EQ(text.find("wait"), std::string::npos) << text;
  EXPECT_NE(text.find("refused because   this system"), std::string::npos) << text;
  EXPECT_NE(text.find(" (2 of 3 jobs)\n"), std::string::npos) << text;

  const auto served = make(flat(2, 4), columns({{0, 50, 40, 1}}), kEasy);
  EXPECT_EQ(refusal_text(served.summary), "");
  EXPECT_EQ(summary_json(served.summary, "easy", {}).find("refusal"), std::string::npos);
}

TEST(Record, SharedNodesCountOnceAndHaveTracks) {
  Jobs jobs;
  for (const std::int64_t cores : {2, 1, 1}) {
    Job job;
    job.name = "x";
    job.duration_s = job.run_s = 100;
    job.request = *jobs.requests.cores_of_nodes(1, cores);
    jobs.jobs.push_back(job);
  }
  const auto made = make(flat(2, 4), jobs, kEasy);
  EXPECT_DOUBLE_EQ(made.summary.nodes_used, 0.5);
  EXPECT_DOUBLE_EQ(made.summary.cores_used, 0.5);
  EXPECT_EQ(count(made.trace, "\"ph\": \"X\""), 3U);
  EXPECT_EQ(count(made.trace, "\"name\": \"node0 · 3\""), 1U);
}

// A red bar at the end, and a word in the tooltip.
TEST(Gantt, ShowsWhoDidNotEndByItself) {
  Jobs jobs;
  for (const auto& [name, run_s] : {std::pair{"done", 50}, {"long", 200}}) {
    Job job;
    job.name = name;
    job.run_s = run_s;
    job.duration_s = 100;
    job.request = *jobs.requests.whole_nodes(1);
    jobs.jobs.push_back(job);
  }
  const auto made = make(flat(2, 1), jobs, kEasy);
  EXPECT_EQ(count(made.gantt, "waited 0</title>"), 1U) << made.gantt;
  EXPECT_EQ(count(made.gantt, "waited 0, killed</title>"), 2U);
  EXPECT_EQ(count(made.gantt, "class=\"x\""), 1U);
  EXPECT_NE(made.gantt.find(" · 1 killed"), std::string::npos);
}

// A track never has two slices at a time: viewers would nest them.
TEST(Trace, SlicesOfATrackAreApart) {
  auto jobs = generate({.jobs = 400, .nodes = 8, .load = 1.2, .seed = 2});
  ASSERT_TRUE(jobs);
  const auto made = make(flat(8, 2), *jobs, kConservative);
  std::map<std::uint64_t, std::int64_t> end_of;  // by track
  std::size_t slices = 0;
  for (std::size_t at = made.trace.find("\"ph\": \"X\""); at != std::string::npos;
       at = made.trace.find("\"ph\": \"X\"", at + 1)) {
    unsigned long long track = 0;
    long long ts = 0, dur = 0;
    ASSERT_EQ(std::sscanf(made.trace.c_str() + at,
                          "\"ph\": \"X\", \"pid\": 1, \"tid\": %llu, \"ts\": %lld, \"dur\": %lld",
                          &track, &ts, &dur),
              3);
    const auto before = end_of.find(track);
    if (before != end_of.end()) {
      ASSERT_GE(ts, before->second);
    }
    end_of[track] = ts + dur;
    ++slices;
  }
  EXPECT_GE(slices, 400U);
  EXPECT_TRUE(made.trace.ends_with("\n]}\n"));
}

TEST(Gantt, ARectangleForEachRunOfNeighbours) {
  // c has nodes 0 and 2: two rectangles.
  const auto made =
      make(flat(3, 1), columns({{0, 10, 10, 1}, {0, 30, 30, 1}, {20, 10, 10, 2}}), kEasy);
  EXPECT_EQ(count(made.gantt, "<title>j0"), 1U);
  EXPECT_EQ(count(made.gantt, "<title>j1"), 1U);
  EXPECT_EQ(count(made.gantt, "<title>j2"), 2U);
  EXPECT_TRUE(made.gantt.ends_with("</svg>\n"));
}

TEST(Gantt, ManyJobsAreSummarized) {
  auto jobs = generate({.jobs = 6000, .nodes = 100, .load = 0.9, .seed = 1});
  ASSERT_TRUE(jobs);
  const auto made = make(flat(100, 1), *jobs, kEasy);
  EXPECT_NE(made.gantt.find("Summarized"), std::string::npos);
  EXPECT_LT(count(made.gantt, "<rect"), 20U);
  EXPECT_LT(made.gantt.size(), 2'000'000U);
}

TEST(Gantt, NothingToDraw) {
  EXPECT_TRUE(make(flat(2, 1), {}, kEasy).gantt.ends_with("</svg>\n"));
  const auto made = make(flat(2, 1), columns({{0, 5, 5, 3}}), kFcfs);
  EXPECT_TRUE(made.gantt.ends_with("</svg>\n"));
  EXPECT_EQ(made.summary.makespan_s(), 0);
}

TEST(Determinism, AllThatIsWrittenIsTheSameEachTime) {
  const auto jobs = generate({.jobs = 300, .nodes = 16, .load = 1, .seed = 5});
  ASSERT_TRUE(jobs);
  for (const Discipline& d : {kFcfs, kEasy, kConservative}) {
    for (const char* policy : {"low", "first", "variation"}) {
      const auto a = make(flat(16, 2), *jobs, d, policy), b = make(flat(16, 2), *jobs, d, policy);
      EXPECT_EQ(a.lines, b.lines);
      EXPECT_EQ(a.gantt, b.gantt);
      EXPECT_EQ(a.trace, b.trace);
      EXPECT_EQ(a.summary.started, 300U);
    }
  }
}

TEST(TimeAxis, WordsAndSteps) {
  EXPECT_EQ(draw::time_words(0), "0");
  EXPECT_EQ(draw::time_words(45), "45 s");
  EXPECT_EQ(draw::time_words(5400), "1 h 30 min");
  EXPECT_EQ(draw::time_words(90061), "1 d 1 h 1 min 1 s");
  EXPECT_EQ(draw::short_time_words(90061), "1 d 1 h");
  EXPECT_EQ(draw::short_time_words(3661), "1 h 1 min");
  for (const std::int64_t span_s : {0L, 1L, 59L, 3600L, 86400L, 12345678L, 1L << 40}) {
    const std::int64_t step_s = draw::tick_step_s(span_s, 10);
    EXPECT_GE(step_s, 1);
    EXPECT_LE(span_s / step_s, 10);
  }
  EXPECT_EQ(draw::tick_step_s(3600, 10), 600);
}

// Two of four nodes run another job until 50; the stream's job, submitted at 10, waits for it and ends
// at 90: 2 × 40 + 4 × 40 node seconds of 4 × 80.
TEST(Record, CountsWhatRunsBesideTheStream) {
  const auto engine = flat_engine(4, 2);
  const ResourceGraph& graph = engine->graph();
  std::vector<PoolId> two;
  for (const PoolId node : graph.of_type(graph.find_type("node"))) {
    if (two.size() < 2) two.push_back(node);
  }
  ASSERT_TRUE(engine->update(99, two, 0, 50));
  const Jobs jobs = columns({{10, 40, 40, 4}});
  const NodeRows node_rows(graph);
  Record record(jobs, node_rows, true);
  record.add_outside_jobs(*engine);
  ASSERT_TRUE(schedule(*engine, jobs, kEasy, record.observer()));
  const Summary summary = record.summary();
  EXPECT_EQ(summary.started, 1U);
  EXPECT_EQ(summary.makespan_s(), 80);
  EXPECT_DOUBLE_EQ(summary.nodes_used, 0.75);
  EXPECT_DOUBLE_EQ(summary.cores_used, 0.75);
  EXPECT_EQ(record.samples().front().busy_nodes, 2U);
  std::string gantt;
  ASSERT_TRUE(draw::write_gantt_svg(record, "easy", [&](std::string_view piece) {
    gantt += piece;
    return true;
  }));
  EXPECT_EQ(count(gantt, "running job 99: 2 nodes, 4 cores, until 40 s"), 1U) << gantt;
  EXPECT_EQ(count(gantt, "class=\"r"), 1U);
}

}  // namespace
}  // namespace copse::plan
