// SPDX-License-Identifier: Apache-2.0
//
// Every MUST and SHALL of RFC 20, and of RFC 49's `scheduling`, as a rule with a sentence and a
// place. Rules that hold for every reader of an R are in rv1_read_test.cpp.
#include <gtest/gtest.h>

#include <string>

#include "formats/r_texts.hpp"

namespace copse {
namespace {

std::string refusal(const std::string& text, RRules rules) {
  const auto r = read_r(text, "r", {.rules = rules});
  return r ? "accepted" : r.error().message();
}

TEST(StrictR, AcceptsWhatFollowsTheRules) {
  for (const std::string& text :
       {r_of(kWhole), r_of(kWhole + R"(,"nslots":1,"properties":{"a@b":"3"})"),
        r_of(kWhole, R"(,"scheduling":{})"), r_of(kWhole, R"(,"scheduling":{"writer":"TreePool"})"),
        r_of(kWhole,
             R"(,"scheduling":{"children":[{"topo":{},"ranks":"0-9"}],"writer":"TreePool"})"),
        r_of(kWhole + R"(,"properties":{"+q":"3"},"starttime":0.0,"expiration":0.0)")}) {
    EXPECT_EQ(refusal(text, RRules::strict), "accepted") << text;
  }
}

TEST(StrictR, RefusesWhatOthersLetPass) {
  struct Row {
    std::string text, message;
  };
  const Row rows[] = {
      {r_of(R"("R_lite":[],"nodelist":[])"), "r:2:11: R_lite has no entry"},
      {r_of(kLite), "r:2:1: execution has no key \"nodelist\""},
      {r_of(R"("R_lite":[{"rank":"0","children":{"gpu":"0"}}],"nodelist":["a"])"),
       "r:2:35: children has no key \"core\""},
      {r_of(R"("R_lite":[{"rank":"0","children":{"core":""}}],"nodelist":["a"])"),
       "r:2:43: children of type \"core\" names no id"},
      {r_of(kWhole, ",\"scheduling\":42"), "r:3:15: scheduling must be an object"},
      {r_of(kWhole, R"(,"scheduling":{"writer":42})"), "r:3:25: writer must be a string"},
      {r_of(kWhole,
            R"(,"scheduling":{"writer":"TreePool","children":[{"ranks":"0","topo":{},"x":1}]})"),
       R"(r:3:71: an entry of scheduling.children has the key "x"; RFC 49 has ranks and topo only)"},
      {r_of(kWhole + R"(,"nslots":1)",
            R"(,"scheduling":{"writer":"TreePool","children":[{"ranks":"3-4","topo":{}}]})"),
       "r:3:15: scheduling.children names rank 4, which this allocation does not have"},
      {r_of(kWhole + R"(,"nslots":1,"properties":{"+q":"3"})"),
       R"(r:2:106: property "+q" is local to an instance; an allocation, which has nslots, cannot have it)"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(refusal(row.text, RRules::strict), row.message) << row.text;
    EXPECT_EQ(refusal(row.text, RRules::machine), "accepted") << row.text;
  }
}

// What cannot be carried along when ranks change is refused by all; of another writer nothing is
// known.
TEST(TreePoolOfR, IsReadWhole) {
  struct Row {
    std::string scheduling, message;
  };
  const Row rows[] = {
      {R"("children":7)", "r:3:47: children must be an array"},
      {R"("children":[7])", "r:3:48: an entry of scheduling.children must be an object"},
      {R"("children":[{"topo":{}}])",
       R"(r:3:48: an entry of scheduling.children has no key "ranks")"},
      {R"("children":[{"ranks":"0"}])",
       R"(r:3:48: an entry of scheduling.children has no key "topo")"},
      {R"("children":[{"ranks":"","topo":{}}])", "r:3:57: ranks names no rank"},
      {R"("children":[{"ranks":"3-1","topo":{}}])",
       "r:3:57: ranks: idset: range 3-1 does not ascend"},
      {R"("children":[{"ranks":"0-2147483648","topo":{}}])",
       "r:3:57: ranks goes beyond rank 2147483647"},
      {R"("children":[{"ranks":"0","topo":[]}])", "r:3:68: topo must be an object"},
      {R"("children":[{"ranks":"0-4","topo":{}},{"ranks":"4","topo":{}}])",
       "r:3:74: rank 4 is in two entries of scheduling.children"},
      {R"("topo_ids":[{"rank":"0"}])", R"(r:3:48: an entry of topo_ids has no key "children")"},
      {R"("topo_ids":[{"rank":"0","children":{"core":"5,3"}}])",
       R"(r:3:79: children of type "core": idset: id 3 does not ascend, the one before is 5)"},
      {R"("x":1,"x":2)", R"(r:3:42: scheduling has the key "x" twice)"},
      {R"("children":[{"ranks":"0","topo":{"a":nul}}])", ""},
  };
  for (const Row& row : rows) {
    for (const std::string writer : {"TreePool", "other"}) {
      const std::string message = refusal(
          r_of(kWhole, ",\"scheduling\":{\"writer\":\"" + writer + "\"," + row.scheduling + "}"),
          RRules::machine);
      if (row.message.empty()) {
        EXPECT_NE(message, "accepted");
      } else if (writer == "TreePool") {
        EXPECT_EQ(message, row.message) << row.scheduling;
      } else if (row.scheduling.find("\"x\"") == std::string::npos) {
        EXPECT_EQ(message, "accepted") << row.scheduling;
      }
    }
  }
  // The writer may come last.
  const auto r = read_r(r_of(
      kWhole,
      R"(,"scheduling":{"children":[{"ranks":"1", "topo":{"cores" : "0"}}],"writer":"TreePool"})"));
  ASSERT_TRUE(r);
  ASSERT_EQ(r->scheduling.children.size(), 1u);
  EXPECT_EQ(r->scheduling.children[0].topo, R"({"cores": "0"})");
}

// RFC 49, *Implementation*: what may be in a topo. Readers that want no layouts do not look inside.
TEST(TreePoolOfR, TheValidatorLooksIntoTopo) {
  const std::pair<std::string, std::string> rows[] = {
      {R"({"numa":[{"cores":"0-1"},{"cores":"2-3"}]})", "accepted"},
      {R"({"storage":[{"path":"/x","capacity":1.5,"unit":"TiB"}],"cores":"0-3","memory":64})",
       "accepted"},
      {R"({"cores":"3-0"})", "cores"},
      {R"({"cores":[0,1]})", "cores"},
      {R"({"gpus":1})", "gpus"},
      {R"({"memory":64.5})", "memory"},
      {R"({"memory":"64"})", "memory"},
      {R"({"memory":-1})", "memory"},
      {R"({"storage":[{"capacity":1}]})", "path"},
      {R"({"storage":[{"path":"/x"}]})", "capacity"},
      {R"({"storage":[{"path":"/x","capacity":"1"}]})", "capacity"},
      {R"({"storage":[{"path":7,"capacity":1}]})", "path"},
      {R"({"storage":{"path":"/x","capacity":1}})", "storage"},
      {R"({"numa":{"cores":"0-3"}})", "numa"},
      {R"({"numa":[1]})", "numa"},
      {R"({"socket":[{"numa":[{"cores":"x"}]}]})", "cores"},
  };
  for (const auto& [topo, message] : rows) {
    const std::string text =
        r_of(kWhole, R"(,"scheduling":{"writer":"TreePool","children":[{"ranks":"0","topo":)" +
                         topo + "}]}");
    const auto r = read_r(text, "r", {.rules = RRules::strict, .layouts = TreepoolLimits{}});
    const std::string got = r ? "accepted" : r.error().message();
    EXPECT_NE(got.find(message), std::string::npos) << topo << ": " << got;
    EXPECT_EQ(refusal(text, RRules::strict), "accepted") << topo;
  }
}

TEST(TreePoolOfR, IsBounded) {
  std::string topo = "{}";
  for (int i = 0; i < 400; ++i) topo = "{\"numa\":[" + topo + "]}";
  const std::string message = refusal(
      r_of(kWhole,
           R"(,"scheduling":{"writer":"TreePool","children":[{"ranks":"0","topo":)" + topo + "}]}"),
      RRules::machine);
  EXPECT_NE(message.find("more than 256 levels of JSON"), std::string::npos) << message;
}

// Rules for hostile sizes: the number of entries, repeated ranks, ids in pieces.
TEST(MergedR, IsBounded) {
  std::string entries;
  for (int i = 0; i < 20'000; ++i) {
    entries += (i == 0 ? "" : ",") + std::string(R"({"rank":")") + std::to_string(i) + "-" +
               std::to_string(40'000) + R"(","children":{"core":")" + std::to_string(2 * i) +
               "\"}}";
  }
  EXPECT_EQ(
      refusal("{\"version\":1,\"execution\":{\"R_lite\":[" + entries + "]}}", RRules::merging),
      "r:1:36: R_lite: the sets come to more than 67108864 ranges of ids");
}

}  // namespace
}  // namespace copse
