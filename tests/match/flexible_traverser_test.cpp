// SPDX-License-Identifier: Apache-2.0
//
// The flexible traverser: sibling slots as alternatives, xor_slots as variants. tests/property
// checks that this walk answers as the SimpleTraverser if both can serve a request.
#include "match/flexible/flexible_traverser.hpp"

#include "engine/jobs.hpp"
#include "match/compile/compiled.hpp"

namespace copse {
namespace {

EngineOptions flexible(const std::string& policy = "low") {
  return {.policy = *find_policy(policy), .traverser = Traverser::flexible};
}

std::string in_socket(const std::string& list) { return job(res("socket", "1", list)); }

std::string pools(const std::string& parent, const std::vector<std::string>& names,
                  Paths more = {}) {
  for (const std::string& name : names) more.push_back(parent + '/' + name);
  std::sort(more.begin(), more.end());
  std::string out;
  for (const std::string& path : more) out += path + ' ';
  return out;
}
std::string given(const Engine& e, const Matched& m) { return pools("", {}, taken(e, m)); }

// The policy takes the best slot: under `low` the one with the smaller sum of scores.
TEST(Flexible, TheBestAlternativeThatFits) {
  const auto e = engine(flexible());
  const std::string text = in_socket(slot("1", res("core", "2") + ", " + res("gpu")) + ", " +
                                     slot("1", res("core", "1") + ", " + res("memory", "8")));
  // Both are formed there, the one that is listed first of the best cores.
  EXPECT_EQ(given(*e, allocate(*e, text, 1)), pools("/rack0/node0/socket0", {"core2", "memory0"}));
  // No memory is left there: the other alternative is used.
  EXPECT_EQ(given(*e, allocate(*e, text, 2)),
            pools("/rack0/node0/socket0", {"core0", "core1", "gpu0"}));
  // Neither fits: another socket is used.
  EXPECT_EQ(given(*e, allocate(*e, text, 3)), pools("/rack0/node1/socket0", {"core2", "memory0"}));
}

TEST(Flexible, AsManySlotsAsTheLastOneCounts) {
  const std::string large = slot("1", res("core", "3"));
  const auto e = engine(flexible());
  EXPECT_EQ(given(*e, match(*e, Operation::without_allocating,
                            in_socket(large + ", " + slot("4", res("core"))))),
            pools("/rack0/node0/socket0", {"core0", "core1", "core2", "core3"}));
  // As many as possible are formed, four small ones, and the policy takes the best two.
  EXPECT_EQ(
      given(*e, match(*e, Operation::without_allocating,
                      in_socket(slot("2", res("core", "3")) + ", " + slot("2", res("core"))))),
      pools("/rack0/node0/socket0", {"core0", "core1"}));
  // The last one says how many are enough, whatever the others count.
  EXPECT_EQ(
      given(*e, match(*e, Operation::without_allocating,
                      in_socket(slot("9", res("core", "3")) + ", " + slot("1", res("core"))))),
      pools("/rack0/node0/socket0", {"core0"}));
  // There is no room for five slots.
  EXPECT_EQ(error_of(allocate(*e, in_socket(large + ", " + slot("5", res("core"))))),
            "insufficient");
}

// All alternatives are formed, and the best is taken.
TEST(Flexible, ThePolicyChoosesAmongAlternatives) {
  const std::string either = in_socket(slot("1", res("gpu")) + ", " + slot("1", res("core")));
  const auto low = engine(flexible("low")), high = engine(flexible("high"));
  EXPECT_EQ(given(*low, allocate(*low, either, 1)), pools("/rack0/node0/socket0", {"gpu0"}));
  EXPECT_EQ(given(*low, allocate(*low, either, 2)), pools("/rack0/node0/socket0", {"core0"}));
  const auto taken_high = taken(*high, allocate(*high, either, 1));
  ASSERT_EQ(taken_high.size(), 1U);
  EXPECT_TRUE(taken_high[0].ends_with("core3")) << taken_high[0];
}

TEST(Flexible, SlotsOfSeveralPoolsComeTogether) {
  const auto e = engine(flexible());
  const std::string either =
      slot("2", res("core", "4") + ", " + res("gpu")) + ", " + slot("2", res("core", "3"));
  // One slot is formed at each socket; those of the sockets with the lowest ids win.
  EXPECT_EQ(given(*e, allocate(*e, job(either), 1)),
            pools("/rack0/node0/socket0", {"core0", "core1", "core2", "core3", "gpu0"},
                  {"/rack0/node0/socket1/core0", "/rack0/node0/socket1/core1",
                   "/rack0/node0/socket1/core2", "/rack0/node0/socket1/core3",
                   "/rack0/node0/socket1/gpu0"}));
}

TEST(Flexible, EveryPolicyFindsTheAlternative) {
  for (const Policy& policy : bundled_policies()) {
    const auto e = engine(flexible(policy.name));
    const std::string text =
        job(res("node", "1", slot("1", res("socket", "3")) + ", " + slot("1", res("socket", "2"))));
    for (JobId number = 1; number <= 4; ++number) {
      EXPECT_EQ(error_of(allocate(*e, text, number)), "") << policy.name;
    }
    EXPECT_EQ(error_of(allocate(*e, text, 5)), "insufficient") << policy.name;
  }
}

TEST(Flexible, SatisfiableIfAnAlternativeIs) {
  const auto e = engine(flexible());
  auto satisfiable = [&](const std::string& text) {
    return error_of(match(*e, Operation::satisfiability, text));
  };
  const std::string never = slot("1", res("core", "5")), core = slot("1", res("core", "4"));
  EXPECT_EQ(satisfiable(in_socket(never + ", " + core)), "");
  EXPECT_EQ(satisfiable(in_socket(core + ", " + never)), "");
  EXPECT_EQ(satisfiable(in_socket(never + ", " + slot("1", res("gpu", "2")))), "infeasible");
  EXPECT_EQ(satisfiable(in_socket(never + ", " + slot("1", res("pdu")))), "infeasible");
  EXPECT_EQ(satisfiable(in_socket(xor_slot("1", res("core", "5")) + ", " +
                                  xor_slot("1", res("core", "4")))),
            "");
  EXPECT_EQ(satisfiable(
                in_socket(xor_slot("1", res("core", "5")) + ", " + xor_slot("1", res("gpu", "2")))),
            "infeasible");
}

TEST(Flexible, AlternativesWaitTogether) {
  const auto e = engine(flexible());
  ASSERT_EQ(error_of(allocate(*e, nodes(3, "300"), 1)), "");
  ASSERT_EQ(error_of(allocate(*e, nodes(1, "100"), 2)), "");
  const auto two = match(*e, Operation::without_allocating_future,
                         job(slot("2", res("node")) + ", " + slot("2", res("node", "2"))), 3);
  ASSERT_EQ(error_of(two), "");
  EXPECT_EQ(two->start, 300);
  // From 300 on two nodes are free, from 100 on one.
  const std::string text =
      job(xor_slot("2", res("node")) + ", " + xor_slot("1", res("node", "1", res("socket", "2"))));
  const auto m = match(*e, Operation::allocate_orelse_reserve, text, 3);
  ASSERT_EQ(error_of(m), "");
  EXPECT_EQ(m->start, 100);
  EXPECT_EQ(taken(*e, m).size(), 3U);  // a node and its sockets
}

TEST(Flexible, TheFirstVariantThatGetsSomething) {
  const auto e = engine(flexible());
  const std::string text = job(xor_slot("4", res("node")) + ", " + xor_slot("1", res("rack")) +
                               ", " + xor_slot("1", res("node")));
  EXPECT_EQ(taken(*e, match(*e, Operation::without_allocating, text)).size(), 4U);
  ASSERT_EQ(error_of(allocate(*e, nodes(1), 1)), "");
  EXPECT_EQ(given(*e, allocate(*e, text, 2)), pools("", {"rack1"}));
  EXPECT_EQ(given(*e, allocate(*e, text, 3)), pools("", {"rack0/node1"}));
}

TEST(Flexible, WhatOneVariantTakesWholeAllDo) {
  const auto e = engine(flexible());
  const std::string text = job(xor_slot("1", res("rack", "3")) + ", " +
                               xor_slot("1", res("node", "9", "", ", exclusive: true")) + ", " +
                               xor_slot("1", res("node", "1", res("socket"))));
  const auto m = allocate(*e, text);
  ASSERT_EQ(error_of(m), "");
  EXPECT_EQ(taken(*e, m).size(), 15U);  // a node, two sockets with four cores, a gpu, memory
}

TEST(Flexible, SiblingsThatFitOnePoolAreRefused) {
  const auto e = engine(flexible());
  const std::string sentence = "test: siblings in jobspec request same resource type : ";
  const std::string core_slot = slot("1", res("core"));
  for (const std::string& text : {job(res("socket", "1", core_slot) + ", " + core_slot),
                                  job(res("node", "1", res("socket") + ", " + res("socket")))}) {
    const auto refused = allocate(*e, text);
    EXPECT_EQ(error_of(refused), "insufficient");
    ASSERT_EQ(remarks_of(refused).size(), 1U);
    EXPECT_EQ(remarks_of(refused)[0], sentence + "socket.");
  }
}

// Below one pool, the walk searches for the types of one alternative; a slot with another content
// must not be formed from them.
TEST(Flexible, NoSlotIsFormedFromWhatAnotherAsksFor) {
  const auto e = engine(flexible());
  const std::string with_gpu = slot("1", res("socket", "1", res("gpu")));
  for (const std::string& text : {job(with_gpu + ", " + slot("1", res("socket"))),
                                  job(slot("1", res("socket", "2")) + ", " + with_gpu)}) {
    const auto m = match(*e, Operation::without_allocating, text);
    ASSERT_EQ(error_of(m), "");
    EXPECT_EQ(taken(*e, m).size(), 2U);  // a socket and its gpu, or two sockets
    EXPECT_EQ(remarks_of(m), Paths{"sibling slots request different contents of one type: "
                                   "use xor_slot"});
  }
}

TEST(Flexible, IsNeededForAlternatives) {
  const auto e = engine();
  const std::string core = slot("1", res("core"));
  const auto two = allocate(*e, in_socket(core + ", " + core));
  EXPECT_EQ(error_of(two), "insufficient");
  EXPECT_EQ(remarks_of(two), Paths{"test: siblings in jobspec request same resource type : slot."});
  const auto one_of = allocate(*e, in_socket(xor_slot("1", res("core"))));
  EXPECT_EQ(error_of(one_of), "insufficient");
  EXPECT_EQ(remarks_of(one_of), Paths{"xor_slot needs the flexible traverser"});
}

TEST(Flexible, TooManyVariantsAreRefused) {
  const auto e = engine(flexible());
  std::string list = xor_slot("1", res("core"));
  for (int i = 0; i < 1'000; ++i) list += ", " + xor_slot("1", res("core"));
  EXPECT_EQ(error_of(allocate(*e, in_socket(list))), "limit");
}

// The least needs of a request must not exceed those of any alternative.
TEST(Flexible, NeedsAreTheLeastOfTheAlternatives) {
  const ResourceGraph graph = machine();
  auto total = [&](const std::string& resources) {
    const auto c =
        compile(*parse_jobspec(job(resources)), graph, *find_policy("low"), Traverser::flexible);
    std::string out;
    for (const Need& n : c->total) {
      out += graph.type_name(n.type) + ' ' + std::to_string(n.units) + ' ';
    }
    return out;
  };
  const std::string a = res("core", "3") + ", " + res("gpu"), b = res("core", "8");
  // The last one says how many slots are needed.
  EXPECT_EQ(total(slot("2", a) + ", " + slot("1", b)), "core 3 ");
  EXPECT_EQ(total(slot("1", b) + ", " + slot("2", a)), "core 6 ");
  EXPECT_EQ(total(res("node", "2", slot("2", a) + ", " + slot("1", b))), "core 6 node 2 ");
  EXPECT_EQ(total(xor_slot("2", a) + ", " + xor_slot("1", b) + ", " + res("rack")),
            "core 6 rack 1 ");
  EXPECT_EQ(total(xor_slot("1", res("core")) + ", " + xor_slot("1", res("node"))), "");
}

}  // namespace
}  // namespace copse
