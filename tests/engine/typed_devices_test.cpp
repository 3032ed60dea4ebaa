// SPDX-License-Identifier: Apache-2.0
//
// Devices of several types in one node: pools with properties, and requests for them.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "copse/formats.hpp"
#include "engine/jobs.hpp"

namespace copse {
namespace {

// Two nodes, each with GPUs 0 and 1 of type h100 and GPUs 2 to 5 of type h200.
ResourceGraph desk() {
  auto graph = read_machine(
      "NodeName=ia[1-2] CPUs=16 RealMemory=64000 Gres=gpu:h100:2,gpu:h200:4\n"
      "PartitionName=p Nodes=ALL\n");
  EXPECT_TRUE(graph) << (graph ? "" : graph.error().message());
  return std::move(*graph);
}

std::string gpus(const std::string& property, int count, const std::string& slots = "1") {
  return job(res("node", "1",
                 slot(slots, res("core") + ", " +
                                 res("gpu", std::to_string(count), "",
                                     ", properties: [\"" + property + "\"]"))));
}

std::set<std::int64_t> gpu_ids(const Engine& e, const Match& m) {
  std::set<std::int64_t> out;
  std::vector<ExpandedPool> pools;
  expand(e.graph(), m.selection, pools);
  for (const ExpandedPool& p : pools) {
    if (e.graph().type_name(p.pool) == "gpu") out.insert(e.graph().id(p.pool));
  }
  return out;
}

ErrorCode refusal(Engine& e, const std::string& text, JobId id) {
  const auto m = match(e, Operation::allocate_with_satisfiability, text, id);
  EXPECT_FALSE(m) << text;
  return m ? ErrorCode::exists : m.error().code;
}

using Ids = std::set<std::int64_t>;
constexpr Traverser kWalkers[] = {Traverser::simple, Traverser::flexible, Traverser::loop_aware};

TEST(TypedDevices, ARequestGetsItsType) {
  for (const Traverser walk : kWalkers) {
    for (const char* policy : {"low", "high", "first", "compact", "locality"}) {
      const auto e = engine({.policy = *find_policy(policy), .traverser = walk}, desk());
      const auto two = allocate(*e, gpus("h100", 2), 1);
      ASSERT_TRUE(two) << policy << ": " << two.error().message();
      EXPECT_EQ(gpu_ids(*e, *two), (Ids{0, 1})) << policy;
      const auto four = allocate(*e, gpus("h200", 4), 2);
      ASSERT_TRUE(four) << policy << ": " << four.error().message();
      EXPECT_EQ(gpu_ids(*e, *four), (Ids{2, 3, 4, 5})) << policy;
      EXPECT_EQ(refusal(*e, gpus("h100", 3), 3), ErrorCode::infeasible) << policy;
      EXPECT_EQ(refusal(*e, gpus("h300", 1), 3), ErrorCode::infeasible) << policy;
      ASSERT_TRUE(allocate(*e, gpus("h100", 1, "2"), 4)) << policy;
      EXPECT_EQ(refusal(*e, gpus("h100", 1), 5), ErrorCode::insufficient) << policy;
      EXPECT_TRUE(allocate(*e, gpus("^h100", 4), 5)) << policy;
    }
  }
}

TEST(TypedDevices, TwoTypesInOneSlot) {
  const auto e =
      engine({.policy = *find_policy("low"), .traverser = Traverser::loop_aware}, desk());
  const std::string both =
      job(res("node", "1",
              slot("1", res("core") + ", " + res("gpu", "1", "", ", properties: [h100]") + ", " +
                            res("gpu", "2", "", ", properties: [h200]"))));
  const auto m = allocate(*e, both);
  ASSERT_TRUE(m) << m.error().message();
  EXPECT_EQ(gpu_ids(*e, *m), (Ids{0, 2, 3}));
}

TEST(TypedDevices, AConstraintRestrictsDevices) {
  const auto constrained = [](const std::string& property, int count) {
    return job(res("node", "1", slot("1", res("core") + ", " + res("gpu", std::to_string(count)))),
               "100", "constraints: {properties: [\"" + property + "\"]}");
  };
  for (const Traverser walk : kWalkers) {
    const auto e = engine({.policy = *find_policy("low"), .traverser = walk}, desk());
    const auto m = allocate(*e, constrained("h200", 2), 1);
    ASSERT_TRUE(m) << m.error().message();
    EXPECT_EQ(gpu_ids(*e, *m), (Ids{2, 3}));
    EXPECT_EQ(refusal(*e, constrained("h100", 3), 2), ErrorCode::infeasible);
    // A property of nodes alone restricts no device.
    EXPECT_TRUE(allocate(*e, constrained("p", 6), 2));
  }
}

TEST(TypedDevices, AReservationWaitsForItsType) {
  const auto e = engine(with_policy("low"), desk());
  for (JobId id = 1; id <= 2; ++id) ASSERT_TRUE(allocate(*e, gpus("h100", 2), id));
  const auto later = match(*e, Operation::allocate_orelse_reserve, gpus("h100", 1), 3);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->start, 100);
  const auto now = match(*e, Operation::allocate_orelse_reserve, gpus("h200", 4), 4);
  ASSERT_TRUE(now);
  EXPECT_EQ(now->start, 0);
}

TEST(TypedDevices, AnRSaysWhichDevicesHaveWhichType) {
  const auto e = engine(with_policy("low"), desk());
  const auto both =
      allocate(*e, job(res("node", "1", slot("1", res("core") + ", " + res("gpu", "4")))), 1);
  ASSERT_TRUE(both);
  const auto r = write_match(e->graph(), *both, "rv1_nosched");
  ASSERT_TRUE(r);
  EXPECT_NE(r->find(R"("h100@gpu[0-1]": "0")"), std::string::npos) << *r;
  EXPECT_NE(r->find(R"("h200@gpu[2-3]": "0")"), std::string::npos) << *r;
  auto part = read_machine(*r);
  ASSERT_TRUE(part) << part.error().message();
  const auto sub = engine(with_policy("low"), std::move(*part));
  const auto m = allocate(*sub, gpus("h200", 2));
  ASSERT_TRUE(m) << m.error().message();
  EXPECT_EQ(gpu_ids(*sub, *m), (Ids{2, 3}));
  EXPECT_FALSE(allocate(*sub, gpus("h200", 1), 2));
  // Devices of one type need no numbers.
  const auto one = allocate(*e, gpus("h200", 2), 2);
  ASSERT_TRUE(one);
  const auto only = write_match(e->graph(), *one, "rv1_nosched");
  ASSERT_TRUE(only);
  EXPECT_NE(only->find(R"("h200@gpu": "0")"), std::string::npos) << *only;
}

TEST(TypedDevices, AnExplanationNamesTheType) {
  const auto e = engine(with_policy("low"), desk());
  auto prepared = e->prepare(gpus("h100", 3), "job.yaml");
  ASSERT_TRUE(prepared) << prepared.error().message();
  const auto why = e->explain(**prepared);
  ASSERT_TRUE(why);
  ASSERT_FALSE(why->findings.empty());
  EXPECT_EQ(why->findings[0].properties, "h100");
  EXPECT_EQ(why->findings[0].most_has, 2);
  EXPECT_NE(why->findings[0].path.find("gpu{h100}[3]"), std::string::npos) << why->findings[0].path;
}

TEST(TypedDevices, PropertiesMayChange) {
  const auto e = engine(with_policy("low"), desk());
  ASSERT_FALSE(allocate(*e, gpus("h200", 5), 1));
  const std::vector<PoolId> all = e->graph().of_type(e->graph().find_type("gpu"));
  e->set_property(all.at(0), "h200", "");
  const auto m = allocate(*e, gpus("h200", 5), 1);
  ASSERT_TRUE(m) << m.error().message();
  EXPECT_EQ(gpu_ids(*e, *m), (Ids{0, 2, 3, 4, 5}));
}

// One node of eight cores: GPU 0 is near cores 0 to 3, GPU 1 near cores 4 to 7.
std::unique_ptr<Engine> near_desk(const std::string& policy) {
  auto graph =
      read_machine("NodeName=n1 CPUs=8 RealMemory=64000 Gres=gpu:2\nPartitionName=p Nodes=ALL\n");
  EXPECT_TRUE(graph) << (graph ? "" : graph.error().message());
  const std::vector<PoolId> gpus = graph->of_type(graph->find_type("gpu"));
  graph->set_property(gpus.at(0), "cores", "0-3");
  graph->set_property(gpus.at(1), "cores", "4-7");
  return engine(with_policy(policy), std::move(*graph));
}

Ids core_ids(const Engine& e, const Match& m) {
  Ids out;
  std::vector<ExpandedPool> pools;
  expand(e.graph(), m.selection, pools);
  for (const ExpandedPool& p : pools) {
    if (e.graph().type_name(p.pool) == "core") out.insert(e.graph().id(p.pool));
  }
  return out;
}

TEST(NearCores, ArePreferredWhereTheyAreFree) {
  const std::string with_gpu =
      job(res("node", "1", slot("1", res("core", "2") + ", " + res("gpu"))));
  for (const char* policy : {"low", "high", "first"}) {
    const auto e = near_desk(policy);
    for (JobId id = 1; id <= 2; ++id) {
      const auto m = allocate(*e, with_gpu, id);
      ASSERT_TRUE(m);
      const std::int64_t gpu = *gpu_ids(*e, *m).begin();
      for (const std::int64_t core : core_ids(*e, *m)) EXPECT_EQ(core / 4, gpu) << policy;
    }
    EXPECT_TRUE(allocate(*e, cores(4), 3)) << policy;
    EXPECT_FALSE(allocate(*e, cores(1), 4)) << policy;
  }
}

TEST(NearCores, OthersServeWhereTheyAreTaken) {
  const auto e = near_desk("low");
  ASSERT_TRUE(allocate(*e, cores(3), 1));  // cores 0 to 2
  const auto m =
      allocate(*e, job(res("node", "1", slot("1", res("core", "3") + ", " + res("gpu")))), 2);
  ASSERT_TRUE(m);
  EXPECT_EQ(core_ids(*e, *m), (Ids{3, 4, 5}));
  EXPECT_EQ(gpu_ids(*e, *m), (Ids{0}));
  ASSERT_TRUE(e->cancel(2));
  EXPECT_EQ(e->fingerprint(), [&] {
    const auto again = near_desk("low");
    EXPECT_TRUE(allocate(*again, cores(3), 1));
    return again->fingerprint();
  }());
}

}  // namespace
}  // namespace copse
