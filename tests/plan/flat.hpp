// SPDX-License-Identifier: Apache-2.0
//
// Flat machines, and schedules on them as plain numbers.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "formats/grug/grug.hpp"
#include "graph/node_rows.hpp"
#include "plan/schedule.hpp"

namespace copse::plan {

// cluster > node[nodes] > core[cores]
inline ResourceGraph flat(int nodes, int cores) {
  const std::string text = R"(<graphml>
  <key id="t" for="node" attr.name="type" attr.type="string"/>
  <key id="r" for="node" attr.name="root" attr.type="int"><default>0</default></key>
  <key id="n" for="edge" attr.name="multi_scale" attr.type="int"/>
  <graph edgedefault="directed">
    <node id="c"><data key="r">1</data><data key="t">cluster</data></node>
    <node id="n"><data key="t">node</data></node><node id="o"><data key="t">core</data></node>
    <edge source="c" target="n"><data key="n">)" +
                           std::to_string(nodes) + R"(</data></edge>
    <edge source="n" target="o"><data key="n">)" +
                           std::to_string(cores) + R"(</data></edge>
  </graph></graphml>)";
  auto graph = read_grug(text, "flat");
  EXPECT_TRUE(graph) << (graph ? "" : graph.error().message());
  return std::move(*graph);
}

inline std::unique_ptr<Engine> flat_engine(int nodes, int cores, const char* policy = "low",
                                           bool exhaustive = false) {
  auto engine = Engine::create(flat(nodes, cores),
                               {.policy = *find_policy(policy), .exhaustive = exhaustive});
  EXPECT_TRUE(engine);
  return std::move(*engine);
}

inline const Discipline kFcfs = *find_discipline("fcfs"), kEasy = *find_discipline("easy"),
                        kConservative = *find_discipline("conservative");

// The nodes and times of a job. start -1: it was refused.
struct Placed {
  std::int64_t start_s = -1, end_s = -1;
  std::vector<std::uint32_t> nodes;
  bool operator==(const Placed&) const = default;
};

// By job, in the order of the stream.
inline std::vector<Placed> placed(Engine& engine, const Jobs& jobs, Discipline discipline) {
  std::vector<Placed> out(jobs.jobs.size());
  const NodeRows node_rows(engine.graph());
  std::vector<NodeRange> runs;
  ScheduleObserver observer;
  observer.started = [&](std::uint32_t job, std::int64_t start_s, std::int64_t end_s, Ending,
                         const Grant& grant) {
    EXPECT_EQ(out[job].start_s, -1) << "job " << job << " starts twice";
    out[job] = {start_s, end_s, {}};
    (void)node_rows.taken(grant.selection, runs);
    for (const NodeRange& run : runs) {
      for (std::uint32_t n = 0; n < run.count; ++n) out[job].nodes.push_back(run.first + n);
    }
  };
  observer.ended = [&](std::uint32_t job, std::int64_t time_s) {
    EXPECT_EQ(out[job].end_s, time_s) << "job " << job;
  };
  const auto ok = schedule(engine, jobs, discipline, observer);
  EXPECT_TRUE(ok) << (ok ? "" : ok.error().message());
  return out;
}

}  // namespace copse::plan
