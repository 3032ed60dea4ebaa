// SPDX-License-Identifier: Apache-2.0
//
// Whole graphs written as JGF and read again.
#include <gtest/gtest.h>

#include "engine/jobs.hpp"
#include "formats/grug/grug.hpp"
#include "formats/grug_text.hpp"
#include "formats/jgf/graph_jgf.hpp"
#include "graph/small_graph.hpp"
#include "jgf_words.hpp"
#include "paths.hpp"

namespace copse::jgf {
namespace {

std::string written(const ResourceGraph& graph) {
  std::string out;
  EXPECT_TRUE(write_jgf(graph, out));
  return out;
}

TEST(GraphJgf, IsReadAgainAsTheSameGraph) {
  GraphText text = machine_text();
  text.builder.set_property(3, "model", "x\"y\n");
  text.builder.set_property(3, "empty", "");
  text.builder.set_name(5, "login");
  text.builder.set_uniq_id(6, INT64_C(1) << 60);
  text.builder.set_down(4);
  ResourceGraph graph = text.build();
  graph.set_own_path(PoolId{4}, subsystem(graph, "power"), "/somewhere/else");
  const ResourceGraph again = must_read(written(graph));
  EXPECT_EQ(described(again), described(graph));
  EXPECT_EQ(written(again), written(graph));
}

TEST(GraphJgf, OfEveryExampleIsReadAgainAsTheSameGraph) {
  int machines = 0;
  for (const char* name : {"desk", "five-subsystems"}) {
    const std::string path = (source_dir() + "/examples/machines/") + name + ".graphml";
    const std::string recipe = grug::read_all(path);
    if (recipe.empty()) continue;
    ++machines;
    for (const char* dominant : {"containment", "power"}) {
      const auto graph = read_grug(recipe, path, dominant);
      if (!graph) continue;
      const ResourceGraph again = must_read(written(*graph), dominant);
      EXPECT_EQ(described(again), described(*graph)) << path << ' ' << dominant;
    }
  }
  EXPECT_EQ(machines, 2);
}

TEST(GraphJgf, MatchesAsTheGraphThatItCameFrom) {
  for (const Policy& policy : bundled_policies()) {
    std::vector<std::uint64_t> fingerprints;
    std::vector<std::string> texts;
    for (const bool from_jgf : {false, true}) {
      ResourceGraph graph = machine();
      if (from_jgf) graph = must_read(written(graph));
      const auto engine = Engine::create(std::move(graph), {.policy = policy});
      ASSERT_TRUE(engine);
      std::string out;
      for (JobId job = 1; job <= 6; ++job) {
        const auto prepared = (*engine)->prepare(cores(2), "job");
        ASSERT_TRUE(prepared);
        const auto match = (*engine)->match(Operation::allocate_orelse_reserve, **prepared, job);
        if (!match) continue;
        std::vector<ExpandedPool> expanded;
        expand((*engine)->graph(), (*match)->selection, expanded);
        append_jgf({.graph = (*engine)->graph(), .pools = expanded}, false, out);
      }
      EXPECT_NE(out, "");
      texts.push_back(out);
      fingerprints.push_back((*engine)->fingerprint());
    }
    EXPECT_EQ(texts[0], texts[1]) << policy.name;
    EXPECT_EQ(fingerprints[0], fingerprints[1]) << policy.name;
  }
}

TEST(GraphJgf, StopsWhenTheSinkIsFull) {
  const auto written = write_jgf(machine(), [](std::string_view) { return false; });
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::io);
}

}  // namespace
}  // namespace copse::jgf
