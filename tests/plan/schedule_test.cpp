// SPDX-License-Identifier: Apache-2.0
//
// Small schedules that were computed by hand. In the drawings a row is a node, a column a second
// (or ten, where noted), a letter a job: the first one of the stream is a.
#include "plan/schedule.hpp"

#include <gtest/gtest.h>

#include "plan/flat.hpp"

namespace copse::plan {
namespace {

struct PausedStream {
  std::int64_t submit_s, duration_s, run_s, nodes;
  std::int32_t priority = 0;
};

Jobs stream(std::initializer_list<PausedStream> asked) {
  Jobs out;
  for (const PausedStream& a : asked) {
    Job job;
    job.name = std::string(1, static_cast<char>('a' + out.jobs.size()));
    job.submit_s = a.submit_s;
    job.duration_s = a.duration_s;
    job.run_s = a.run_s;
    job.priority = a.priority;
    job.request = *out.requests.whole_nodes(a.nodes);
    out.jobs.push_back(std::move(job));
  }
  return out;
}

// The schedule as a drawing: a row for each node, '.' where it is idle.
std::vector<std::string> drawn(int nodes, const Jobs& jobs, Discipline discipline,
                               const char* policy = "low") {
  const auto engine = flat_engine(nodes, 2, policy);
  const auto places = placed(*engine, jobs, discipline);
  std::int64_t last_s = 0;
  for (const Placed& p : places) last_s = std::max(last_s, p.end_s);
  std::vector<std::string> out(static_cast<std::size_t>(nodes),
                               std::string(static_cast<std::size_t>(last_s), '.'));
  for (std::size_t j = 0; j < places.size(); ++j) {
    for (std::uint32_t n : places[j].nodes) {
      for (std::int64_t t = places[j].start_s; t < places[j].end_s; ++t) {
        EXPECT_EQ(out[n][static_cast<std::size_t>(t)], '.');
        out[n][static_cast<std::size_t>(t)] = static_cast<char>('a' + j);
      }
    }
  }
  return out;
}

using Rows = std::vector<std::string>;

// a has one of two nodes; b needs both and waits; c and d would fit next to a.
const auto kHole = [] { return stream({{0, 4, 4, 1}, {0, 3, 3, 2}, {1, 3, 3, 1}, {1, 4, 4, 1}}); };

//   0 a a a a b b b c c c
//   1 . . . . b b b d d d d
TEST(Fcfs, NothingPassesTheHead) {
  EXPECT_EQ(drawn(2, kHole(), kFcfs), (Rows{"aaaabbbccc.", "....bbbdddd"}));
}

// c has ended when b must start: it starts at once. d would delay b.
//   0 a a a a b b b d d d d
//   1 . c c c b b b
TEST(Easy, FillsTheHoleBeforeTheHead) {
  EXPECT_EQ(drawn(2, kHole(), kEasy), (Rows{"aaaabbbdddd", ".cccbbb...."}));
}
TEST(Conservative, FillsTheHoleBeforeTheHead) {
  EXPECT_EQ(drawn(2, kHole(), kConservative), (Rows{"aaaabbbdddd", ".cccbbb...."}));
}

// The difference between EASY and conservative. b waits for both of a's nodes, c for all three; d
// uses the third node for long. EASY promised c nothing, so d starts, and c after it.
//   easy                       conservative
//   0 a a a a b b c c          0 a a a a b b c c d d d d d d d d
//   1 a a a a b b c c          1 a a a a b b c c
//   2 . d d d d d d d d (c: 9) 2 . . . . . . c c
TEST(Easy, PromisesNothingToTheSecond) {
  const Jobs jobs = stream({{0, 4, 4, 2}, {0, 2, 2, 2}, {0, 2, 2, 3}, {1, 8, 8, 1}});
  EXPECT_EQ(drawn(3, jobs, kEasy), (Rows{"aaaabb...cc", "aaaabb...cc", ".ddddddddcc"}));
  EXPECT_EQ(drawn(3, jobs, kConservative),
            (Rows{"aaaabbccdddddddd", "aaaabbcc........", "......cc........"}));
}

// a ends at 2, not at 6: the first job starts at once, though its promise was 6.
//   0 a a b b
//   1 . . b b
TEST(Easy, TheHeadStartsEarlierWhenAJobEndsEarly) {
  const Jobs jobs = stream({{0, 6, 2, 1}, {0, 2, 2, 2}});
  EXPECT_EQ(drawn(2, jobs, kEasy), (Rows{"aabb", "..bb"}));
}

// Compression in the order of the queue. At 0: b at 8, c at 11 (all nodes each), d at 14. At 3, a
// ends early: b moves to 3, c to 6, d to 9.
//   0 a a a b b b c c c d d
//   1 . . . b b b c c c
TEST(Conservative, CompressesInTheOrderOfTheQueue) {
  const Jobs jobs = stream({{0, 8, 3, 1}, {0, 3, 3, 2}, {0, 3, 3, 2}, {0, 9, 2, 1}});
  EXPECT_EQ(drawn(2, jobs, kConservative), (Rows{"aaabbbcccdd", "...bbbccc.."}));
}

// A promise only moves to an earlier time. b waits for a and x's nodes; when a ends early nothing
// changes for b, because x still runs; d, which was not submitted then, may use the gap.
//   0 a a d d . . b b
//   1 c c c c c c b b
TEST(Conservative, WhatDoesNotBecomeEarlierStaysAsItIs) {
  const Jobs jobs = stream({{0, 6, 2, 1}, {0, 2, 2, 2}, {0, 6, 6, 1}, {2, 2, 2, 1}});
  EXPECT_EQ(drawn(2, jobs, kConservative), (Rows{"aadd..bb", "ccccccbb"}));
}

// Ends come before submissions, and those before starts: at 4, a's node is freed, c joins the queue
// behind b, and both start.
//   0 a a a a b b
//   1 . . . . c c
TEST(Schedule, OrderWithinASecond) {
  const Jobs jobs = stream({{0, 4, 4, 2}, {4, 2, 2, 1}, {4, 2, 2, 1}});
  for (const Discipline& d : {kFcfs, kEasy, kConservative}) {
    EXPECT_EQ(drawn(2, jobs, d), (Rows{"aaaabb", "aaaacc"})) << d.name;
  }
}

// A job that would run longer than requested is ended; a job without run time takes a second.
//   0 a a b c
TEST(Schedule, EndsWhatRunsTooLong) {
  const Jobs jobs = stream({{0, 2, 9, 1}, {0, 5, 1, 1}, {0, 1, 1, 1}});
  for (const Discipline& d : {kFcfs, kEasy, kConservative}) {
    EXPECT_EQ(drawn(1, jobs, d), (Rows{"aabc"})) << d.name;
  }
}

// A higher priority comes before others, but not before running jobs; in EASY it becomes the first
// job, with the promise.
//   0 a a a c c b b
TEST(Schedule, PrioritiesOrderTheQueue) {
  const Jobs jobs = stream({{0, 3, 3, 1}, {0, 2, 2, 1}, {1, 2, 2, 1, 5}});
  EXPECT_EQ(drawn(1, jobs, kFcfs), (Rows{"aaaccbb"}));
  EXPECT_EQ(drawn(1, jobs, kEasy), (Rows{"aaaccbb"}));
  EXPECT_EQ(drawn(1, jobs, kConservative), (Rows{"aaabbcc"}));  // b has its reservation
}

// Two jobs submitted in one second, the second of them first in the queue.
//   0 a a a c b
TEST(Schedule, PrioritiesOrderWhatComesTogether) {
  const Jobs jobs = stream({{0, 3, 3, 1}, {1, 1, 1, 1}, {1, 1, 1, 1, 1}});
  EXPECT_EQ(drawn(1, jobs, kEasy), (Rows{"aaacb"}));
  // c and d both fit next to a and before b: d, of higher priority, has the lower node.
  //   0 a a a a b b
  //   1 . . d d b b
  //   2 . . c c b b
  const Jobs fill = stream({{0, 4, 4, 1}, {1, 2, 2, 3, 2}, {2, 2, 2, 1}, {2, 2, 2, 1, 1}});
  EXPECT_EQ(drawn(3, fill, kEasy), (Rows{"aaaabb", "..ddbb", "..ccbb"}));
}

TEST(Schedule, OrderOfTheStreamNeedNotBeThatOfTime) {
  const Jobs jobs = stream({{5, 2, 2, 1}, {0, 3, 3, 1}});
  EXPECT_EQ(drawn(1, jobs, kEasy), (Rows{"bbb..aa"}));
}

TEST(Schedule, RefusesWhatNeverFits) {
  Jobs jobs = stream({{0, 2, 2, 3}, {0, 2, 2, 2}});
  Job job = jobs.jobs[0];
  Request request;
  Resource resource;
  resource.type = "unicorn";
  request.resources.push_back(resource);
  job.request = *jobs.requests.add("unicorn", request);
  jobs.jobs.push_back(job);
  for (const Discipline& d : {kFcfs, kEasy, kConservative}) {
    const auto engine = flat_engine(2, 1);
    std::vector<std::pair<std::uint32_t, std::string>> refused;
    ScheduleObserver observer;
    observer.refused = [&](std::uint32_t j, std::int64_t, const Error& e) {
      refused.emplace_back(j, e.text);
    };
    ASSERT_TRUE(schedule(*engine, jobs, d, observer));
    ASSERT_EQ(refused.size(), 2U) << d.name;
    EXPECT_EQ(
        refused[0],
        (std::pair<std::uint32_t, std::string>(
            0, "this system can never satisfy the request: needs 3 nodes; the machine has 2")));
    EXPECT_EQ(refused[1].first, 2U);
    EXPECT_EQ(refused[1].second,
              "unknown resource type \"unicorn\"; there are cluster, core, node");
  }
}

// It fits the machine, but half of that is down permanently: found when nothing runs any more.
TEST(Schedule, RefusesWhatWaitsForEver) {
  const Jobs jobs = stream({{0, 2, 2, 1}, {0, 2, 2, 2}, {1, 2, 2, 1}});
  for (const Discipline& d : {kFcfs, kEasy, kConservative}) {
    const auto engine = flat_engine(2, 1);
    engine->set_status(engine->graph().at_path("/cluster0/node1").front(), Status::down);
    const auto places = placed(*engine, jobs, d);
    EXPECT_EQ(places[0].start_s, 0) << d.name;
    EXPECT_EQ(places[1].start_s, -1) << d.name;
    EXPECT_EQ(places[2].start_s, 2) << d.name;
  }
}

// Jobs that the engine runs already are waited for, and stay.
TEST(Schedule, LeavesOtherGrantsAlone) {
  const Jobs jobs = stream({{0, 2, 2, 2}});
  for (const Discipline& d : {kFcfs, kEasy, kConservative}) {
    const auto engine = flat_engine(2, 1);
    const auto nodes = engine->graph().at_path("/cluster0/node0");
    ASSERT_TRUE(engine->update(7, nodes, 0, 5));
    EXPECT_EQ(placed(*engine, jobs, d)[0].start_s, 5) << d.name;
  }
}

TEST(Schedule, BeyondTheHorizonIsAnError) {
  auto engine = Engine::create(flat(1, 1), {.policy = *find_policy("low"), .horizon = 100});
  ASSERT_TRUE(engine);
  const auto done = schedule(**engine, stream({{100, 1, 1, 1}}), kEasy, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::invalid);
}

// Cores of one node, side by side; a job of fixed counts and one with a range.
TEST(Easy, SharesNodes) {
  Jobs jobs = stream({{0, 4, 4, 1}});
  jobs.jobs.clear();
  const auto add = [&](Result<std::uint32_t> request, std::int64_t duration_s) {
    Job job;
    job.name = "x";
    job.duration_s = job.run_s = duration_s;
    job.request = *request;
    jobs.jobs.push_back(job);
  };
  add(jobs.requests.cores(3), 4);
  add(jobs.requests.cores_of_nodes(1, 2), 4);  // not next to the first
  add(jobs.requests.cores(1), 4);              // in the gap
  add(jobs.requests.cores(1), 5);              // conflicts with the second
  const auto engine = flat_engine(1, 4, "low");
  const auto places = placed(*engine, jobs, kEasy);
  EXPECT_EQ(places[0].start_s, 0);
  EXPECT_EQ(places[1].start_s, 4);
  EXPECT_EQ(places[2].start_s, 0);
  EXPECT_EQ(places[3].start_s, 4);
}

// b waits for a, c for both, d for none; all fit at once.
TEST(After, AJobJoinsTheQueueWhenThoseThatItAwaitsHaveEnded) {
  Jobs jobs = stream({{0, 9, 3, 1}, {0, 2, 2, 1}, {1, 1, 1, 1}, {2, 1, 1, 1}});
  jobs.after = {{0}, {0}, {1}};
  jobs.jobs[1].after_count = 1;
  jobs.jobs[2].after_first = 1;
  jobs.jobs[2].after_count = 2;
  for (const Discipline& d : {kFcfs, kEasy, kConservative}) {
    EXPECT_EQ(drawn(4, jobs, d), (Rows{"aaabbc", "..d...", "......", "......"})) << d.name;
  }
}

// a is ended at its limit: b and c, which depend on it, never start.
TEST(After, AJobIsRefusedIfOneThatItAwaitsDidNotEndWell) {
  Jobs jobs = stream({{0, 3, 9, 1}, {0, 2, 2, 1}, {0, 1, 1, 1}, {0, 5, 5, 9}, {0, 1, 1, 1}});
  jobs.after = {{0}, {1}, {3}};
  for (std::uint32_t j : {1U, 2U, 4U}) {
    jobs.jobs[j].after_first = j == 4 ? 2 : j - 1;
    jobs.jobs[j].after_count = 1;
  }
  const auto engine = flat_engine(4, 2);
  std::vector<std::string> refused;
  ScheduleObserver observer;
  observer.refused = [&](std::uint32_t job, std::int64_t time_s, const Error& error) {
    refused.push_back(jobs.jobs[job].name + " at " + std::to_string(time_s) + ": " + error.text);
  };
  ASSERT_TRUE(schedule(*engine, jobs, kEasy, observer));
  ASSERT_EQ(refused.size(), 4U);
  EXPECT_TRUE(refused[0].starts_with("d at 0: ")) << refused[0];
  EXPECT_EQ(refused[1], "e at 0: it waits for job \"d\", which did not end well");
  EXPECT_EQ(refused[2], "b at 3: it waits for job \"a\", which did not end well");
  EXPECT_EQ(refused[3], "c at 3: it waits for job \"b\", which did not end well");
}

// a is ended at its limit, d ends well. Jobs that wait for the other outcome never start.
TEST(After, WhatIsAwaitedMayBeAStartAnyEndOrAFailure) {
  using On = Dependency::On;
  // Submitted, asks for, runs, nodes.
  Jobs jobs = stream({{0, 3, 4, 1},    // a: killed at 3
                      {0, 2, 2, 1},    // b: after the start of a
                      {0, 1, 1, 1},    // c: after any end of a
                      {0, 2, 2, 1},    // d: after a failed
                      {0, 1, 1, 1},    // e: after d failed, which it does not
                      {0, 1, 1, 1},    // f: after the start of e, which never comes
                      {0, 1, 1, 1}});  // g: after any end of e, which is refused
  const std::vector<std::pair<std::uint32_t, Dependency>> all{
      {1, {0, On::started}}, {2, {0, On::ended}},   {3, {0, On::failed}},
      {4, {3, On::failed}},  {5, {4, On::started}}, {6, {4, On::ended}}};
  for (const auto& [job, on] : all) {
    jobs.jobs[job].after_first = static_cast<std::uint32_t>(jobs.after.size());
    jobs.jobs[job].after_count = 1;
    jobs.after.push_back(on);
  }
  const auto engine = flat_engine(4, 2);
  std::string told;
  const auto tell = [&](std::uint32_t job, std::int64_t time_s, const std::string& what) {
    told += jobs.jobs[job].name + " at " + std::to_string(time_s) + what + "\n";
  };
  ScheduleObserver observer;
  observer.started = [&](std::uint32_t job, std::int64_t start_s, std::int64_t, Ending,
                         const Grant&) { tell(job, start_s, ""); };
  observer.refused = [&](std::uint32_t job, std::int64_t time_s, const Error& error) {
    tell(job, time_s, ": " + error.text);
  };
  ASSERT_TRUE(schedule(*engine, jobs, kEasy, observer));
  EXPECT_EQ(told,
            "a at 0\nb at 0\nc at 3\nd at 3\n"
            "e at 5: it waits for job \"d\" to fail, which it does not\n"
            "f at 5: it waits for the start of job \"e\", which never starts\n"
            "g at 5\n");
}

// A job that waits for one on hold is refused with it, whatever the condition.
TEST(After, NothingComesOfAJobThatIsHeldForEver) {
  using On = Dependency::On;
  for (const On on : {On::ended_well, On::ended, On::failed, On::started}) {
    Jobs jobs = stream({{0, 1, 1, 1}, {0, 1, 1, 1}});
    jobs.jobs[1].after_count = 1;
    jobs.after = {{0, on}};
    jobs.events.push_back({.time_s = 0, .type = Event::Type::hold, .job = 0});
    const auto engine = flat_engine(4, 2);
    std::size_t refused = 0;
    ScheduleObserver observer;
    observer.refused = [&](std::uint32_t, std::int64_t, const Error&) { ++refused; };
    ASSERT_TRUE(schedule(*engine, jobs, kEasy, observer));
    EXPECT_EQ(refused, 2U);
  }
}

}  // namespace
}  // namespace copse::plan
