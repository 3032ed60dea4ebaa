// SPDX-License-Identifier: Apache-2.0
//
// Events of streams, on random traces of whole-node jobs: a failed node has no job; events without
// effect do not change the schedule; every job has one outcome.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "plan/flat.hpp"
#include "plan/streams/job_reader.hpp"
#include "property/random.hpp"

namespace copse::plan {
namespace {

constexpr std::uint64_t kEventSeeds = 120;

struct EventRun {
  std::uint32_t job = 0;
  std::int64_t start_s = 0, end_s = 0;
  Ending ending = Ending::done;
  std::vector<std::uint32_t> nodes;
  bool operator==(const EventRun&) const = default;
};

struct Outcomes {
  std::vector<EventRun> runs;
  std::map<std::uint32_t, std::int64_t> refused, withdrawn;  // job: when
  bool operator==(const Outcomes&) const = default;
};

Outcomes outcomes(const Jobs& jobs, int nodes, const Discipline& discipline) {
  const auto engine = flat_engine(nodes, 2);
  const NodeRows node_rows(engine->graph());
  Outcomes out;
  std::vector<NodeRange> ranges;
  ScheduleObserver observer;
  observer.started = [&](std::uint32_t job, std::int64_t start_s, std::int64_t end_s, Ending ending,
                         const Grant& grant) {
    EventRun run{job, start_s, end_s, ending, {}};
    (void)node_rows.taken(grant.selection, ranges);
    for (const NodeRange& range : ranges) {
      for (std::uint32_t n = 0; n < range.count; ++n) run.nodes.push_back(range.first + n);
    }
    out.runs.push_back(std::move(run));
  };
  std::map<std::uint32_t, std::int64_t> ends;
  observer.ended = [&](std::uint32_t job, std::int64_t time_s) { ends[job] = time_s; };
  observer.refused = [&](std::uint32_t job, std::int64_t time_s, const Error&) {
    EXPECT_TRUE(out.refused.emplace(job, time_s).second) << "job " << job << " is refused twice";
  };
  observer.withdrawn = [&](std::uint32_t job, std::int64_t time_s, bool) {
    EXPECT_TRUE(out.withdrawn.emplace(job, time_s).second) << "job " << job << " leaves twice";
  };
  const auto ok = schedule(*engine, jobs, discipline, observer);
  EXPECT_TRUE(ok) << (ok ? "" : ok.error().message());
  for (const EventRun& run : out.runs) {
    if (run.ending != Ending::requeued) {
      EXPECT_EQ(ends[run.job], run.end_s);
    }
  }
  EXPECT_EQ(engine->grant_count(), 0U);
  return out;
}

class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : random_(seed) {
    nodes = static_cast<int>(random_.between(1, 8));
    const auto count = random_.between(1, 30);
    std::int64_t now_s = 0;
    for (std::int64_t n = 0; n < count; ++n) {
      Job job;
      job.name = std::to_string(n);
      job.submit_s = now_s += random_.between(0, 8);
      job.duration_s = random_.between(1, 30);
      job.run_s = random_.between(1, job.duration_s + 1);
      job.request = *jobs.requests.whole_nodes(random_.between(1, nodes));
      if (n > 0 && random_.chance(10)) {
        job.after_first = static_cast<std::uint32_t>(jobs.after.size());
        job.after_count = 1;
        jobs.after.push_back({static_cast<std::uint32_t>(random_.between(0, n - 1)),
                              static_cast<Dependency::On>(random_.between(0, 3))});
      }
      jobs.jobs.push_back(std::move(job));
    }
    last_s_ = now_s + 100;
  }

  void add_events() {
    const auto graph = flat(nodes, 2);
    const NodeRows node_rows(graph);
    for (auto n = random_.between(0, 12); n > 0; --n) {
      Event event;
      event.type = static_cast<Event::Type>(random_.between(0, 7));
      if (event.of_nodes()) {
        event.time_s = random_.between(0, last_s_);
        event.requeue = random_.chance(50);
        add_nodes(event, node_rows);
      } else {
        event.job = static_cast<std::uint32_t>(random_.between(0, last_job()));
        event.time_s = jobs.jobs[event.job].submit_s + random_.between(0, 60);
        event.priority = static_cast<std::int32_t>(random_.between(-2, 2));
      }
      jobs.events.push_back(event);
    }
    std::ranges::stable_sort(jobs.events, {}, &Event::time_s);
  }

  // For a schedule of these jobs.
  void add_idle_events(const Outcomes& known) {
    const auto graph = flat(nodes, 2);
    const NodeRows node_rows(graph);
    for (auto n = random_.between(1, 12); n > 0; --n) {
      Event event;
      event.job = static_cast<std::uint32_t>(random_.between(0, last_job()));
      const Job& job = jobs.jobs[event.job];
      event.time_s = job.submit_s + random_.between(0, 60);
      switch (random_.between(0, 3)) {
        case 0: event.type = Event::Type::release; break;
        case 1:
          event.type = Event::Type::priority;
          event.priority = job.priority;
          break;
        case 2:  // when it has ended
          event.type = random_.chance(50) ? Event::Type::cancel : Event::Type::hold;
          event.time_s = last_of(known, event.job);
          break;
        default: event.type = Event::Type::up; add_nodes(event, node_rows);
      }
      jobs.events.push_back(event);
    }
    std::ranges::stable_sort(jobs.events, {}, &Event::time_s);
  }

  Jobs jobs;
  int nodes = 1;

 private:
  [[nodiscard]] std::int64_t last_job() const {
    return static_cast<std::int64_t>(jobs.jobs.size()) - 1;
  }
  static std::int64_t last_of(const Outcomes& known, std::uint32_t job) {
    const auto run = std::ranges::find(known.runs, job, &EventRun::job);
    return run != known.runs.end() ? run->end_s : known.refused.at(job) + 1;
  }
  void add_nodes(Event& event, const NodeRows& node_rows) {
    event.first_node = static_cast<std::uint32_t>(jobs.event_nodes.size());
    event.nodes = static_cast<std::uint32_t>(random_.between(1, 3));
    for (std::uint32_t n = 0; n < event.nodes; ++n) {
      jobs.event_nodes.push_back(
          node_rows.pool(static_cast<std::uint32_t>(random_.between(0, nodes - 1))));
    }
  }

  property::Random random_;
  std::int64_t last_s_ = 0;
};

class EventProperties : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static Discipline discipline() { return *find_discipline(GetParam()); }
};

TEST_P(EventProperties, ANodeThatIsDownHasNoJob) {
  for (std::uint64_t seed = 1; seed <= kEventSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream stream(seed);
    stream.add_events();
    const Outcomes got = outcomes(stream.jobs, stream.nodes, discipline());
    const auto graph = flat(stream.nodes, 2);
    const NodeRows node_rows(graph);
    for (const EventRun& run : got.runs) {
      for (const std::uint32_t node_row : run.nodes) {
        bool usable = true;  // when it starts
        for (const Event& event : stream.jobs.events) {
          const auto of = stream.jobs.nodes_of(event);
          if (!event.of_nodes() || std::ranges::find(of, node_rows.pool(node_row)) == of.end())
            continue;
          if (event.time_s <= run.start_s) usable = event.type == Event::Type::up;
          const bool inside = event.time_s > run.start_s && event.time_s < run.end_s;
          EXPECT_FALSE(inside && event.type == Event::Type::down) << "job " << run.job;
        }
        EXPECT_TRUE(usable) << "job " << run.job << " starts on node " << node_row;
      }
    }
    if (HasFailure()) return;
  }
}

TEST_P(EventProperties, EveryJobHasOneOutcome) {
  for (std::uint64_t seed = 1; seed <= kEventSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream stream(seed);
    stream.add_events();
    const Outcomes got = outcomes(stream.jobs, stream.nodes, discipline());
    std::vector<int> ends(stream.jobs.jobs.size());
    for (const EventRun& run : got.runs) ends[run.job] += run.ending != Ending::requeued ? 1 : 0;
    for (const auto& [job, time_s] : got.refused) ++ends[job];
    for (const auto& [job, time_s] : got.withdrawn) ++ends[job];
    for (std::size_t job = 0; job < ends.size(); ++job) EXPECT_EQ(ends[job], 1) << "job " << job;
    if (HasFailure()) return;
  }
}

// Whether a dependency was satisfied at that time, by the outcomes of the job.
bool had_come(const Outcomes& got, const Dependency& on, std::int64_t time_s) {
  const EventRun* last = nullptr;
  bool started = false;
  for (const EventRun& run : got.runs) {
    if (run.job != on.job) continue;
    started = started || run.start_s <= time_s;
    last = &run;
  }
  const auto before = [&](const auto& left) {
    const auto at = left.find(on.job);
    return at != left.end() && at->second <= time_s;
  };
  const bool gone = before(got.refused) || before(got.withdrawn);
  const bool ended = last != nullptr && last->ending != Ending::requeued && last->end_s <= time_s;
  switch (on.on) {
    case Dependency::On::started: return started;
    case Dependency::On::ended: return ended || gone;
    case Dependency::On::ended_well: return ended && last->ending == Ending::done;
    case Dependency::On::failed: return gone || (ended && last->ending != Ending::done);
  }
  return false;
}

TEST_P(EventProperties, NobodyStartsBeforeWhatItWaitsForHasCome) {
  std::size_t kept = 0;
  for (std::uint64_t seed = 1; seed <= kEventSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream stream(seed);
    stream.add_events();
    const Outcomes got = outcomes(stream.jobs, stream.nodes, discipline());
    for (const EventRun& run : got.runs) {
      for (const Dependency& on : stream.jobs.after_of(stream.jobs.jobs[run.job])) {
        EXPECT_TRUE(had_come(got, on, run.start_s)) << "job " << run.job;
        ++kept;
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(kept, 50U);
}

TEST_P(EventProperties, WhatChangesNothingLeavesTheScheduleAsItWas) {
  for (std::uint64_t seed = 1; seed <= kEventSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream stream(seed);
    const Outcomes plain = outcomes(stream.jobs, stream.nodes, discipline());
    stream.add_idle_events(plain);
    EXPECT_EQ(outcomes(stream.jobs, stream.nodes, discipline()), plain);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Disciplines, EventProperties,
                         testing::Values("fcfs", "easy", "hybrid", "conservative"),
                         [](const auto& discipline) { return std::string(discipline.param); });

// --- Reading

ReadOptions with_nodes() {
  ReadOptions options;
  options.find_node = [](std::string_view name) {
    return name.starts_with("n") ? std::optional(PoolId{static_cast<std::uint32_t>(name[1] - '0')})
                                 : std::nullopt;
  };
  return options;
}

std::string refused_event(const std::string& line) {
  const auto jobs =
      read_jobs("{\"id\": \"a\", \"submit\": 50, \"nodes\": 1, \"duration\": 9}\n" + line, "jobs",
                with_nodes());
  return jobs ? "accepted" : jobs.error().message();
}

TEST(EventLines, AreReadInTheOrderOfTime) {
  const auto jobs = read_jobs(R"({"time": 90, "down": "n[1-2]", "requeue": true}
{"id": "a", "submit": 5, "nodes": 1, "duration": 9, "deadline": "1m"}
{"time": 60, "priority": {"a": -3}}
{"time": 7, "hold": ["a"]}
{"time": 7, "release": "a"})",
                              "jobs", with_nodes());
  ASSERT_TRUE(jobs) << jobs.error().message();
  ASSERT_EQ(jobs->events.size(), 5U);
  EXPECT_EQ(jobs->events[0].type, Event::Type::hold);
  EXPECT_EQ(jobs->events[1].type, Event::Type::release);
  EXPECT_EQ(jobs->events[2].type, Event::Type::deadline);
  EXPECT_EQ(jobs->events[2].time_s, 60);
  EXPECT_EQ(jobs->events[3].type, Event::Type::priority);
  EXPECT_EQ(jobs->events[3].priority, -3);
  const Event& down = jobs->events[4];
  EXPECT_TRUE(down.requeue);
  ASSERT_EQ(jobs->nodes_of(down).size(), 2U);
  EXPECT_EQ(jobs->nodes_of(down)[1], PoolId{2});
}

TEST(EventLines, AreRefusedWithTheirLine) {
  EXPECT_EQ(refused_event(R"({"cancel": "a"})"), "jobs:2:1: the event has no time");
  EXPECT_EQ(refused_event(R"({"time": 60})"),
            "jobs:2:1: the event has no type: give down, up, drain, cancel, hold, release, "
            "priority or reserve");
  EXPECT_EQ(refused_event(R"({"time": 60, "cancel": "b"})"),
            "jobs:2: no job of the stream has the id \"b\"");
  EXPECT_EQ(refused_event(R"({"time": 40, "cancel": "a"})"),
            "jobs:2: \"cancel\" of job \"a\" is at 40 s, before the job is submitted, at 50 s");
  EXPECT_EQ(refused_event(R"({"time": 60, "down": "m7"})"),
            "jobs:2:22: the machine has no node \"m7\"");
  EXPECT_EQ(refused_event(R"({"time": 60, "up": "n1", "requeue": true})"),
            "jobs:2:37: \"requeue\" goes with \"down\"");
  EXPECT_EQ(refused_event(R"({"time": 60, "priority": 4})"),
            "jobs:2:26: \"priority\" is an object: an id and its new priority");
  EXPECT_EQ(refused_event(R"({"time": 60, "hold": "a", "cancel": "a"})"),
            "jobs:2:27: an event must have one type, not both \"hold\" and \"cancel\"");
  EXPECT_EQ(refused_event(R"({"time": -60, "hold": "a"})"),
            "jobs:2:10: \"time\" is not a whole number from 0 to 1099511627776");
  EXPECT_EQ(refused_event(R"({"id": "b", "nodes": 1, "duration": 9, "submit": 9, "deadline": 8})"),
            "jobs:2: \"deadline\" of job \"b\" is at 8 s, before the job is submitted, at 9 s");
}

}  // namespace
}  // namespace copse::plan
