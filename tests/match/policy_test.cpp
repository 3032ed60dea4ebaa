// SPDX-License-Identifier: Apache-2.0
//
// The bundled policies, custom policies, and the prune filters that order `first`.
#include "copse/policy.hpp"

#include "engine/jobs.hpp"
#include "state/exploration.hpp"

namespace copse {
namespace {

TEST(Policy, ElevenAreBundled) {
  std::vector<std::string> names;
  for (const Policy& p : bundled_policies()) {
    names.push_back(p.name);
    EXPECT_NE(p.summary, "") << p.name;
    const auto found = find_policy(p.name);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->name, p.name);
    EXPECT_EQ(p.whole_nodes, p.name.ends_with("nodex")) << p.name;
    const bool low =
        (p.name.starts_with("lo") && p.name != "locality") || p.name == "variation" || p.few_racks;
    EXPECT_EQ(p.prefer_high, !low) << p.name;
    EXPECT_EQ(p.first_found, p.name.starts_with("first")) << p.name;
    EXPECT_EQ(p.by_runs, p.name == "locality") << p.name;
    EXPECT_EQ(p.slots_reversed, p.name == "variation") << p.name;
    EXPECT_EQ(p.few_nodes, p.name == "compact") << p.name;
    EXPECT_EQ(p.keep_large, p.name == "keep-large") << p.name;
    EXPECT_EQ(p.few_racks, p.few_nodes || p.keep_large || p.name == "few-racks") << p.name;
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"compact", "few-racks", "first", "firstnodex", "high",
                                             "hinode", "hinodex", "keep-large", "locality",
                                             "lonode", "lonodex", "low", "variation"}));
}

TEST(Policy, UnknownNamesListTheKnown) {
  const auto none = find_policy("Low");
  ASSERT_EQ(error_of(none), "not_found");
  EXPECT_NE(none.error().text.find("\"Low\""), std::string::npos);
  const std::vector<Policy> own{{.name = "mine"}};
  const auto with_own = find_policy("", own);
  ASSERT_EQ(error_of(with_own), "not_found");
  for (const char* name : {"mine", "low", "firstnodex"}) {
    EXPECT_NE(with_own.error().text.find(name), std::string::npos) << name;
  }
}

TEST(Policy, OnesOwnGoBeforeTheBundled) {
  const std::vector<Policy> own{{.name = "low", .summary = "mine"}, {.name = "mine"}};
  EXPECT_EQ(find_policy("low", own)->summary, "mine");
  EXPECT_EQ(find_policy("mine", own)->name, "mine");
  EXPECT_EQ(find_policy("high", own)->name, "high");
}

// --- Policies from options

TEST(Policy, WordsMakeWhatTheBundledAre) {
  const std::vector<std::pair<const char*, const char*>> same{
      {"high", "policy=high"},
      {"low", "policy=low node_centric=false node_exclusive=false stop_on_1_matches=false"},
      {"hinode", "policy=high node_centric=true"},
      {"lonodex", "\t node_exclusive=true  policy=low\nnode_centric=true "},
      {"first", "policy=high node_centric=true stop_on_1_matches=true"},
      {"firstnodex",
       "set_stop_on_1_matches=true node_exclusive=true node_centric=true policy=high"},
  };
  for (const auto& [name, words] : same) {
    const auto made = find_policy(words), bundled = find_policy(name);
    ASSERT_TRUE(made) << made.error().text;
    EXPECT_EQ(made->name, words);
    EXPECT_EQ(made->prefer_high, bundled->prefer_high) << words;
    EXPECT_EQ(made->bundled_score, bundled->bundled_score) << words;
    EXPECT_EQ(made->bundled_below_node, bundled->bundled_below_node) << words;
    EXPECT_EQ(made->whole_nodes, bundled->whole_nodes) << words;
    EXPECT_EQ(made->first_found, bundled->first_found) << words;
    EXPECT_FALSE(made->by_runs || made->slots_reversed) << words;
  }
}

TEST(Policy, TheFirstBadWordIsNamed) {
  const std::vector<std::pair<const char*, const char*>> bad{
      {"policy=low bogus=1",
       "\"bogus=1\" is not a word of a match policy; the words are: policy=high|low, "},
      {"policy=low high", "\"high\" is not a word"},
      {"policy=low =true", "\"=true\" is not a word"},
      {"Policy=low", "\"Policy=low\" is not a word"},
      {"policy=locality", "\"policy=locality\" in the match policy: policy is high or low"},
      {"policy=true", "\"policy=true\" in"},
      {"policy=low node_centric=high", "node_centric is true or false"},
      {"policy=low node_centric=True", "\"node_centric=True\" in"},
      {"policy=low node_exclusive=", "\"node_exclusive=\" in"},
      {"policy=low node_centric==true", "\"node_centric==true\" in"},
      {"policy=low policy=low", "\"policy=low\" in the match policy: policy is given twice"},
      {"policy=low set_stop_on_1_matches=true stop_on_1_matches=true",
       "stop_on_1_matches is given twice"},
      {"node_centric=true", "does not say policy=high or policy=low"},
      {"policy=low,node_centric=true", "separated by blanks, not by commas"},
      {"policy=low, node_centric=true", "separated by blanks, not by commas"},
  };
  for (const auto& [words, sentence] : bad) {
    const auto made = find_policy(words);
    ASSERT_EQ(error_of(made), "invalid") << words;
    EXPECT_NE(made.error().text.find(sentence), std::string::npos) << made.error().text;
  }
  ASSERT_EQ(error_of(parse_policy("")), "invalid");
  EXPECT_EQ(error_of(find_policy("policy low")), "not_found");
}

// --- Choices on the machine of small_graph.hpp. Cores of both sockets have ids 0 to 3.

Paths chosen(const std::string& policy, const std::string& text) {
  const auto e = engine(with_policy(policy));
  return taken(*e, allocate(*e, text));
}

TEST(Policy, WhichNodes) {
  const std::string one = nodes(1), two = nodes(2);
  for (const char* name : {"low", "lonode"}) {
    EXPECT_EQ(chosen(name, one), (Paths{"/rack0/node0"})) << name;
    EXPECT_EQ(chosen(name, two), (Paths{"/rack0/node0", "/rack0/node1"})) << name;
  }
  for (const char* name : {"high", "hinode", "first"}) {
    EXPECT_EQ(chosen(name, one), (Paths{"/rack1/node3"})) << name;
    EXPECT_EQ(chosen(name, two), (Paths{"/rack1/node2", "/rack1/node3"})) << name;
  }
  // One run of consecutive scores; in it the order in which racks form slots: highest first.
  EXPECT_EQ(chosen("locality", one), (Paths{"/rack0/node1"}));
  EXPECT_EQ(chosen("locality", job(res("node", "1", "", ", exclusive: true"))).back(),
            "/rack0/node0");
  EXPECT_EQ(chosen("lonodex", one).back(), "/rack0/node0");
  EXPECT_EQ(chosen("hinodex", one).back(), "/rack1/node3");
  EXPECT_EQ(chosen("firstnodex", one).back(), "/rack1/node3");
}

TEST(Policy, WholeNodesComeWithAllThatIsInThem) {
  for (const char* name : {"lonodex", "hinodex", "firstnodex"}) {
    EXPECT_EQ(chosen(name, cores(1)).size(), 1U + 2 + 2 * 6) << name;
  }
  EXPECT_EQ(chosen("lonode", cores(1)).size(), 1U);
}

TEST(Policy, WhichCores) {
  const std::string two = job(res("socket", "1", slot("1", res("core", "2"))));
  const Paths low{"/rack0/node0/socket0/core0", "/rack0/node0/socket0/core1"};
  EXPECT_EQ(chosen("low", two), low);
  EXPECT_EQ(chosen("lonode", two), low);
  // socket1 of every node has the best score: `high` chooses the first of them.
  EXPECT_EQ(chosen("high", two),
            (Paths{"/rack0/node0/socket1/core2", "/rack0/node0/socket1/core3"}));
  const Paths hinode{"/rack1/node3/socket1/core2", "/rack1/node3/socket1/core3"};
  EXPECT_EQ(chosen("hinode", two), hinode);
  EXPECT_EQ(chosen("first", two), hinode);
}

// Slots at different pools are compared by the scores of their pools.
TEST(Policy, WhichSlots) {
  const auto e = engine(with_policy("low"));
  const std::string one = job(slot("1", res("core")));
  EXPECT_EQ(taken(*e, allocate(*e, one, 1)), (Paths{"/rack0/node0/socket0/core0"}));
  EXPECT_EQ(taken(*e, allocate(*e, one, 2)), (Paths{"/rack0/node0/socket1/core0"}));
  for (JobId j = 3; j <= 8; ++j) ASSERT_TRUE(allocate(*e, one, j));  // every core0
  EXPECT_EQ(taken(*e, allocate(*e, one, 9)), (Paths{"/rack0/node0/socket0/core1"}));
}

// Runs of ids: 1 to 4, 8 and 9, 20. The highest run goes first, not the longest; in a run the order
// of the graph decides.
TEST(Policy, LocalityTakesTheHighestRun) {
  GraphText t;
  const auto cluster = t.pool({"cluster", 0});
  for (const int id : {1, 2, 3, 4, 8, 9, 20}) t.child(t.child(cluster, {"node", id}), {"core", 0});
  const auto e = engine(with_policy("locality"), t.build());
  const std::string two = job(res("node", "2", slot("1", res("core"))));
  EXPECT_EQ(taken(*e, allocate(*e, two, 1)), (Paths{"/node8/core0", "/node20/core0"}));
  EXPECT_EQ(taken(*e, allocate(*e, two, 2)), (Paths{"/node1/core0", "/node9/core0"}));
  EXPECT_EQ(taken(*e, allocate(*e, two, 3)), (Paths{"/node2/core0", "/node3/core0"}));
}

// Sets properties with this key, by path; then the policy chooses.
Paths by_class(const std::vector<std::pair<std::string, std::string>>& classes,
               const std::string& text) {
  const auto e = engine(with_policy("variation"));
  for (const auto& [path, value] : classes) {
    const auto at = e->graph().at_path("/cluster0" + path);
    EXPECT_EQ(at.size(), 1U) << path;
    e->set_property(at[0], "perf_class", value);
  }
  return taken(*e, allocate(*e, text));
}

TEST(Policy, VariationTakesTheBestClassesFirst) {
  const std::string two = job(res("node", "2", slot("1", res("socket"))));
  // No pool has a class: the machine's order.
  EXPECT_EQ(by_class({}, two), (Paths{"/rack0/node0/socket0", "/rack0/node1/socket0"}));
  EXPECT_EQ(by_class({{"/rack0/node0", "3"}, {"/rack1/node3", "2"}, {"/rack1/node2", "9998"}}, two),
            (Paths{"/rack0/node0/socket0", "/rack1/node3/socket0"}));
  // An invalid class counts as the worst, 9999.
  for (const char* none : {"-1", "10000", "99999999999999999999", "2x", "", "+2", " 2", "x"}) {
    EXPECT_EQ(
        by_class({{"/rack0/node0", none}, {"/rack0/node1", "9998"}, {"/rack1/node2", "0"}}, two),
        (Paths{"/rack0/node1/socket0", "/rack1/node2/socket0"}))
        << none;
  }
}

// A slot takes the worst pools of its list; the best slots are chosen.
TEST(Policy, VariationFillsSlotsInReverse) {
  const std::string one = job(res("node", "1", slot("1", res("socket"))));
  EXPECT_EQ(by_class({{"/rack0/node0/socket0", "5"}, {"/rack0/node0/socket1", "6"}}, one),
            (Paths{"/rack0/node0/socket0"}));
  GraphText t;
  const auto node = t.child(t.pool({"cluster", 0}), {"node", 0});
  for (const int id : {0, 1, 2, 3}) t.child(node, {"core", id});
  const auto e = engine(with_policy("variation"), t.build());
  for (const char* core : {"0", "2", "3"}) {
    const auto at = e->graph().at_path(std::string("/cluster0/node0/core") + core);
    ASSERT_EQ(at.size(), 1U);
    e->set_property(at[0], "perf_class", core);
  }
  // core1 has no class, and is the worst. The three worst of four are core1, core3 and core2.
  EXPECT_EQ(taken(*e, allocate(*e, cores(3))),
            (Paths{"/node0/core1", "/node0/core2", "/node0/core3"}));
  ASSERT_TRUE(e->cancel(1));
  // Slots of one core are formed from the worst on; the best slot is chosen.
  EXPECT_EQ(taken(*e, allocate(*e, cores(1))), (Paths{"/node0/core0"}));
}

// A pool with a score of 0 or less is never chosen.
Score only_odd(GraphView graph, PoolId pool) {
  return graph.type(pool) == "node" ? graph.id(pool) % 2 : 1;
}
TEST(Policy, ScoresOfNothingAreNotChosen) {
  for (bool high : {false, true}) {
    const auto e = engine({.policy = {.name = "odd", .prefer_high = high, .score = only_odd}});
    EXPECT_EQ(taken(*e, allocate(*e, nodes(2))), (Paths{"/rack0/node1", "/rack1/node3"}));
    EXPECT_EQ(error_of(allocate(*e, nodes(1), 2)), "insufficient");
    EXPECT_EQ(error_of(match(*e, Operation::satisfiability, nodes(3))), "infeasible");
  }
}

// --- Prune filters

class Filters : public testing::Test {
 protected:
  // "core node": the types that a pool of this type tracks, in order.
  std::string of(const std::string& text, std::string_view type) {
    const auto filters = PruneFilters::parse(text, graph);
    if (!filters) return word(filters.error().code);
    std::string out;
    for (TypeId t : filters->of(graph.find_type(type))) {
      out += (out.empty() ? "" : " ") + graph.type_name(t);
    }
    return out;
  }
  ResourceGraph graph = machine();
};

TEST_F(Filters, OwnTypesGoFirstEachInTypeOrder) {
  EXPECT_EQ(of("ALL:core,ALL:node", "rack"), "core node");
  EXPECT_EQ(of("ALL:node,ALL:core", "rack"), "core node");  // type order, not text order
  EXPECT_EQ(of("rack:node,ALL:core", "rack"), "node core");
  EXPECT_EQ(of("rack:node,rack:gpu,ALL:core", "rack"), "gpu node core");
  EXPECT_EQ(of("rack:node,ALL:core", "socket"), "core");
  // Types that only a filter names come last, in order of appearance.
  EXPECT_EQ(of("ALL:zebra,ALL:ape,ALL:memory,ALL:core", "rack"), "core memory zebra ape");
}

TEST_F(Filters, ATypeDoesNotTrackItselfForAll) {
  EXPECT_EQ(of("ALL:node,ALL:core", "node"), "core");
  EXPECT_EQ(of("node:node", "node"), "node");
}

TEST_F(Filters, AllReplacesWhatIsBeforeIt) {
  EXPECT_EQ(of("rack:core,ALL:core", "rack"), "core");
  EXPECT_EQ(of("node:core,rack:core,ALL:core,rack:gpu", "node"), "core");
  EXPECT_EQ(of("ALL:core,rack:core", "rack"), "core");  // nothing new after it
  EXPECT_EQ(of("core:core,ALL:core", "core"), "");
}

TEST_F(Filters, DuplicatesAndBlanks) {
  EXPECT_EQ(of("ALL:core,ALL:core", "rack"), "core");
  EXPECT_EQ(of("rack:core,rack:core", "rack"), "core");
  EXPECT_EQ(of(" ALL : core ,\tALL:no de", "rack"), "core node");
  EXPECT_EQ(of("", "rack"), "");
}

TEST_F(Filters, LeafTypesAreTrackedAtTheCluster) {
  EXPECT_EQ(of("ALL:core", "cluster"), "gpu memory core");
  EXPECT_EQ(of("rack:gpu", "cluster"), "core memory");
  EXPECT_EQ(of("cluster:memory,cluster:gpu,cluster:core", "cluster"), "core gpu memory");
  const auto filters = PruneFilters::parse("ALL:node", graph);
  ASSERT_TRUE(filters);
  for (const char* type : {"node", "core", "gpu", "memory"}) {
    EXPECT_TRUE(filters->tracked(graph.find_type(type))) << type;
  }
  EXPECT_FALSE(filters->tracked(graph.find_type("rack")));
  EXPECT_FALSE(filters->tracked(kNoType));
}

TEST_F(Filters, BadPairsAreNamed) {
  for (const char* bad : {"core", ":core", "rack:", ":", "rack:core:gpu", "ALL"}) {
    for (const std::string& text :
         {std::string(bad), "ALL:core," + std::string(bad), std::string(bad) + ",ALL:core"}) {
      const auto filters = PruneFilters::parse(text, graph);
      ASSERT_EQ(error_of(filters), "invalid") << text;
      EXPECT_NE(filters.error().text.find('"' + std::string(bad) + '"'), std::string::npos) << text;
    }
  }
  EXPECT_EQ(of("ALL:core,,ALL:node", "rack"), "invalid");
  EXPECT_EQ(of(",ALL:core", "rack"), "invalid");
}

TEST_F(Filters, ATrailingCommaIsABadPair) { EXPECT_EQ(of("ALL:core,", "rack"), "invalid"); }

}  // namespace
}  // namespace copse
