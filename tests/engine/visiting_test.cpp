// SPDX-License-Identifier: Apache-2.0
//
// Visiting policies (copse/policy/visit.hpp): what they are told, what they may choose, and what a refusal
// means. property/visiting_test.cpp compares them with the bundled policies.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "copse/policy/visit.hpp"
#include "copse/save.hpp"
#include "engine/jobs.hpp"
#include "explain/explanation.hpp"

namespace copse {
namespace {

using Event = Visit::Event;

// What a policy was told, by its context.
struct Told {
  std::vector<std::string> lines;
};

std::string shown(const WantedPools& wanted) {
  return std::string(wanted.type) + " " + std::to_string(wanted.least) + "-" +
         std::to_string(wanted.most) + " takes " + std::to_string(wanted.takes);
}

Score tell(Visit& visit) {
  auto& lines = static_cast<Told*>(visit.context)->lines;
  std::string line = visit.event == Event::pool   ? visit.graph.name(visit.pool)
                     : visit.event == Event::slot ? "slot at " + visit.graph.name(visit.pool)
                                                  : "request";
  for (const WantedPools& wanted : visit.below()) line += "; " + shown(wanted);
  line += "; found " + std::to_string(visit.found().size());
  if (visit.event != Event::pool || visit.wanted.type != "core") lines.push_back(line);
  return visit.event == Event::slot ? visit.score : 1;
}

Matched allocate_for(Engine& e, const std::string& text, JobId job, const std::string& user) {
  Request request = *parse_jobspec(text);
  request.user = user;
  auto prepared = e.prepare(std::move(request));
  if (!prepared) return std::unexpected(NoMatch(prepared.error()));
  auto matched = e.match(Operation::allocate, *prepared, job);
  if (!matched) return std::unexpected(matched.error());
  return **matched;
}

TEST(Visiting, ToldOfTheRequestAndOfWhatIsBelow) {
  Told told;
  EngineOptions options{.policy = {.name = "tell", .visit = tell}};
  options.policy.context = std::shared_ptr<void>(&told, [](void*) {});
  const auto e = engine(std::move(options));
  ASSERT_TRUE(allocate(*e, job(res("rack", "1", res("node", "1", slot("2", res("core", "3")))))));
  EXPECT_EQ(std::ranges::count(told.lines, "request; rack 1-1 takes 1; found 2"), 1);
  // The slots of a node are formed where its cores are: at its sockets, one of three cores each.
  EXPECT_EQ(std::ranges::count(told.lines, "slot at socket0; core 3-3 takes 3; found 3"), 4);
  EXPECT_EQ(std::ranges::count(told.lines, "node3; slot 2-2 takes 2; found 2"), 1);
  EXPECT_EQ(std::ranges::count(told.lines, "rack1; node 1-1 takes 1; found 2"), 1);
}

Score odd_cores(Visit& visit) {
  const auto odd_first = [&](const FoundPools& a, const FoundPools& b) {
    return visit.graph.id(a.pool) % 2 > visit.graph.id(b.pool) % 2;
  };
  for (const WantedPools& wanted : visit.below()) {
    if (wanted.type == "core") visit.choose_best("core", wanted.takes, odd_first);
  }
  return 1;
}

TEST(Visiting, ChoosesAmongWhatIsBelow) {
  const auto e = engine({.policy = {.name = "odd", .visit = odd_cores}});
  const auto cores = [](int count) {
    return job(res("socket", "1", res("core", std::to_string(count), "", ", exclusive: true")));
  };
  EXPECT_EQ(taken(*e, allocate(*e, cores(2))),
            (Paths{"/rack0/node0/socket0/core1", "/rack0/node0/socket0/core3"}));
  EXPECT_EQ(taken(*e, allocate(*e, cores(2), 2)),
            (Paths{"/rack0/node0/socket0/core0", "/rack0/node0/socket0/core2"}));
}

// Fewer than the request needs are chosen: the pool is refused.
Score one_core(Visit& visit) {
  visit.choose_best("core", 1);
  return 1;
}

TEST(Visiting, RefusesWhereTooLittleWasChosen) {
  const auto e = engine({.policy = {.name = "one", .visit = one_core}});
  const auto request = job(res("socket", "1", res("core", "2", "", ", exclusive: true")));
  EXPECT_EQ(error_of(allocate(*e, request)), "insufficient");
}

// Slots of high cores first, and no slot with core 2.
Score slots_by_last(Visit& visit) {
  if (visit.event != Event::slot) return visit.score;
  const auto last = std::ranges::max(visit.found(), {},
                                     [&](const FoundPools& f) { return visit.graph.id(f.pool); });
  return visit.graph.id(last.pool) == 2 ? 0 : 1 + visit.graph.id(last.pool);
}

TEST(Visiting, ScoresAndRefusesSlots) {
  EngineOptions options{.policy = {.name = "slots", .prefer_high = false, .visit = slots_by_last}};
  const auto e = engine(std::move(options));
  const auto three = allocate(*e, job(res("socket", "1", slot("3", res("core")))));
  EXPECT_EQ(taken(*e, three), (Paths{"/rack0/node0/socket0/core0", "/rack0/node0/socket0/core1",
                                     "/rack0/node0/socket0/core3"}));
  const auto four = allocate(*e, job(res("socket", "1", slot("4", res("core")))), 2);
  EXPECT_EQ(error_of(four), "insufficient");
  ASSERT_FALSE(four);
  auto prepared = e->prepare(job(res("socket", "1", slot("4", res("core")))));
  ASSERT_TRUE(prepared);
  const auto why = e->explain(**prepared);
  ASSERT_TRUE(why);
  std::string text;
  append_explanation_text(text, *why);
  EXPECT_EQ(text,
            "infeasible: it does not fit even the empty machine\n"
            "the policy \"slots\" refuses pools that would fit\n");
  EXPECT_EQ(four.error().remarks,
            (std::vector<std::string>{"the policy \"slots\" refused pools that would fit"}));
}

// No node with two jobs of one user; what `jobs` says is about the window.
Score apart(Visit& visit) {
  if (visit.event != Event::pool || visit.wanted.type != "node") return visit.score;
  for (const JobOnPool& other : visit.jobs(visit.pool)) {
    if (!visit.user.empty() && other.user == visit.user) return 0;
  }
  return visit.score;
}
const Policy kApart{.name = "apart", .prefer_high = false, .visit = apart};

TEST(Visiting, KnowsTheJobsOfAPoolAndTheirUsers) {
  for (const Traverser traverser : {Traverser::simple, Traverser::loop_aware}) {
    auto e = engine({.policy = kApart, .traverser = traverser});
    const auto node_of = [&](JobId job, const std::string& user) {
      const auto got = allocate_for(*e, cores(1), job, user);
      return got ? e->graph()
                       .path(got->selection.taken.back().first, e->graph().dominant())
                       .substr(0, 21)
                 : error_of(got);
    };
    EXPECT_EQ(node_of(1, "ada"), "/cluster0/rack0/node0");
    EXPECT_EQ(node_of(2, "ada"), "/cluster0/rack0/node1");
    EXPECT_EQ(node_of(3, "bo"), "/cluster0/rack0/node0");
    EXPECT_EQ(node_of(4, ""), "/cluster0/rack0/node0");
    e->set_user(4, "cy");
    const std::vector<Policy> own{kApart};
    auto again = load(save(*e), own);
    ASSERT_TRUE(again) << again.error().message();
    e = std::move(again->engine);
    EXPECT_EQ(node_of(5, "cy"), "/cluster0/rack0/node1");
    const auto clone = e->clone();
    e = clone->clone();
    EXPECT_EQ(node_of(6, "ada"), "/cluster0/rack1/node2");
    EXPECT_EQ(node_of(7, "ada"), "/cluster0/rack1/node3");
    EXPECT_EQ(node_of(8, "ada"), "insufficient");
    ASSERT_TRUE(e->cancel(6));
    EXPECT_EQ(node_of(8, "ada"), "/cluster0/rack1/node2");
  }
}

TEST(Visiting, ReservesWhenItRefusesNoLonger) {
  const auto e = engine({.policy = kApart});
  for (JobId job = 1; job <= 4; ++job) ASSERT_TRUE(allocate_for(*e, cores(1), job, "ada"));
  Request request = *parse_jobspec(cores(1, "50"));
  request.user = "ada";
  auto prepared = e->prepare(std::move(request));
  ASSERT_TRUE(prepared);
  const auto later = e->match(Operation::allocate_orelse_reserve, *prepared, 9);
  ASSERT_TRUE(later) << later.error().message();
  EXPECT_EQ((*later)->start, 100);
  EXPECT_TRUE(e->match(Operation::satisfiability, *prepared, 0));
}

// Nodes by what the PDUs above have left.
Score most_power(Visit& visit) {
  if (visit.event != Event::pool || visit.wanted.type != "node") return visit.score;
  Score left = 0;
  for (const PoolAbove& above : visit.above()) {
    if (visit.graph.type(above.pool) == "pdu") left = above.free;
  }
  return 1 + left;
}

TEST(Visiting, KnowsWhatIsLeftAbove) {
  EngineOptions options{.policy = {.name = "power", .visit = most_power}};
  options.auxiliary = {"power"};
  const auto e = engine(std::move(options));
  const auto node = [](const std::string& watts) {
    return job(slot("1", res("node") + ", " + res("power", watts)));
  };
  const auto where = [&](JobId number, const std::string& watts) {
    const auto got = allocate(*e, node(watts), number);
    return got ? taken(*e, got).back() : error_of(got);
  };
  EXPECT_EQ(where(1, "100"), "/rack0/node0");
  EXPECT_EQ(where(2, "500"), "/rack0/node1");  // pdu1 has 2,000 left, pdu0 1,900
  EXPECT_EQ(where(3, "10"), "/rack1/node2");
}

// It throws at the end of a walk for one user, and in the middle of it for another.
Score throwing(Visit& visit) {
  if (visit.user == "bo" && visit.event == Event::request) throw std::runtime_error("out of ideas");
  if (visit.user == "cy" && visit.graph.name(visit.pool) == "node1") {
    throw std::runtime_error("out of ideas");
  }
  return visit.score;
}

TEST(Visiting, WhatThrowsRefusesOneRequest) {
  const auto e = engine({.policy = {.name = "bad", .visit = throwing}});
  const auto twin = engine({.policy = {.name = "bad", .visit = throwing}});
  const std::string text = job(slot("1", res("node")));
  for (JobId number = 1; number <= 3; ++number) {
    for (const char* const user : {"bo", "cy"}) {
      const auto refused = allocate_for(*e, text, 100, user);
      ASSERT_FALSE(refused) << user;
      EXPECT_EQ(refused.error().code, ErrorCode::invalid);
      EXPECT_EQ(refused.error().text, "the policy \"bad\" threw an exception: out of ideas");
      EXPECT_EQ(e->grant(100), nullptr);
    }
    const auto got = allocate_for(*e, text, number, "ada");
    const auto same = allocate_for(*twin, text, number, "ada");
    ASSERT_TRUE(got && same) << number;
  }
  EXPECT_EQ(e->fingerprint(), twin->fingerprint());
}

// The search has no visits, so what only it serves is refused: slots next to each other.
TEST(Visiting, HasTheSimpleWalkUnderLoopAware) {
  const std::string both = slot("1", res("gpu", "1")) + ", " + slot("1", res("core", "1"));
  for (const Traverser traverser : {Traverser::simple, Traverser::loop_aware}) {
    const auto e = engine({.policy = kApart, .traverser = traverser});
    auto request = e->prepare(*parse_jobspec(job(res("node", "1", both))));
    ASSERT_TRUE(request);
    const auto matched = e->match(Operation::satisfiability, *request, 1);
    ASSERT_FALSE(matched);
    EXPECT_EQ(matched.error().code, ErrorCode::infeasible);
    EXPECT_TRUE(allocate(*e, job(res("node", "1", slot("1", res("core", "1"))))));
  }
}

TEST(Visiting, IsNotForTreepool) {
  const auto made = Engine::create(machine(), {.policy = kApart, .traverser = Traverser::treepool});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text,
            "the policy \"apart\" visits pools, which the traverser treepool does not");
}

}  // namespace
}  // namespace copse
