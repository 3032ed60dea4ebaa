// SPDX-License-Identifier: Apache-2.0
//
// Why a match finds nothing because of hierarchical resources: on the machine of small_graph.hpp,
// node0 to node3 in 2 racks.
#include <gtest/gtest.h>

#include "copse/explain.hpp"
#include "engine/jobs.hpp"
#include "explain/explanation.hpp"
#include "formats/hres/hres.hpp"

namespace copse {
namespace {

constexpr std::string_view kResources = R"(
- resource: flat
  mode: MODE_2
  layers:
    - {nodes: "node[0-3]", count: 6}
    - {nodes: "node[0-1]", count: 4}
    - {nodes: "node[2-3]", count: 4}
- resource: any
  mode: MODE_1
  layers:
    - {nodes: "node[0-1]", count: 5}
    - {nodes: "node[2]", count: 8}
- resource: power
  mode: MODE_3
  layers:
    - {nodes: "node[0-1]", count: 30}
    - {nodes: "node[2-3]", count: 30}
    - {nodes: "node[0-3]", count: 50, base: [{name: fan, value: 5}]}
)";

std::unique_ptr<Engine> supplied() {
  auto e = engine();
  const auto spec = read_hres(kResources, "r.yaml");
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message());
  const auto added = e->add_resources(*spec, "r.yaml");
  EXPECT_TRUE(added) << (added ? "" : added.error().message());
  return e;
}

std::string wish(int count, const std::string& hres, const std::string& more = "") {
  return job(slot(std::to_string(count), res("node")), "100", "hres: \"" + hres + "\"" + more);
}

Explanation why(Engine& e, const std::string& text) {
  auto prepared = e.prepare(text, "job.yaml");
  EXPECT_TRUE(prepared) << (prepared ? "" : prepared.error().message());
  const std::uint64_t before = e.fingerprint();
  auto out = e.explain(**prepared);
  EXPECT_TRUE(out);
  EXPECT_EQ(e.fingerprint(), before);
  return *out;
}

TEST(ShortLayers, FitsAndSaysNothing) {
  const auto e = supplied();
  EXPECT_EQ(why(*e, wish(2, "flat:4,any:5,power:20")).verdict, Verdict::fits);
  EXPECT_TRUE(allocate(*e, wish(2, "flat:4,any:5,power:20")));
}

TEST(ShortLayers, NamesTheLayerThatHasTooLittleForEver) {
  const auto e = supplied();
  const Explanation found = why(*e, wish(1, "flat:5"));
  EXPECT_EQ(found.verdict, Verdict::infeasible);
  ASSERT_EQ(found.findings.size(), 1U);
  const Finding& f = found.findings[0];
  EXPECT_EQ(f.cause, Cause::supply);
  EXPECT_EQ(f.path, "hres > flat:5");
  EXPECT_EQ(f.type, "flat");
  EXPECT_EQ(f.where, "node[0-1]");
  EXPECT_EQ(f.needed, 5);
  EXPECT_EQ(f.most_has, 4);
  EXPECT_EQ(f.most_fits, 4);
  EXPECT_EQ(f.candidates.all, 4U);
  EXPECT_EQ(f.candidates.fit, 0U);
  EXPECT_EQ(sentence(f, found.verdict, 0),
            "needs 5 of flat; of 4 nodes none fits even on the empty machine; layer node[0-1] "
            "has 4");
}

TEST(ShortLayers, NamesTheLayerAndTheJobsThatHaveIt) {
  const auto e = supplied();
  ASSERT_TRUE(allocate(*e, wish(1, "flat:4"), 1));  // node0
  ASSERT_TRUE(allocate(*e, wish(1, "flat:1"), 2));  // below node[2-3]
  const Explanation found = why(*e, wish(1, "flat:2"));
  EXPECT_EQ(found.verdict, Verdict::insufficient);
  ASSERT_EQ(found.findings.size(), 1U);
  const Finding& f = found.findings[0];
  EXPECT_EQ(f.where, "node[0-3]");
  EXPECT_EQ(f.most_fits, 1);
  ASSERT_EQ(f.holders.size(), 2U);
  EXPECT_EQ(f.holders[0].job, 1U);
  EXPECT_EQ(f.holders[0].units, 4);
  EXPECT_EQ(sentence(f, found.verdict, 0),
            "needs 2 of flat; of 4 nodes none fits now; layer node[0-3] has 1 of 6 left "
            "(soonest: job 1 until 100 s, job 2 until 100 s)");
}

TEST(ShortLayers, CountsTheNodesThatATreeServes) {
  const auto e = supplied();
  // The root has 3 × 15 = 45; 3 × 16 is more.
  EXPECT_EQ(why(*e, wish(3, "power:15")).verdict, Verdict::fits);
  const Explanation found = why(*e, wish(3, "power:16"));
  EXPECT_EQ(found.verdict, Verdict::infeasible);
  ASSERT_FALSE(found.findings.empty());
  const Finding& f = found.findings[0];
  EXPECT_EQ(f.cause, Cause::supply);
  EXPECT_EQ(f.factors, (std::vector<std::int64_t>{16, 3}));
  EXPECT_EQ(f.needed, 48);
  EXPECT_EQ(f.candidates.fit, 2U);
}

TEST(ShortLayers, SaysWhereLayersAndPoolsMissEachOther) {
  const auto e = supplied();
  // node2 is the only node below the layer of 8, and it is allocated; the others are free.
  ASSERT_TRUE(allocate(*e, wish(2, "any:5"), 1));  // node0, node1
  ASSERT_TRUE(allocate(*e, wish(1, "any:1"), 2));  // node2
  const Explanation found = why(*e, wish(1, "any:6"));
  EXPECT_EQ(found.verdict, Verdict::insufficient);
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(found.findings[0].cause, Cause::supply_apart);
  EXPECT_EQ(sentence(found.findings[0], found.verdict, 0),
            "needs 6 of any where pools are free; no layer serves such a node");
}

TEST(ShortLayers, LeavesPoolsTheirOwnCauses) {
  const auto e = supplied();
  const Explanation found = why(*e, wish(5, "flat:1"));
  EXPECT_EQ(found.verdict, Verdict::infeasible);
  ASSERT_FALSE(found.findings.empty());
  for (const Finding& f : found.findings) EXPECT_NE(f.path, "hres > any:1");
  EXPECT_EQ(found.findings.back().cause, Cause::too_few);
}

TEST(ShortLayers, HasAFindingForEachAlternative) {
  const auto e = supplied();
  const Explanation found = why(*e, wish(1, "flat:7|any:9"));
  ASSERT_EQ(found.findings.size(), 2U);
  EXPECT_EQ(found.findings[0].type, "flat");
  EXPECT_EQ(found.findings[1].type, "any");
  EXPECT_EQ(found.findings[1].where, "node2");
}

TEST(ShortLayers, AsksForOneJob) {
  const auto e = supplied();
  ASSERT_TRUE(e->reserve_layer({.id = "kept",
                                .resource = "flat",
                                .nodes = "node[0-3]",
                                .count = 6,
                                .start = 0,
                                .end = 1000,
                                .jobs = {7}}));
  auto prepared = e->prepare(wish(1, "flat:1"), "job.yaml");
  ASSERT_TRUE(prepared);
  EXPECT_EQ(e->short_layers(**prepared, 1, false).size(), 1U);
  EXPECT_TRUE(e->short_layers(**prepared, 1, true).empty());
  EXPECT_TRUE(e->short_layers(**prepared, 7, false).empty());
}

}  // namespace
}  // namespace copse
