// SPDX-License-Identifier: Apache-2.0
//
// The grammar of engine/find.hpp, and the promises of Engine::find, filter_use and free_units.
#include "engine/find/find_expression.hpp"

#include "copse/save.hpp"
#include "engine/jobs.hpp"

namespace copse {
namespace {

// The steps as text: terms by number, with & and | after their operands.
std::string postfix(std::string_view expression) {
  const auto parsed = parse_find(expression);
  if (!parsed) return word(parsed.error().code);
  std::string out;
  for (const FindStep& s : parsed->steps) {
    out += s.kind == FindStep::Kind::term   ? static_cast<char>('0' + s.term)
           : s.kind == FindStep::Kind::both ? '&'
                                            : '|';
  }
  return out;
}

TEST(ParseFind, JoinsFromLeftToRight) {
  EXPECT_EQ(postfix("status=up"), "0");
  EXPECT_EQ(postfix("status=up status=up"), "01&");
  EXPECT_EQ(postfix("status=up and status=up or status=up"), "01&2|");
  EXPECT_EQ(postfix("status=up or status=up and status=up"), "01|2&");
  EXPECT_EQ(postfix("status=up or status=up status=up"), "01|2&");
  EXPECT_EQ(postfix("status=up or (status=up and status=up)"), "012&|");
  EXPECT_EQ(postfix("((status=up) or ( status=up ))"), "01|");
  EXPECT_EQ(postfix("  status=up \t or\tstatus=up  "), "01|");
  EXPECT_EQ(postfix("(status=up (status=up or status=up))"), "012|&");
}

TEST(ParseFind, RefusesWhatIsNone) {
  for (const char* text : {"",
                           " ",
                           "status",
                           "status=",
                           "=up",
                           "status=maybe",
                           "colour=red",
                           "sched-now=reserved",
                           "sched-future=allocated",
                           "agfilter=",
                           "agfilter=yes",
                           "jobid-tag=",
                           "jobid-tag=x",
                           "jobid-tag=-1",
                           "jobid-tag=18446744073709551616",
                           "names=[",
                           "names=n[3-1]",
                           "()",
                           "(",
                           ")",
                           "(status=up",
                           "status=up)",
                           "(status=up)(status=up)",
                           "(status=up)status=up",
                           "and",
                           "or status=up",
                           "and status=up",
                           "status=up and",
                           "status=up or or status=up",
                           "status=up xor status=up",
                           "STATUS=up",
                           "status=up and )",
                           "id=x",
                           "id=3-1",
                           "size=x",
                           "size=-1",
                           "size=+",
                           "best=3",
                           "best=0:size",
                           "best=x:size",
                           "best=3:cores",
                           "best=3:free-",
                           "best=1:size best=1:id",
                           "status=up or (best=1:size)"}) {
    EXPECT_EQ(postfix(text), "invalid") << text;
    EXPECT_EQ(parse_find(text).error().text, "invalid criteria: " + std::string(text) + ".");
  }
}

TEST(ParseFind, ReadsTerms) {
  using Key = FindTerm::Key;
  const auto term = [](std::string_view text) {
    auto parsed = parse_find(text);
    EXPECT_TRUE(parsed) << text;
    return parsed->terms.at(0);
  };
  EXPECT_EQ(term("status=up").key, Key::status_up);
  EXPECT_EQ(term("status=DOWN").key, Key::status_down);
  EXPECT_EQ(term("sched-now=allocated").key, Key::allocated);
  EXPECT_EQ(term("sched-now=free").key, Key::free_now);
  EXPECT_EQ(term("sched-future=reserved").key, Key::reserved);
  EXPECT_EQ(term("sched-future=Free").key, Key::free_later);
  for (const auto& [text, key] : {std::pair{"jobid-alloc=7", Key::job_alloc},
                                  {"jobid-reserved=7", Key::job_reserved},
                                  {"jobid-tag=7", Key::job_tag},
                                  {"jobid-span=7", Key::job_span}}) {
    EXPECT_EQ(term(text).key, key);
    EXPECT_EQ(term(text).job, 7U);
  }
  for (const char* text : {"agfilter=true", "agfilter=t", "agfilter=T"})
    EXPECT_TRUE(term(text).flag);
  for (const char* text : {"agfilter=false", "agfilter=f"}) EXPECT_FALSE(term(text).flag);
  EXPECT_EQ(term("property=GPU=a100").word, "GPU=a100");
  EXPECT_EQ(term("names=n[10-11,2]").names, (std::vector<std::string>{"n10", "n11", "n2"}));
  EXPECT_EQ(term("names=Node0").names, (std::vector<std::string>{"Node0"}));
}

TEST(ParseFind, IsBounded) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '(') + "status=up" +
           std::string(static_cast<std::size_t>(depth), ')');
  };
  EXPECT_EQ(postfix(nested(100)), "0");
  EXPECT_FALSE(parse_find(nested(101)));
  EXPECT_FALSE(parse_find(nested(100'000)));
  std::string many = "status=up";
  for (int i = 1; i < 1000; ++i) many += " status=up";
  EXPECT_TRUE(parse_find(many));
  EXPECT_FALSE(parse_find(many + " status=up"));
  EXPECT_FALSE(parse_find("names=n[0-4294967295]"));
}

TEST(ParseFind, SaysThatItIsBounded) {
  std::string deep(101, '(');  // in steps: g++ 12 sees an overlap in a sum of temporaries
  deep.append("status=up").append(101, ')');
  EXPECT_EQ(postfix(deep), "limit");
}

// --- Results

Paths found(const Engine& e, std::string_view expression) {
  const auto result = e.find(expression);
  if (!result) return {result.error().message()};
  Paths paths;
  for (const ExpandedPool& p : result->pools) {
    EXPECT_TRUE(p.exclusive);
    paths.push_back(e.graph().path(p.pool, e.graph().dominant()).substr(9));  // without /cluster0
  }
  return paths;
}

TEST(Find, ShowsWhatIsAboveToo) {
  const auto e = engine();
  EXPECT_EQ(found(*e, "names=node2"), (Paths{"/rack1/node2", "/rack1", ""}));
  EXPECT_EQ(found(*e, "names=gpu0 and names=gpu1"), Paths{});
  EXPECT_EQ(found(*e, "names=cluster0"), Paths{""});
  EXPECT_EQ(found(*e, "status=up").size(), e->graph().tree_count());
  EXPECT_EQ(error_of(e->find("status=")), "invalid");
  const auto depth = e->find("names=node2");
  EXPECT_EQ(depth->pools[0].depth, 2U);
  EXPECT_EQ(depth->pools[2].depth, 0U);
}

TEST(Find, StatusAndUseAreInherited) {
  const auto e = engine();
  e->set_status(at(e->graph(), "/cluster0/rack1"), Status::failing);
  EXPECT_EQ(found(*e, "status=down and names=node[0-3]"),
            (Paths{"/rack1/node2", "/rack1/node3", "/rack1", ""}));
  e->set_status(at(e->graph(), "/cluster0/rack1"), Status::degraded);
  EXPECT_EQ(found(*e, "status=down"), Paths{});
  ASSERT_TRUE(allocate(*e, nodes(1, "100"), 1));
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve, nodes(4), 2));
  EXPECT_EQ(
      found(*e, "sched-now=allocated names=core0"),
      (Paths{"/rack0/node0/socket0/core0", "/rack0/node0/socket0", "/rack0/node0/socket1/core0",
             "/rack0/node0/socket1", "/rack0/node0", "/rack0", ""}));
  EXPECT_EQ(found(*e, "sched-now=allocated names=node[0-3]"),
            (Paths{"/rack0/node0", "/rack0", ""}));
  EXPECT_EQ(found(*e, "sched-now=free names=node[0-1]"), (Paths{"/rack0/node1", "/rack0", ""}));
  EXPECT_EQ(found(*e, "sched-future=reserved names=node[2-3]"),
            (Paths{"/rack1/node2", "/rack1/node3", "/rack1", ""}));
  EXPECT_EQ(found(*e, "sched-future=free names=gpu0"), Paths{});
}

TEST(Find, ShowsWhatAJobHas) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, cores(2), 1));
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve, nodes(4), 2));
  const Paths first = found(*e, "jobid-alloc=1");
  EXPECT_EQ(first, (Paths{"/rack0/node0/socket0/core0", "/rack0/node0/socket0/core1",
                          "/rack0/node0/socket0", "/rack0/node0", "/rack0", ""}));
  EXPECT_EQ(found(*e, "jobid-tag=1"), first);
  EXPECT_EQ(found(*e, "jobid-reserved=1"), Paths{});
  EXPECT_EQ(found(*e, "jobid-alloc=2"), Paths{});
  EXPECT_EQ(found(*e, "jobid-reserved=2 names=node3"), (Paths{"/rack1/node3", "/rack1", ""}));
  EXPECT_EQ(found(*e, "jobid-span=1"),
            (Paths{"/rack0/node0/socket0", "/rack0/node0", "/rack0", ""}));
  EXPECT_EQ(found(*e, "jobid-tag=9"), Paths{});
  ASSERT_TRUE(e->cancel(1));
  EXPECT_EQ(found(*e, "jobid-tag=1"), Paths{});
}

TEST(Find, KeysOfPropertiesHaveTheirCase) {
  const auto e = engine();
  e->set_property(at(e->graph(), "/cluster0/rack0/node1"), "GPU", "a100");
  EXPECT_EQ(found(*e, "property=GPU"), (Paths{"/rack0/node1", "/rack0", ""}));
  EXPECT_EQ(found(*e, "property=gpu"), Paths{});
}

TEST(Find, FiltersOfInteriorPools) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, cores(3), 1));
  ASSERT_TRUE(allocate(*e, cores(4), 2));
  const auto result = e->find("agfilter=true jobid-tag=1");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->with_filters);
  EXPECT_EQ(result->filter_job, 1U);
  EXPECT_EQ(found(*e, "agfilter=true jobid-tag=1"),
            (Paths{"/rack0/node0/socket0", "/rack0/node0", "/rack0", ""}));
  EXPECT_FALSE(e->find("agfilter=false")->with_filters);

  const auto use = [&](const char* path, JobId job) {
    std::string out;
    for (const auto& u : e->filter_use(at(e->graph(), path), job)) {
      out += e->graph().type_name(u.type) + ' ' + std::to_string(u.used) + '/' +
             std::to_string(u.total) + ' ';
    }
    return out;
  };
  EXPECT_EQ(use("/cluster0/rack0", 0), "core 7/16 node 0/2 ");
  EXPECT_EQ(use("/cluster0/rack0", 1), "core 3/16 node 0/2 ");
  EXPECT_EQ(use("/cluster0/rack0/node0", 2), "core 4/8 ");  // not its own type
  EXPECT_EQ(use("/cluster0/rack0/node0/socket0", 0), "core 3/4 node 0/0 ");
  EXPECT_EQ(use("/cluster0/rack0/node0/socket0/core0", 0), "");
  // Leaf types that no filter names are tracked at the cluster, before those that ALL tracks.
  EXPECT_EQ(use("/cluster0", 0), "gpu 0/8 memory 0/64 core 7/32 node 0/4 ");
}

// Free units of a subtree, as text.
std::string units_free(const Engine& e, const char* path) {
  std::string out;
  for (const char* type : {"node", "core", "gpu"}) {
    const TypeId id = e.graph().find_type(type);
    out += std::to_string(e.free_units(at(e.graph(), path), id)) + ' ' + type + ' ';
  }
  return out;
}

TEST(FreeUnits, CountsWhatNoJobHasHoweverItWasRequested) {
  const auto e = engine();
  EXPECT_EQ(units_free(*e, "/cluster0"), "4 node 32 core 8 gpu ");
  ASSERT_TRUE(allocate(*e, cores(3), 1));
  EXPECT_EQ(units_free(*e, "/cluster0"), "3 node 29 core 8 gpu ");
  ASSERT_TRUE(allocate(*e, nodes(2), 2));  // all below them, though no core was named
  EXPECT_EQ(units_free(*e, "/cluster0"), "1 node 13 core 4 gpu ");
  ASSERT_TRUE(allocate(*e, job(slot("1", res("gpu"))), 3));
  const auto clone = e->clone();
  auto loaded = load(save(*e));
  ASSERT_TRUE(loaded);
  for (const Engine* one : {&*e, clone.get(), loaded->engine.get()}) {
    std::int64_t cores_free = 0;
    const ResourceGraph& graph = one->graph();
    for (const PoolId node : graph.of_type(graph.find_type("node"))) {
      cores_free += one->free_units(node, graph.find_type("core"));
    }
    EXPECT_EQ(cores_free, 13);
    EXPECT_EQ(one->free_units(graph.root(), graph.find_type("core")), 13);
    EXPECT_EQ(one->free_units(graph.root(), graph.find_type("gpu")), 3);
  }
  ASSERT_TRUE(e->cancel(2));
  ASSERT_TRUE(e->cancel(3));
  EXPECT_EQ(units_free(*e, "/cluster0"), "3 node 29 core 8 gpu ");
}

TEST(FreeUnits, LeavesOutWhatIsNotUsable) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, cores(3), 1));
  e->set_status(at(e->graph(), "/cluster0/rack1"), Status::down);
  EXPECT_EQ(units_free(*e, "/cluster0"), "1 node 13 core 4 gpu ");
  EXPECT_EQ(units_free(*e, "/cluster0/rack1/node2"), "0 node 0 core 0 gpu ");
  e->set_status(at(e->graph(), "/cluster0/rack1"), Status::up);
  e->set_status(at(e->graph(), "/cluster0/rack1/node2/socket0"), Status::down);
  EXPECT_EQ(e->free_units(at(e->graph(), "/cluster0/rack1/node2"), e->graph().find_type("core")),
            4);
  EXPECT_EQ(e->free_units(e->graph().root(), e->graph().find_type("core")), 25);
}

TEST(FreeUnits, AReservationTakesNothingYet) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, nodes(1), 1));
  ASSERT_TRUE(match(*e, Operation::allocate_orelse_reserve, nodes(4), 2));
  EXPECT_EQ(units_free(*e, "/cluster0"), "3 node 24 core 6 gpu ");
  ASSERT_TRUE(e->advance(100));
  EXPECT_EQ(units_free(*e, "/cluster0"), "0 node 0 core 0 gpu ");
}

// Pools for which an expression is true, without those above them.
Paths shown_alone(const Engine& e, const std::string& expression) {
  const auto result = e.find(expression);
  if (!result) return {result.error().message()};
  Paths out;
  const ResourceGraph& g = e.graph();
  for (const ExpandedPool& pool : result->pools) {
    const bool above = std::ranges::any_of(result->pools, [&](const ExpandedPool& other) {
      return other.pool != pool.pool && g.below(other.pool, pool.pool);
    });
    if (!above) out.push_back(g.path(pool.pool, g.dominant()).substr(9));
  }
  return out;
}

TEST(Find, KnowsWhatPoolsHave) {
  const auto e = engine();
  const PoolId node = at(e->graph(), "/cluster0/rack0/node1");
  e->set_tag(node, "row", "a=b");
  e->set_tag(at(e->graph(), "/cluster0/rack1/node3"), "row");
  EXPECT_EQ(shown_alone(*e, "tag=row"), (Paths{"/rack0/node1", "/rack1/node3"}));
  EXPECT_EQ(shown_alone(*e, "tag=row=a=b"), (Paths{"/rack0/node1"}));
  EXPECT_EQ(shown_alone(*e, "tag=row=b"), Paths());
  EXPECT_EQ(shown_alone(*e, "tag=column"), Paths());
  EXPECT_EQ(shown_alone(*e, "type=node id=0,2-9"),
            (Paths{"/rack0/node0", "/rack1/node2", "/rack1/node3"}));
  EXPECT_EQ(shown_alone(*e, "basename=rack"), (Paths{"/rack0", "/rack1"}));
  EXPECT_EQ(shown_alone(*e, "size=8").size(), 8U);
  EXPECT_EQ(shown_alone(*e, "size=2+").size(), 8U);
  EXPECT_EQ(shown_alone(*e, "size=9+"), Paths());
  EXPECT_EQ(shown_alone(*e, "uuid=" + e->graph().uuid(node)), (Paths{"/rack0/node1"}));
  // Tags stay where they are when the graph is built again, and in a save.
  ASSERT_TRUE(e->compact());
  const auto again = load(save(*e));
  ASSERT_TRUE(again);
  EXPECT_EQ(shown_alone(*again->engine, "tag=row"), (Paths{"/rack0/node1", "/rack1/node3"}));
}

TEST(Find, ShowsTheBest) {
  const auto e = engine();
  ASSERT_TRUE(allocate(*e, cores(3)));  // of node0
  ASSERT_TRUE(allocate(*e, nodes(1), 2));
  EXPECT_EQ(shown_alone(*e, "type=node best=1:free-core"), (Paths{"/rack1/node2"}));
  EXPECT_EQ(shown_alone(*e, "best=2:free-core and type=node"),
            (Paths{"/rack1/node2", "/rack1/node3"}));
  EXPECT_EQ(shown_alone(*e, "type=node best=1:-free-core"), (Paths{"/rack0/node1"}));
  EXPECT_EQ(shown_alone(*e, "type=node best=3:id"),
            (Paths{"/rack0/node1", "/rack1/node2", "/rack1/node3"}));
  EXPECT_EQ(shown_alone(*e, "type=node best=99:id").size(), 4U);
  EXPECT_EQ(shown_alone(*e, "type=tape best=1:id"), Paths());
  EXPECT_EQ(shown_alone(*e, "status=up best=1:size"), (Paths{"/rack0/node0/socket0/memory0"}));
}

}  // namespace
}  // namespace copse
