// SPDX-License-Identifier: Apache-2.0
//
// All output can be read again and means the same: machines as JGF, selections as JGF and R.
// Machines and requests come from the seeded generator.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/formats.hpp"
#include "formats/grug/grug.hpp"
#include "formats/jgf/graph_jgf.hpp"
#include "formats/jgf/jgf.hpp"
#include "formats/jgf/jgf_set.hpp"
#include "formats/jgf/jgf_subtrees.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "property/generator.hpp"

namespace copse::property {
namespace {

constexpr std::uint64_t kSeeds = 150;

std::unique_ptr<Engine> engine_of(const Machine& machine, ResourceGraph graph) {
  auto made = Engine::create(
      std::move(graph), {.policy = *find_policy("low"), .prune_filters = machine.prune_filters});
  EXPECT_TRUE(made) << (made ? "" : made.error().message());
  return std::move(*made);
}

// Labels belong to the request: an update has none.
std::string written(const Engine& engine, const Match& match, Format format) {
  std::vector<ExpandedPool> expanded;
  expand(engine.graph(), match.selection, expanded);
  std::string out;
  Writer(format).write(
      {.graph = engine.graph(), .pools = expanded, .start = match.start, .end = match.end}, out);
  return out;
}

struct Written {
  JobId job;
  std::int64_t start, duration_s;
  std::string jgf, shorthand, r;
};

// The granted matches of a case.
std::vector<Written> run(Engine& engine, const Case& a_case) {
  std::vector<Written> out;
  for (const Event& e : a_case.events) {
    if (e.kind != Event::Kind::match) continue;
    auto request = engine.prepare(a_case.requests[e.request]);
    EXPECT_TRUE(request);
    const bool known = engine.grant(e.job) != nullptr;
    const auto match = engine.match(e.operation, *request, e.job);
    if (!match || known || engine.grant(e.job) == nullptr) continue;
    const Match& m = **match;
    out.push_back({e.job, m.start, m.end - m.start, written(engine, m, Format::jgf),
                   written(engine, m, Format::jgf_shorthand),
                   written(engine, m, Format::rv1_nosched)});
  }
  return out;
}

// The pools of a set, with a mark if exclusive.
std::vector<std::string> shown(const std::string& jgf) {
  std::vector<std::string> out;
  const auto set = read_jgf_set(jgf);
  EXPECT_TRUE(set);
  for (const JgfNode& node : set->nodes) out.push_back(node.outer_id + (node.exclusive ? "!" : ""));
  return out;
}

// For a regular machine, which GRUG can describe.
Case plain_case(std::uint64_t seed) {
  for (;; seed += 1'000'000) {
    Case made = make_case(seed, MachineSize::small);
    if (!made.machine.grug.empty() && made.machine.power.empty() && made.machine.now == 0) {
      return made;
    }
  }
}

TEST(RoundTrip, AMachineAsJgfAnswersAsTheOneOfItsRecipe) {
  std::size_t granted = 0;
  for (std::uint64_t seed = 30'000'000; seed < 30'000'000 + kSeeds; ++seed) {
    const Case a_case = plain_case(seed);
    auto recipe = read_grug(a_case.machine.grug);
    ASSERT_TRUE(recipe);
    std::string jgf;
    ASSERT_TRUE(write_jgf(*recipe, jgf));
    auto read = read_jgf(jgf);
    ASSERT_TRUE(read) << read.error().message();
    const auto a = engine_of(a_case.machine, std::move(*recipe));
    const auto b = engine_of(a_case.machine, std::move(*read));
    const auto of_a = run(*a, a_case), of_b = run(*b, a_case);
    ASSERT_EQ(of_a.size(), of_b.size()) << text(a_case);
    for (std::size_t i = 0; i < of_a.size(); ++i) {
      ASSERT_EQ(of_a[i].jgf, of_b[i].jgf) << text(a_case);
      ASSERT_EQ(of_a[i].r, of_b[i].r) << text(a_case);
    }
    ASSERT_EQ(a->fingerprint(), b->fingerprint()) << text(a_case);
    granted += of_a.size();
  }
  EXPECT_GT(granted, kSeeds);
}

TEST(RoundTrip, UpdateWithWhatAMatchWroteIsTheMatch) {
  std::size_t granted = 0;
  for (std::uint64_t seed = 31'000'000; seed < 31'000'000 + kSeeds; ++seed) {
    const Case a_case = plain_case(seed);
    const auto first = engine_of(a_case.machine, *read_grug(a_case.machine.grug));
    const auto all = run(*first, a_case);
    for (const bool shorthand : {false, true}) {
      const auto again = engine_of(a_case.machine, *read_grug(a_case.machine.grug));
      for (const Written& w : all) {
        const auto set = read_jgf_set(shorthand ? w.shorthand : w.jgf);
        ASSERT_TRUE(set) << set.error().message();
        const auto taken = exclusive_pools(again->graph(), *set, shorthand);
        ASSERT_TRUE(taken) << taken.error().message() << text(a_case);
        EXPECT_TRUE(taken->rooted);
        const auto match = again->update(w.job, taken->pools, w.start, w.duration_s);
        ASSERT_TRUE(match) << match.error().message() << text(a_case);
        // Shorthand omits the contents of an exclusive pool, and so represents all of them; the
        // other pools are the same.
        ASSERT_EQ(shown(written(*again, **match, Format::jgf_shorthand)), shown(w.shorthand))
            << text(a_case);
        if (shorthand) continue;
        ASSERT_EQ(written(*again, **match, Format::jgf), w.jgf) << text(a_case);
        ASSERT_EQ(written(*again, **match, Format::rv1_nosched), w.r) << text(a_case);
      }
      if (!shorthand) {
        ASSERT_EQ(again->fingerprint(), first->fingerprint()) << text(a_case);
      }
    }
    granted += all.size();
  }
  EXPECT_GT(granted, kSeeds);
}

// The machine that an R describes, taken whole, is that R.
TEST(RoundTrip, AnRTakenWholeIsThatR) {
  std::size_t whole = 0;
  for (std::uint64_t seed = 32'000'000; seed < 32'000'000 + kSeeds; ++seed) {
    const Case a_case = plain_case(seed);
    const auto first = engine_of(a_case.machine, *read_grug(a_case.machine.grug));
    for (const Written& w : run(*first, a_case)) {
      if (w.r.empty() || w.start != 0) continue;
      const auto r = read_r(w.r);
      ASSERT_TRUE(r) << r.error().message() << w.r;
      auto graph = graph_of_r(*r);
      ASSERT_TRUE(graph) << graph.error().message() << w.r;
      const auto engine = engine_of(a_case.machine, std::move(*graph));
      Request request;
      Resource nodes;
      nodes.type = "node";
      nodes.count.min = nodes.count.max = r->ranks().count();
      nodes.exclusive = Exclusivity::yes;
      request.resources = {nodes};
      request.duration_s = w.duration_s;
      auto prepared = engine->prepare(request);
      ASSERT_TRUE(prepared);
      const auto match = engine->match(Operation::allocate, *prepared, 1);
      ASSERT_TRUE(match) << match.error().message() << w.r;
      ASSERT_EQ(written(*engine, **match, Format::rv1_nosched), w.r) << text(a_case);
      ++whole;
    }
  }
  EXPECT_GT(whole, kSeeds / 2);
}

}  // namespace
}  // namespace copse::property
