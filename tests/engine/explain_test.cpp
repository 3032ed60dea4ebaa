// SPDX-License-Identifier: Apache-2.0
//
// Why a match finds nothing: every cause, on the machine of small_graph.hpp (2 racks of 2 nodes of
// 2 sockets of 4 cores, 1 gpu, 1 memory of 8 GB).
#include "copse/explain.hpp"

#include <set>

#include "engine/jobs.hpp"
#include "explain/explanation.hpp"

namespace copse {
namespace {

Explanation explain(Engine& e, const std::string& text) {
  auto prepared = e.prepare(text, "job.yaml");
  EXPECT_TRUE(prepared) << (prepared ? "" : prepared.error().message());
  if (!prepared) return {};
  const std::uint64_t before = e.fingerprint();
  auto explanation = e.explain(**prepared);
  EXPECT_TRUE(explanation);
  EXPECT_EQ(e.fingerprint(), before);
  for (const Finding& f : explanation->findings) {
    const Candidates& c = f.candidates;
    EXPECT_EQ(c.all, c.fit + c.too_small + c.excluded + c.down + c.held + c.busy + c.lacking +
                         c.passed_over);
  }
  return *explanation;
}

// The first finding, which must have this verdict and cause.
Finding first(Engine& e, const std::string& text, Verdict verdict, Cause cause) {
  const Explanation explanation = explain(e, text);
  EXPECT_STREQ(word(explanation.verdict), word(verdict));
  if (explanation.findings.empty()) {
    ADD_FAILURE() << "no finding";
    return {};
  }
  EXPECT_STREQ(word(explanation.findings[0].cause), word(cause));
  return explanation.findings[0];
}

using Factors = std::vector<std::int64_t>;
using Jobs = std::vector<JobId>;

Jobs jobs_of(const Finding& f) {
  Jobs jobs;
  for (const Holder& h : f.holders) jobs.push_back(h.job);
  return jobs;
}

TEST(Explain, SaysThatItFits) {
  const auto e = engine();
  const Explanation why = explain(*e, nodes(4, "70"));
  EXPECT_EQ(why.verdict, Verdict::fits);
  EXPECT_TRUE(why.findings.empty());
  EXPECT_EQ(why.at, 0);
  EXPECT_EQ(why.until, 70);
  EXPECT_EQ(e->grant_count(), 0U);
  EXPECT_TRUE(allocate(*e, nodes(4)));  // nothing was allocated
}

// Two sibling nodes are one too many for the simple walk: the search serves them.
TEST(Explain, SearchesAsAMatchDoes) {
  const std::string two = res("node", "1", slot("1", res("core", "2")));
  EngineOptions options = with_policy("low");
  options.traverser = Traverser::loop_aware;
  const auto e = engine(options);
  EXPECT_EQ(explain(*e, job(two + ", " + two)).verdict, Verdict::fits);
  ASSERT_TRUE(allocate(*e, nodes(3), 1));
  EXPECT_EQ(explain(*e, job(two + ", " + two)).verdict, Verdict::insufficient);
  ASSERT_TRUE(e->cancel(1));
  EXPECT_EQ(explain(*e, job(two + ", " + two)).verdict, Verdict::fits);
}

TEST(Explain, LeavesTheOrderOfFirstAsItIs) {
  const auto asked = engine(with_policy("first")), other = engine(with_policy("first"));
  for (JobId number = 1; number <= 6; ++number) {
    (void)explain(*asked, cores(3));
    (void)explain(*asked, nodes(2));
    const auto a = allocate(*asked, cores(3), number), b = allocate(*other, cores(3), number);
    ASSERT_EQ(a.has_value(), b.has_value());
    EXPECT_EQ(taken(*asked, a), taken(*other, b));
  }
}

// --- Never

TEST(Explain, MoreOfATypeThanTheMachineHas) {
  const auto e = engine();
  Finding f = first(*e, job(res("node", "5", slot("1", res("socket")))), Verdict::infeasible,
                    Cause::too_few);
  EXPECT_EQ(f.path, "node[5]");
  EXPECT_EQ(f.type, "node");
  EXPECT_EQ(f.needed, 5);
  EXPECT_EQ(f.most_has, 4);
  EXPECT_EQ(f.where, "");
  EXPECT_EQ(f.candidates.all, 4U);
  EXPECT_EQ(f.each, (std::vector<Finding::Part>{{"socket", 1}}));

  f = first(*e, nodes(5), Verdict::infeasible, Cause::too_few);
  EXPECT_EQ(f.path, "slot[5] > node[1]");
  EXPECT_EQ(f.needed, 5);
  EXPECT_EQ(f.factors, (Factors{5, 1}));
  EXPECT_EQ(f.most_has, 4);
  EXPECT_EQ(f.where, "");
}

TEST(Explain, MoreThanAnyOnePoolHas) {
  const auto e = engine();
  // Memory is below the sockets; a node has two of 8 GB.
  Finding f = first(*e, job(res("node", "1", slot("3", res("memory", "8")))), Verdict::infeasible,
                    Cause::too_few);
  EXPECT_EQ(f.path, "node[1] > slot[3] > memory[8]");
  EXPECT_EQ(f.needed, 24);
  EXPECT_EQ(f.factors, (Factors{3, 8}));
  EXPECT_EQ(f.unit, "GB");
  EXPECT_EQ(f.where, "node");
  EXPECT_EQ(f.most_has, 16);

  f = first(*e, job(res("rack", "1", res("node", "1", slot("1", res("core", "36"))))),
            Verdict::infeasible, Cause::too_few);
  EXPECT_EQ(f.path, "rack[1] > node[1] > slot[1] > core[36]");
  EXPECT_EQ(f.needed, 36);  // no place is to blame: all cores together are too few
  EXPECT_EQ(f.where, "");
  EXPECT_EQ(f.most_has, 32);
  EXPECT_EQ(f.place.line, 2U);
  EXPECT_GT(f.place.column, 0U);
  EXPECT_EQ(f.place.file, "job.yaml");

  f = first(*e, job(res("rack", "2", slot("3", res("node")))), Verdict::infeasible, Cause::too_few);
  EXPECT_EQ(f.path, "rack[2] > slot[3] > node[1]");
  EXPECT_EQ(f.where, "rack");
  EXPECT_EQ(f.needed, 3);
  EXPECT_EQ(f.most_has, 2);
}

TEST(Explain, LevelsThatAreLeftOutBelowTheFirst) {
  const auto e = engine();
  const Finding f = first(*e, job(slot("1", res("node", "1", res("core", "2")))),
                          Verdict::infeasible, Cause::deeper);
  EXPECT_EQ(f.path, "slot[1] > node[1] > core[2]");
  EXPECT_EQ(f.where, "node");
  EXPECT_EQ(f.most_has, 8);
}

TEST(Explain, ExcludedByTheConstraint) {
  const auto e = engine();
  const std::string more = "constraints: {hostlist: ['node[0-1]']}";
  Finding f = first(*e, job(res("node", "3", slot("1", res("core"))), "100", more),
                    Verdict::infeasible, Cause::too_few);
  EXPECT_EQ(f.path, "node[3]");
  EXPECT_EQ(f.candidates.excluded, 2U);
  EXPECT_EQ(f.candidates.fit, 2U);
  EXPECT_EQ(f.most_has, 4);
  EXPECT_EQ(f.most_fits, 2);
  // The allowed nodes are allocated: not now.
  ASSERT_TRUE(allocate(*e, nodes(1), 5));
  f = first(*e, job(slot("2", res("node")), "100", more), Verdict::insufficient, Cause::too_few);
  EXPECT_EQ(f.candidates.excluded, 2U);
  EXPECT_EQ(f.candidates.held, 1U);
  EXPECT_EQ(jobs_of(f), (Jobs{5}));
}

TEST(Explain, SiblingsOfOneType) {
  const auto e = engine();
  Finding f = first(*e, job(res("node", "1", slot("1", res("core") + ", " + res("core", "2")))),
                    Verdict::infeasible, Cause::siblings);
  EXPECT_EQ(f.path, "node[1] > slot[1] > core[2]");
  f = first(*e, job(res("node", "1", slot("1", res("core")) + ", " + res("gpu"))),
            Verdict::infeasible, Cause::siblings);
  EXPECT_EQ(f.path, "node[1] > slot[1]");
}

TEST(Explain, ExclusiveFalseBelowASlot) {
  const auto e = engine();
  const Finding f = first(*e, job(slot("1", res("node", "1", "", ", exclusive: false"))),
                          Verdict::infeasible, Cause::exclusive_in_part);
  EXPECT_EQ(f.path, "slot[1] > node[1]");
}

TEST(Explain, Durations) {
  const auto e = engine();
  for (const char* duration : {"-5", "1e300"}) {
    const Finding f = first(*e, nodes(1, duration), Verdict::invalid, Cause::duration);
    EXPECT_EQ(f.most_has, 3'153'600'000);
  }
}

// --- Not now

TEST(Explain, NothingExclusive) {
  const auto e = engine();
  const Finding f = first(*e, job(res("node")), Verdict::insufficient, Cause::nothing_exclusive);
  EXPECT_EQ(f.path, "");
}

TEST(Explain, Down) {
  const auto e = engine();
  e->set_status(at(e->graph(), "/cluster0/rack0/node1"), Status::down);
  Finding f = first(*e, nodes(4), Verdict::insufficient, Cause::too_few);
  EXPECT_EQ(f.candidates.down, 1U);
  EXPECT_EQ(f.candidates.fit, 3U);
  EXPECT_EQ(f.down, "node1");
  EXPECT_TRUE(f.holders.empty());
  e->set_status(at(e->graph(), "/cluster0/rack0"), Status::failing);
  f = first(*e, job(res("node", "3", slot("1", res("core")))), Verdict::insufficient,
            Cause::too_few);
  EXPECT_EQ(f.path, "node[3]");
  EXPECT_EQ(f.candidates.down, 2U);  // node1 is counted once
  EXPECT_EQ(f.down, "/cluster0/rack0");
  EXPECT_EQ(f.candidates.fit, 2U);
  // Core by core.
  for (const char* core : {"core0", "core1"}) {
    e->set_status(at(e->graph(), std::string("/cluster0/rack1/node2/socket0/") + core),
                  Status::down);
    e->set_status(at(e->graph(), std::string("/cluster0/rack1/node2/socket1/") + core),
                  Status::down);
  }
  e->set_status(at(e->graph(), "/cluster0/rack1/node3"), Status::down);
  f = first(*e, job(res("node", "1", res("socket", "1", slot("1", res("core", "3"))))),
            Verdict::insufficient, Cause::too_few);
  EXPECT_EQ(f.type, "node");  // three of four are excluded: that comes first
  const Explanation all =
      explain(*e, job(res("node", "1", res("socket", "1", slot("1", res("core", "3"))))));
  ASSERT_EQ(all.findings.size(), 2U);  // the sockets that are up have too few cores
  EXPECT_EQ(all.findings[1].path, "node[1] > socket[1] > slot[1] > core[3]");
  EXPECT_EQ(all.findings[1].most_fits, 2);
  EXPECT_EQ(all.findings[1].down, "/cluster0/rack0,node[2-3]");  // some cores of node2
  EXPECT_EQ(all.findings[1].more_down, 0U);
}

// A grant until the horizon has no end of its own.
TEST(Explain, HeldWithoutEnd) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, nodes(4, "0"), 1));
  const Finding f = first(*e, nodes(1), Verdict::insufficient, Cause::too_few);
  ASSERT_EQ(f.holders.size(), 1U);
  EXPECT_EQ(f.holders[0].end, Holder::kWithoutEnd);
  std::string text, json;
  append_explanation_text(text, explain(*e, nodes(1)));
  EXPECT_NE(text.find("(job 1 without end)"), std::string::npos) << text;
  append_explanation_json(json, explain(*e, nodes(1)));
  EXPECT_NE(json.find("\"end\": null"), std::string::npos) << json;
}

TEST(Explain, HeldSoonestEndFirst) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, nodes(1, "400"), 1));
  ASSERT_TRUE(allocate(*e, nodes(1, "300"), 2));
  ASSERT_TRUE(allocate(*e, nodes(1, "500"), 3));
  ASSERT_TRUE(allocate(*e, cores(2, "300"), 9));
  const Finding f = first(*e, nodes(1), Verdict::insufficient, Cause::too_few);
  EXPECT_EQ(f.path, "slot[1] > node[1]");
  EXPECT_EQ(f.candidates.held, 3U);
  EXPECT_EQ(f.candidates.busy, 1U);
  EXPECT_EQ(f.holders,
            (std::vector<Holder>{{2, 0, 300, 1}, {9, 0, 300, 1}, {1, 0, 400, 1}, {3, 0, 500, 1}}));
  EXPECT_EQ(f.more_holders, 0U);
}

TEST(Explain, TenHoldersAtMost) {
  const auto e = engine();
  for (JobId number = 1; number <= 32; ++number) {
    const std::string duration = std::to_string(1000 - 10 * number);
    ASSERT_TRUE(allocate(*e, job(slot("1", res("core")), duration), number));
  }
  const Finding f = first(*e, job(res("socket", "1", slot("1", res("core")))),
                          Verdict::insufficient, Cause::too_few);
  EXPECT_EQ(f.path, "socket[1] > slot[1] > core[1]");
  EXPECT_EQ(f.candidates.held, 32U);
  EXPECT_EQ(f.most_has, 32);  // none of all is free
  EXPECT_EQ(f.most_fits, 0);
  EXPECT_EQ(jobs_of(f), (Jobs{32, 31, 30, 29, 28, 27, 26, 25, 24, 23}));
  EXPECT_EQ(f.more_holders, 22U);
}

TEST(Explain, AJobCountsOnceForWhatItHasInParts) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, job(res("node", "4", slot("1", res("core", "3")))), 6));
  const Finding f = first(*e, nodes(3), Verdict::insufficient, Cause::too_few);
  EXPECT_EQ(f.candidates.busy, 4U);
  EXPECT_EQ(f.holders, (std::vector<Holder>{{6, 0, 100, 4}}));
}

TEST(Explain, HeldAboveWhatIsAskedFor) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, job(slot("1", res("rack")), "250"), 4));
  const Finding f = first(*e, job(res("node", "3", slot("1", res("core")))), Verdict::insufficient,
                          Cause::too_few);
  EXPECT_EQ(f.candidates.held, 2U);
  EXPECT_EQ(f.candidates.fit, 2U);
  EXPECT_EQ(f.holders, (std::vector<Holder>{{4, 0, 250, 2}}));
}

TEST(Explain, ReservedWithinTheWindow) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, nodes(4, "100"), 1));
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve, nodes(4, "100"), 2));
  ASSERT_TRUE(e->cancel(1));
  EXPECT_EQ(explain(*e, nodes(4, "100")).verdict, Verdict::fits);
  Finding f = first(*e, nodes(1, "101"), Verdict::insufficient, Cause::too_few);
  EXPECT_EQ(f.candidates.held, 4U);
  EXPECT_EQ(f.holders, (std::vector<Holder>{{2, 100, 200, 4}}));
  // For leaves, one after another in time.
  ASSERT_TRUE(e->cancel(2));
  ASSERT_TRUE(allocate(*e, job(slot("32", res("core")), "100"), 3));
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve, job(slot("31", res("core"))), 4));
  ASSERT_TRUE(e->cancel(3));
  f = first(*e, job(slot("2", res("core")), "150"), Verdict::insufficient, Cause::too_few);
  EXPECT_EQ(f.most_fits, 1);
  EXPECT_EQ(f.candidates.held, 31U);
  EXPECT_EQ(jobs_of(f), (Jobs{4}));
}

TEST(Explain, PoolsAreTakenWhole) {
  const auto e = engine();
  const Finding f = first(*e, job(res("socket", "1", slot("2", res("memory", "3")))),
                          Verdict::infeasible, Cause::whole_pools);
  EXPECT_EQ(f.path, "socket[1] > slot[2] > memory[3]");
  EXPECT_EQ(f.needed, 6);
  EXPECT_EQ(f.most_fits, 8);
}

TEST(Explain, Scattered) {
  const auto e = engine();
  for (JobId number = 1; number <= 8; ++number) {  // one core of each socket
    ASSERT_TRUE(allocate(*e, job(slot("1", res("core") + ", " + res("gpu"))), number));
  }
  const Finding f = first(*e, job(res("node", "1", slot("1", res("core", "4")))),
                          Verdict::insufficient, Cause::too_few);
  EXPECT_EQ(f.path, "node[1] > slot[1] > core[4]");
  EXPECT_EQ(f.where, "socket");
  EXPECT_EQ(f.most_has, 4);
  EXPECT_EQ(f.most_fits, 3);
  EXPECT_EQ(f.candidates.held, 8U);
  EXPECT_EQ(f.candidates.fit, 24U);
  EXPECT_EQ(f.holders.size(), 8U);
}

TEST(Explain, EachPartButNotTogether) {
  const auto e = engine();
  const ResourceGraph& g = e->graph();
  bool gpu = false;
  for (PoolId p : g.of_type(g.find_type("socket"))) {  // every second one has no gpu, or few cores
    const std::string path = g.path(p, g.dominant());
    e->set_status(at(g, path + (gpu ? "/gpu0" : "/core1")), Status::down);
    gpu = !gpu;
  }
  const Finding f =
      first(*e, job(res("socket", "1", slot("1", res("core", "4") + ", " + res("gpu")))),
            Verdict::insufficient, Cause::not_together);
  EXPECT_EQ(f.path, "socket[1] > slot[1]");
  EXPECT_EQ(f.candidates.lacking, 8U);
  EXPECT_EQ(f.each, (std::vector<Finding::Part>{{"core", 4}, {"gpu", 1}}));
}

TEST(Explain, FindingsAreBounded) {
  const auto e = engine();
  std::string many;
  for (const char* type : {"rack", "node", "socket", "core", "gpu", "memory", "cluster"}) {
    many += (many.empty() ? "" : ", ") + res(type, "100", slot("1", res("core", "99")));
  }
  EXPECT_LE(explain(*e, job(many)).findings.size(), Explanation::kFindingsMax);
}

}  // namespace
}  // namespace copse
