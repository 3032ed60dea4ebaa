// SPDX-License-Identifier: Apache-2.0
//
// A place that a request does not name is a cause only if the request would be served where everything is
// in one place: on random machines of racks, each with a twin in which those are dissolved.
#include <string>
#include <utility>
#include <vector>

#include "engine/jobs.hpp"
#include "explain/explanation.hpp"
#include "property/machine.hpp"
#include "property/random.hpp"

namespace copse {
namespace {

using property::Random;
using property::Recipe;

constexpr std::int64_t kCores = 2;  // of a node

struct Size {
  std::int64_t racks = 1, nodes = 1;  // of a rack
};

// The machine, or its twin without the pools of this type.
std::unique_ptr<Engine> machine_of(const Size& size, const std::string& without = "") {
  const auto recipe = [](const char* type, std::int64_t count, std::vector<Recipe> below) {
    Recipe out;
    out.type = type;
    out.count = count;
    out.below = std::move(below);
    return out;
  };
  Recipe cores = recipe("core", kCores, {});
  Recipe nodes = recipe("node", size.nodes, {cores});
  Recipe racks = recipe("rack", size.racks, {nodes});
  if (without == "rack") {
    nodes.count *= size.racks;
    racks = std::move(nodes);
  } else if (without == "node") {
    cores.count *= size.nodes * size.racks;
    racks = std::move(cores);
  }
  auto graph = property::expand_recipe(recipe("cluster", 1, {racks})).build();
  EXPECT_TRUE(graph);
  return engine(with_policy("low"), std::move(*graph));
}

// The pools of a node, or its cores if there are no nodes.
std::vector<PoolId> node_of(const Engine& e, std::int64_t number) {
  std::vector<PoolId> out;
  const TypeId node = e.graph().find_type("node"), core = e.graph().find_type("core");
  std::int64_t seen = 0;
  for (std::uint32_t v = 0; v < e.graph().pool_count(); ++v) {
    const PoolId p{v};
    if (node != kNoType && e.graph().type(p) == node && seen++ == number) out = {p};
    if (node == kNoType && e.graph().type(p) == core && seen++ / kCores == number) out.push_back(p);
  }
  return out;
}

struct Named {
  int places = 0, totals = 0;
};

void check(std::uint64_t seed, Named& named) {
  Random random(seed);
  const Size size{random.between(1, 4), random.between(1, 4)};
  std::vector<std::int64_t> down;
  for (std::int64_t n = 0; n < size.racks * size.nodes; ++n) {
    if (random.chance(35)) down.push_back(n);
  }
  const auto set_down = [&](Engine& e) {
    for (const std::int64_t n : down) {
      for (const PoolId p : node_of(e, n)) e.set_status(p, Status::down);
    }
  };
  const std::string count = std::to_string(random.between(1, 8));
  const std::string request =
      job(slot(random.chance(70) ? "1" : std::to_string(random.between(1, 3)),
               res(random.chance(70) ? "node" : "core", count)));
  const auto e = machine_of(size);
  set_down(*e);
  const auto prepared = e->prepare(request, "job.yaml");
  ASSERT_TRUE(prepared);
  const auto why = e->explain(**prepared);
  ASSERT_TRUE(why);
  if (why->verdict == Verdict::fits) return;
  const Finding& f = why->findings.front();
  std::string text;
  append_explanation_text(text, *why);
  SCOPED_TRACE(request + text);
  if (f.where.empty()) {
    ++named.totals;
    EXPECT_FALSE(text.contains("under one")) << text;
    return;
  }
  ++named.places;
  const auto twin = machine_of(size, f.where);
  set_down(*twin);
  const auto again = twin->prepare(request, "job.yaml");
  ASSERT_TRUE(again);
  const auto served = twin->explain(**again);
  ASSERT_TRUE(served);
  const bool now = why->verdict == Verdict::insufficient;
  EXPECT_TRUE(now ? served->verdict == Verdict::fits : served->verdict != Verdict::infeasible);
}

TEST(ExplainedPlace, IsACause) {
  Named named;
  for (std::uint64_t seed = 0; seed < 3'000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(seed, named);
  }
  EXPECT_GT(named.places, 100);
  EXPECT_GT(named.totals, 100);
}

// Where all nodes are in one rack, it is not the rack that has too few.
TEST(ExplainedPlace, IsNotTheOnlyOne) {
  const auto e = machine_of({1, 4});
  const auto words = [&](const std::string& request) {
    const auto prepared = e->prepare(request, "job.yaml");
    std::string out;
    append_explanation_text(out, *e->explain(**prepared));
    return out;
  };
  EXPECT_TRUE(words(nodes(9)).contains("\nneeds 9 nodes; the machine has 4\n")) << words(nodes(9));
  ASSERT_TRUE(allocate(*e, nodes(3)));
  EXPECT_TRUE(words(nodes(4)).contains("\nneeds 4 nodes; of 4 nodes 1 fits now: "))
      << words(nodes(4));
  const std::string named = job(res("rack", "1", slot("9", res("node"))));
  EXPECT_TRUE(words(named).contains("\nneeds 9 nodes under one rack; the largest has 4\n"))
      << words(named);
}

}  // namespace
}  // namespace copse
