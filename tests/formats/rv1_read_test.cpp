// SPDX-License-Identifier: Apache-2.0
//
// Reading R version 1: what RFC 20 asks for, what is refused and where, and the machine of an R.
#include "formats/rv1/rv1_read.hpp"

#include <gtest/gtest.h>

#include <string>

#include "copse/engine.hpp"
#include "formats/formats.hpp"

namespace copse {
namespace {

std::string r_with(const std::string& entries,
                   const std::string& more = R"("nodelist":["n[0-3]"])") {
  return R"({"version":1,"execution":{"R_lite":[)" + entries + "]" + (more.empty() ? "" : ",") +
         more + "}}";
}

const std::string kFour = R"({"rank":"0-3","children":{"core":"0-1"}})";

std::string r_refusal(const std::string& text, const RLimits& limits = {}) {
  const auto r = read_r(text, "r", limits);
  return r ? "accepted" : r.error().message();
}

std::string graph_refusal(const std::string& text, std::string_view dominant = "containment") {
  const auto r = read_r(text, "r");
  if (!r) return "not read: " + r.error().message();
  const auto graph = graph_of_r(*r, dominant);
  return graph ? "accepted" : graph.error().message();
}

ResourceGraph machine_of(const std::string& text) {
  const auto r = read_r(text);
  EXPECT_TRUE(r) << (r ? "" : r.error().message());
  auto graph = graph_of_r(*r);
  EXPECT_TRUE(graph) << (graph ? "" : graph.error().message());
  return std::move(*graph);
}

// "name:type:id:rank" of all pools in the order of creation.
std::string named_pools(const ResourceGraph& g) {
  std::vector<std::string> by_creation(g.pool_count());
  for (std::uint32_t v = 0; v < g.pool_count(); ++v) {
    const PoolId p{v};
    by_creation[g.created(p)] = g.name(p) + ':' + g.type_name(p) + ':' + std::to_string(g.id(p)) +
                                ':' + std::to_string(g.rank(p));
  }
  std::string out;
  for (const std::string& one : by_creation) out += (out.empty() ? "" : " ") + one;
  return out;
}

TEST(R, IsReadAsItStands) {
  const auto r = read_r(R"( {"version": 1, "more": [null, {"a": [true, 1e3, "x"]}],
    "execution": {
      "R_lite": [{"rank": "19-20,22", "children": {"gpu": "7", "core": "0-47"}},
                 {"children": {"core": ""}, "rank": "[3]"}],
      "nodelist": ["a[1-2],b", "c"], "properties": {"fast": "3,20", "none": ""},
      "starttime": 1676560542.25, "expiration": 1676562342, "nslots": 32},
    "scheduling": {"writer": "fluxion"}} )");
  ASSERT_TRUE(r) << r.error().message();
  ASSERT_EQ(r->entries.size(), 2u);
  EXPECT_EQ(r->entries[0].ranks.text(), "19-20,22");
  ASSERT_EQ(r->entries[0].children.size(), 2u);
  EXPECT_EQ(r->entries[0].children[0].first, "gpu");  // in the order of the text
  EXPECT_EQ(r->entries[0].children[0].second.text(), "7");
  EXPECT_EQ(r->entries[0].children[1].second.text(), "0-47");
  EXPECT_EQ(r->entries[1].ranks.text(), "3");
  EXPECT_EQ(r->ranks().text(), "3,19-20,22");
  EXPECT_EQ(r->hosts, (std::vector<std::string>{"a1", "a2", "b", "c"}));
  ASSERT_EQ(r->properties.size(), 2u);
  EXPECT_EQ(r->properties[0].first, "fast");
  EXPECT_EQ(r->properties[0].second.text(), "3,20");
  EXPECT_TRUE(r->properties[1].second.empty());
  EXPECT_DOUBLE_EQ(r->starttime_s, 1676560542.25);
  EXPECT_DOUBLE_EQ(r->expiration_s, 1676562342);
  EXPECT_EQ(r->nslots, 32);
}

TEST(R, MayBeEmptyAndWithoutNames) {
  EXPECT_EQ(r_refusal(r_with("", "")), "accepted");
  EXPECT_EQ(r_refusal(r_with(kFour, "")), "accepted");
  EXPECT_EQ(graph_refusal(r_with(kFour, "")),
            "execution has no nodelist, so that nodes have no names");
}

TEST(R, IsRefusedWithItsPlace) {
  struct Row {
    std::string text, message;
  };
  const Row rows[] = {
      {"", "r:1:1: the text is empty"},
      {"\n ", "r:1:1: the text is empty"},
      {"[]", "r:1:1: an R must be an object"},
      {"7", "r:1:1: the document must be a JSON object or array"},
      {"{}", "r:1:1: an R has no key \"version\""},
      {"\n {\"version\": 1}", "r:2:2: an R has no key \"execution\""},
      {R"({"version": 2, "execution": {}})", "r:1:13: version is 2; version 1 is what can be read"},
      {R"({"version": "1"})", "r:1:13: version must be an integer"},
      {R"({"version": 1.0})", "r:1:13: version must be an integer"},
      {R"({"version": 1, "execution": []})", "r:1:29: execution must be an object"},
      {R"({"version": 1, "execution": {}})", R"(r:1:29: execution has no key "R_lite")"},
      {R"({"version": 1, "version": 1})", R"(r:1:16: an R has the key "version" twice)"},
      {R"({"version": 1, "\u0076ersion": 1})", R"(r:1:16: an R has the key "version" twice)"},
      {R"({"version": 1, "x": 1, "x": 1})", R"(r:1:24: an R has the key "x" twice)"},
      {R"({"version": 1)",
       "r:1:14: this is not JSON: the text ends, and \"{\" of line 1 is not closed"},
      {R"({"version":)", "r:1:12: this is not JSON: a value is missing here"},
      {"{\"version\": 1, \"\xFF\": 1}", "r:1:17: this byte is not UTF-8"},
      {r_with(kFour) + "x", "r:1:102: the JSON document ends before this, and only one is read"},
      {r_with("7"), "r:1:37: an entry of R_lite must be an object"},
      {r_with(R"({"rank":0,"children":{}})"), "r:1:45: rank must be a string"},
      {r_with(R"({"rank":"","children":{}})"), "r:1:45: rank names no rank"},
      {r_with(R"({"rank":"2-1","children":{}})"), "*rank: "},
      {r_with(R"({"rank":"0-2147483648","children":{}})"),
       "r:1:45: rank goes beyond rank 2147483647"},
      {r_with(R"({"children":{}})"), R"(r:1:37: an entry of R_lite has no key "rank")"},
      {r_with(R"({"rank":"0"})"), R"(r:1:37: an entry of R_lite has no key "children")"},
      {r_with(R"({"rank":"0","children":[]})"), "r:1:60: children must be an object"},
      {r_with(R"({"rank":"0","children":{"core":3}})"),
       R"(r:1:68: children of type "core" must be a string)"},
      {r_with(R"({"rank":"0","children":{"":"3"}})"), "r:1:61: a type of children is empty"},
      {r_with(R"({"rank":"0","children":{"a/b":"3"}})"),
       R"(r:1:61: a type of children is "a/b"; it cannot have blanks, control characters and slashes)"},
      {r_with(kFour + "," + R"({"rank":"3-4","children":{}})"),
       "r:1:36: rank 3 is in two entries of R_lite"},
      {r_with(kFour, R"("nodelist":["n[0-2]"])"),
       "r:1:90: nodelist has 3 hosts for the 4 ranks of R_lite; each rank needs one"},
      {r_with(kFour, R"("nodelist":"n[0-3]")"), "r:1:90: nodelist must be an array"},
      {r_with(kFour, R"("nodelist":[4])"), "r:1:91: an entry of nodelist must be a string"},
      {r_with(kFour, R"("nodelist":["n[0-"])"), "*nodelist: "},
      {r_with(kFour, R"("nodelist":["n[0-2],fluke9223372036854775808"])"),
       "r:1:91: the number at the end of host fluke9223372036854775808 is above 9007199254740992"},
      {r_with(kFour, R"("nodelist":["a/b"])"),
       R"(r:1:91: a host of nodelist is "a/b"; it cannot have blanks, control characters and slashes)"},
      {r_with(kFour, R"("nodelist":["n[0-3]"],"properties":{"a|b":"0"})"),
       R"(r:1:115: a property is "a|b"; it needs a name without ! & ' " ^ ` | ( ))"},
      {r_with(kFour, R"("nodelist":["n[0-3]"],"properties":{"ab":"1,4"})"),
       R"(r:1:120: property "ab" names rank 4, which R_lite does not have)"},
      {r_with(kFour, R"("starttime":"now")"), "r:1:91: starttime must be a number"},
      {r_with(kFour, R"("starttime":-1)"), "r:1:91: starttime must be 0 or more"},
      {r_with(kFour, R"("starttime":5,"expiration":5)"),
       "r:1:106: expiration must be later than starttime"},
      {r_with(kFour, R"("nslots":0)"), "r:1:88: nslots must be greater than 0"},
  };
  for (const Row& row : rows) {
    const std::string message = r_refusal(row.text);
    if (row.message[0] == '*') {
      EXPECT_NE(message.find(row.message.substr(1)), message.npos) << row.text << '\n' << message;
    } else {
      EXPECT_EQ(message, row.message) << row.text;
    }
  }
}

TEST(R, IsCheckedWhereNothingIsAskedFor) {
  const std::string head = R"({"version":1,"execution":{"R_lite":[]},"scheduling":)";
  for (const char* bad : {"nul}", "[1,]}", "{\"a\" 1}}", "01}", "\"\\x\"}", "truth}", "[}", "-}"}) {
    EXPECT_NE(r_refusal(head + bad), "accepted") << bad;
  }
  EXPECT_EQ(r_refusal(head + "[[{}],\"\\u00e9\",-0.5e-3,18446744073709551615]}"), "accepted");
}

TEST(R, IsBoundedBeforeItIsExpanded) {
  EXPECT_EQ(r_refusal(r_with(R"({"rank":"0-2147483647","children":{}})", "")),
            "r:1:36: R_lite has 2147483648 ranks; the limit is 1048576");
  EXPECT_EQ(graph_refusal(r_with(R"({"rank":"0","children":{"core":"0-4294967295"}})",
                                 R"("nodelist":["n"])")),
            "4294967298 pools asked for; the limit is 67108864");
  EXPECT_EQ(graph_refusal(r_with(R"({"rank":"0-3","children":{"core":"0-4611686018427387902"}})")),
            "not read: r:1:70: children of type \"core\" go beyond 9007199254740992");
  EXPECT_EQ(graph_refusal(r_with(R"({"rank":"0-1048575","children":{"core":"0-9007199254740992"}})",
                                 R"("nodelist":["n[0-1048575]"])")),
            "R_lite comes to more than 2^63 pools");
  EXPECT_NE(r_refusal(r_with(kFour, R"("nodelist":["n[0-4294967295]"])")), "accepted");
  std::string deep(100'000, '[');
  EXPECT_NE(r_refusal(R"({"x":)" + deep).find("more than 256 levels of JSON"), std::string::npos);
  EXPECT_EQ(r_refusal(r_with(kFour), {.text_bytes_max = 64}),
            "r: the text has 101 bytes; the limit is 64");
  EXPECT_EQ(
      r_refusal(r_with(kFour, R"("properties":{"a":"0-3","b":"0"})"), {.property_uses_max = 4}),
      "r:1:107: nodes have more than 4 properties");
}

TEST(GraphOfR, CreatesNodesAndChildrenInTheOrderOfTheText) {
  // Hosts go to ranks in ascending order, whatever the order of the entries.
  const ResourceGraph g = machine_of(r_with(
      R"({"rank":"0,2","children":{"gpu":"1","core":"0-1"}},{"rank":"1","children":{"nvme":"7"}})",
      R"("nodelist":["foo[2-3]","x"],"properties":{"p@gpu":"1-2","q":"2"})"));
  EXPECT_EQ(named_pools(g),
            "cluster0:cluster:0:-1 foo2:node:2:0 gpu1:gpu:1:0 core0:core:0:0 core1:core:1:0 "
            "x:node:-1:2 gpu1:gpu:1:2 core0:core:0:2 core1:core:1:2 foo3:node:3:1 nvme7:nvme:7:1");
  const auto at = g.at_path("/cluster0/x");
  ASSERT_EQ(at.size(), 1u);
  ASSERT_NE(g.properties(at[0]), nullptr);
  EXPECT_EQ(*g.properties(at[0]), (ResourceGraph::Attributes{{"p@gpu", ""}, {"q", ""}}));
  EXPECT_EQ(g.properties(g.at_path("/cluster0/foo2")[0]), nullptr);
  EXPECT_NE(graph_refusal(r_with(kFour), "power").find("power"), std::string::npos);
}

TEST(GraphOfR, NamesNodesByTheirHosts) {
  const ResourceGraph g = machine_of(r_with(
      R"({"rank":"0-5","children":{}})", R"("nodelist":["n007","n000","login","12","n7","n7"])"));
  EXPECT_EQ(named_pools(g),
            "cluster0:cluster:0:-1 n007:node:7:0 n000:node:0:1 login:node:-1:2 12:node:12:3 "
            "n7:node:7:4 n7:node:7:5");
  EXPECT_EQ(g.basename_text(g.at_path("/cluster0/n007")[0]), "n");
  EXPECT_EQ(g.at_path("/cluster0/n7").size(), 2u);  // brokers may share a host
}

// Matching everything gives the R back, as a set.
TEST(GraphOfR, GivesTheRBack) {
  const std::string text = r_with(
      R"({"rank":"3-4,9","children":{"core":"0-3,8","gpu":"0"}},{"rank":"1","children":{"core":"2"}})",
      R"("nodelist":["m[08-10]","a"],"properties":{"big":"3,9"})");
  auto engine = Engine::create(machine_of(text), {.policy = *find_policy("low")});
  ASSERT_TRUE(engine);
  Request request;
  Resource cluster;
  cluster.type = "cluster";
  cluster.exclusive = Exclusivity::yes;
  request.resources = {cluster};
  auto prepared = (*engine)->prepare(std::move(request));
  ASSERT_TRUE(prepared) << prepared.error().message();
  const auto match = (*engine)->match(Operation::allocate, *prepared, 1);
  ASSERT_TRUE(match) << match.error().message();
  std::vector<ExpandedPool> expanded;
  expand((*engine)->graph(), (*match)->selection, expanded);
  std::string out;
  Writer(Format::rv1_nosched).write({.graph = (*engine)->graph(), .pools = expanded}, out);
  const auto before = read_r(text), after = read_r(out);
  ASSERT_TRUE(after) << after.error().message() << '\n' << out;
  EXPECT_EQ(after->hosts, before->hosts);
  EXPECT_EQ(after->properties, before->properties);
  auto as_text = [](const RSet& r) {
    std::map<std::string, std::string> entries;
    for (const RSet::Entry& entry : r.entries) {
      for (const auto& [type, ids] : entry.children) {
        entries[entry.ranks.text() + ' ' + type] = ids.text();
      }
    }
    return entries;
  };
  EXPECT_EQ(as_text(*after), as_text(*before));
}

}  // namespace
}  // namespace copse
