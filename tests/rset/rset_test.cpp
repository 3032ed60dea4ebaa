// SPDX-License-Identifier: Apache-2.0
//
// Resource sets: the examples of Flux's list library, what goes along with ids, scheduling.children
// of TreePool, and ids of sub-instances. Sets are written as R, and read.
#include "rset/rset.hpp"

#include <gtest/gtest.h>

#include "base/idset_algebra.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "rset/rset_algebra.hpp"
#include "rset/rset_properties.hpp"
#include "rset/rset_ranks.hpp"

namespace copse {
namespace {

RSet read(const std::string& text) {
  auto r = read_r(text, "r", {.rules = RRules::merging});
  EXPECT_TRUE(r) << (r ? "" : r.error().message());
  return r ? std::move(*r) : RSet{};
}

// Entries {"rank":…,"children":…} and what else `execution` has; scheduling.
RSet set(const std::string& entries, const std::string& more = "",
         const std::string& scheduling = "") {
  return read(R"({"version":1,"execution":{"R_lite":[)" + entries + "]" +
              (more.empty() ? "" : ",") + more + "}" +
              (scheduling.empty() ? "" : ",\"scheduling\":" + scheduling) + "}");
}

std::string ids(const std::string& ranks, const std::string& cores, const std::string& gpus = "") {
  return R"({"rank":")" + ranks + R"(","children":{)" +
         (cores.empty() ? "" : R"("core":")" + cores + "\"") +
         (cores.empty() || gpus.empty() ? "" : ",") +
         (gpus.empty() ? "" : R"("gpu":")" + gpus + "\"") + "}}";
}

std::string hosts(const std::string& list) { return R"("nodelist":[")" + list + "\"]"; }

std::string brief(const Result<RSet>& r) {
  if (!r) return r.error().message();
  std::string out;
  append_r_short(out, *r);
  return out;
}

std::string written(const Result<RSet>& r) {
  if (!r) return r.error().message();
  std::string out;
  append_r(out, *r);
  return out;
}

std::string nodelist(const Result<RSet>& r) {
  const std::string text = written(r);
  const std::size_t at = text.find("\"nodelist\": [\"");
  return at == text.npos ? "none" : text.substr(at + 14, text.find("\"]", at) - at - 14);
}

TEST(RSet, IsWrittenCanonically) {
  EXPECT_EQ(
      written(set(ids("3", "0-1") + "," + ids("0-1,7", "0-1"),
                  R"("nodelist":["n[0-1],n3","n7"],"properties":{"z":"0","a":"3,7","none":""},)"
                  R"("expiration":1676562342.5,"starttime":1676560542,"nslots":4)")),
      R"({"version": 1, "execution": {"R_lite": [{"rank": "0-1,3,7", "children": )"
      R"({"core": "0-1"}}], "nslots": 4, "starttime": 1676560542.0, "expiration": 1676562342.5, )"
      R"("nodelist": ["n[0-1,3,7]"], "properties": {"a": "3,7", "z": "0"}}})");
  EXPECT_EQ(written(RSet{}),
            R"({"version": 1, "execution": {"R_lite": [], "starttime": 0.0, "expiration": 0.0}})");
  // What has nothing is not there, and its host neither.
  EXPECT_EQ(
      written(set(ids("0-2", "0") + R"(,{"rank":"3","children":{"core":""}})", hosts("a,b,c,d"))),
      R"({"version": 1, "execution": {"R_lite": [{"rank": "0-2", "children": {"core": "0"}}], )"
      R"("starttime": 0.0, "expiration": 0.0, "nodelist": ["a,b,c"]}})");
}

TEST(RSet, MergesRanksThatAreInSeveralEntries) {
  EXPECT_EQ(brief(set(ids("0-2", "0-1") + "," + ids("1-4", "2") + "," + ids("4", "", "0"))),
            "rank0/core[0-1] rank[1-2]/core[0-2] rank3/core2 rank4/core2,gpu0");
  const auto twice = read_r(R"({"version":1,"execution":{"R_lite":[)" + ids("0-2", "0-1") + "," +
                                ids("2-3", "1-2") + "]}}",
                            "r", {.rules = RRules::merging});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message(), "r:1:36: R_lite: rank 2 has core1 twice");
  EXPECT_EQ(brief(read(R"({"version":1,"execution":{"R_lite":{}}})")), "");
}

TEST(RSet, Counts) {
  const RSet r =
      set(ids("0-3", "0-7", "0") + R"(,{"rank":"9","children":{"core":"","nvme":"4,6"}})");
  EXPECT_EQ(count(r, "node"), 5);
  EXPECT_EQ(count(r, "core"), 32);
  EXPECT_EQ(count(r, "gpu"), 4);
  EXPECT_EQ(count(r, "nvme"), 2);
  EXPECT_EQ(count(r, "tape"), 0);
  EXPECT_EQ(types(r), (std::vector<std::string>{"core", "gpu", "nvme"}));
  const RSet many = set(ids("0-99999", "0-9007199254740992"));
  EXPECT_EQ(count(many, "core"), INT64_MAX);
}

TEST(RSetAlgebra, AppendsAndUnites) {
  const RSet foo15 = set(ids("1", "0-3"), hosts("foo15")),
             foo16 = set(ids("0", "0-3"), hosts("foo16"));
  EXPECT_EQ(brief(append(foo15, foo16)), "rank[0-1]/core[0-3]");
  EXPECT_EQ(nodelist(append(foo15, foo16)), "foo[16,15]");
  EXPECT_EQ(nodelist(append(set(ids("0,2-3", "0"), hosts("foo[0,2-3]")),
                            set(ids("1", "0"), hosts("foo1")))),
            "foo[0-3]");
  EXPECT_EQ(brief(append(set(ids("0", "0-3")), set(ids("0", "4-7")))), "rank0/core[0-7]");
  const auto many = append(set(ids("0-1023", "0-3")), set(ids("1000-1024", "4-7")));
  EXPECT_EQ(count(*many, "core"), 4196);
  EXPECT_EQ(count(*many, "node"), 1025);
  EXPECT_EQ(brief(append(set(ids("0-1", "0-1")), set(ids("1-2", "2-3")))),
            "rank0/core[0-1] rank1/core[0-3] rank2/core[2-3]");
  const auto overlap = append(set(ids("0-3", "0-1", "2")), set(ids("2-4", "4", "1-2")));
  ASSERT_FALSE(overlap);
  EXPECT_EQ(overlap.error().code, ErrorCode::exists);
  EXPECT_EQ(overlap.error().text, "rank 2 has gpu2 twice");
  EXPECT_EQ(brief(unite(set(ids("0", "0-3")), set(ids("0", "", "0")))), "rank0/core[0-3],gpu0");
  EXPECT_EQ(brief(unite(set(ids("0-1", "0-3")), set(ids("1-2", "2-5")))),
            "rank0/core[0-3] rank1/core[0-5] rank2/core[2-5]");
}

TEST(RSetAlgebra, IntersectsAndSubtracts) {
  EXPECT_EQ(brief(intersect(set(ids("0-10", "0-3")), set(ids("9-15", "1")))), "rank[9-10]/core1");
  EXPECT_EQ(brief(subtract(set(ids("0", "0-3")), set(ids("0", "0-1")))), "rank0/core[2-3]");
  EXPECT_EQ(brief(subtract(set(ids("0", "0-3", "0")), set(ids("0", "0-3")))), "rank0/gpu0");
  EXPECT_EQ(brief(subtract(set(ids("0-4", "0-3")), set(ids("0-4", "0-3")))), "");
  // A rank that has two hosts is two nodes.
  EXPECT_EQ(brief(intersect(set(ids("0-3", "0"), hosts("a,b,c,d")),
                            set(ids("0-3", "0"), hosts("a,x,c,y")))),
            "rank[0,2]/core0");
  EXPECT_EQ(brief(select_ranks(set(ids("0-5", "0")), *Idset::parse("5-9"))), "rank5/core0");
}

TEST(RSetAlgebra, TakesAlongWhatIsSaid) {
  const RSet a = set(
      ids("0-3", "0-3"),
      hosts("n[0-3]") +
          R"(,"properties":{"fast":"1-2","old":"0"},"starttime":10,"expiration":90,"nslots":8)");
  const RSet b =
      set(ids("3-4", "4-5"),
          hosts("n[3-4]") + R"(,"properties":{"big":"3","fast":"4"},"starttime":20,"nslots":2)");
  EXPECT_EQ(
      written(append(a, b)),
      R"({"version": 1, "execution": {"R_lite": [{"rank": "0-2", "children": {"core": "0-3"}}, )"
      R"({"rank": "3", "children": {"core": "0-5"}}, {"rank": "4", "children": {"core": "4-5"}}], )"
      R"("nslots": 10, "starttime": 20.0, "expiration": 90.0, "nodelist": ["n[0-4]"], )"
      R"("properties": {"big": "3", "fast": "1-2,4", "old": "0"}}})");
  EXPECT_EQ(
      written(subtract(a, set(ids("2-3", "0-3")))),
      R"({"version": 1, "execution": {"R_lite": [{"rank": "0-1", "children": {"core": "0-3"}}], )"
      R"("starttime": 10.0, "expiration": 90.0, "nodelist": ["n[0-1]"], )"
      R"("properties": {"fast": "1", "old": "0"}}})");
  EXPECT_EQ(subtract(a, set(ids("7", "0")))->nslots, 8);
  EXPECT_EQ(brief(append(a, set(ids("4", "0"), hosts("n4") + R"(,"starttime":95)"))),
            "one set expires at 90 and the other starts at 95; they are valid at no common time");
  EXPECT_EQ(brief(append(a, set(ids("3-4", "4"), hosts("m[3-4]")))),
            "rank 3 is host n3 in one set and m3 in the other");
  EXPECT_EQ(nodelist(append(a, set(ids("3", "4")))), "n[0-3]");
  EXPECT_EQ(nodelist(append(a, set(ids("4", "4")))), "none");
}

TEST(RSetRanks, AreNumberedAnew) {
  const RSet r =
      set(ids("1,7,9,53", "1,5,7,9", "1,3"), hosts("a,b,c,d") + R"(,"properties":{"p":"7,53"})");
  EXPECT_EQ(brief(remap(r)), "rank[0-3]/core[0-3],gpu[1,3]");
  EXPECT_EQ(remap(r)->properties[0].second.text(), "1,3");
  EXPECT_EQ(nodelist(remap(r)), "a,b,c,d");
  EXPECT_EQ(brief(remap(r, {.keep_ids = true})), "rank[0-3]/core[1,5,7,9],gpu[1,3]");
  const RSet foo = set(ids("0-14", "0") + "," + ids("15", "0-1"), hosts("foo[0-15]"));
  std::vector<std::string> order;
  for (int i = 1; i <= 16; ++i) order.push_back("foo" + std::to_string(i % 16));
  EXPECT_EQ(nodelist(rerank(foo, order)), "foo[1-15,0]");
  EXPECT_EQ(brief(rerank(foo, order)), "rank[0-13,15]/core0 rank14/core[0-1]");
  order.pop_back();
  EXPECT_EQ(brief(rerank(foo, order)), "too few hosts: 15 for 16 ranks");
  order.insert(order.end(), {"foo1", "x"});
  EXPECT_EQ(brief(rerank(foo, order)), "too many hosts: 17 for 16 ranks");
  order.pop_back();
  EXPECT_EQ(brief(rerank(foo, order)), "the set has no further rank on host foo1");
  order.back() = "foo16";
  EXPECT_EQ(brief(rerank(foo, order)), "the set has no host foo16");
}

TEST(RSetProperties, HaveNamesAndRanks) {
  RSet r = set(ids("0-3", "0"));
  EXPECT_TRUE(add_property(r, "fast", *Idset::parse("0-1")));
  EXPECT_TRUE(add_property(r, "fast", *Idset::parse("3")));
  EXPECT_TRUE(add_property(r, "amd-mi50@gpu", *Idset::parse("2")));
  EXPECT_TRUE(add_property(r, "+batch", *Idset::parse("0-3")));
  EXPECT_EQ(ranks_with(r, "fast").text(), "0-1,3");
  EXPECT_EQ(ranks_with(r, "^fast").text(), "2");
  EXPECT_EQ(ranks_with(r, "amd-mi50").text(), "");
  EXPECT_EQ(ranks_with(r, "amd-mi50@gpu").text(), "2");
  EXPECT_EQ(property_name("amd-mi50@gpu").name, "amd-mi50");
  EXPECT_EQ(property_name("amd-mi50@gpu").suffix, "gpu");
  EXPECT_EQ(add_property(r, "slow", *Idset::parse("2-5")).error().text, "the set has no rank 4-5");
  for (const char c : std::string("!&'\"^`|()")) {
    EXPECT_EQ(add_property(r, std::string("a") + c, {}).error().code, ErrorCode::invalid) << c;
  }
  EXPECT_FALSE(add_property(r, "", {}));
  drop_local_properties(r);
  EXPECT_TRUE(ranks_with(r, "+batch").empty());
  EXPECT_EQ(ranks_with(r, "fast").text(), "0-1,3");
}

// --- scheduling

const std::string kNuma =
    R"({"numa":[{"cores":"0-14","gpus":"0"},{"cores":"15-29","gpus":"1"},{"cores":"30-44","gpus":"2"}]})";
const std::string kFlat = R"({"cores":"0-7"})";

std::string treepool(const std::string& ranks_numa, const std::string& ranks_flat) {
  return R"({"writer":"TreePool","site":[1, 2],"children":[{"ranks":")" + ranks_numa +
         R"(","topo":)" + kNuma + R"(},{"topo":)" + kFlat + R"(,"ranks":")" + ranks_flat + "\"}]}";
}

std::string scheduling(const Result<RSet>& r) {
  const std::string text = written(r);
  const std::size_t at = text.find(", \"scheduling\": ");
  return at == text.npos ? "none in " + text : text.substr(at + 16, text.size() - at - 17);
}

std::string expected(const std::string& ranks_numa, const std::string& ranks_flat,
                     const std::string& ids = "") {
  const std::string numa =
      R"({"numa": [{"cores": "0-14", "gpus": "0"}, {"cores": "15-29", "gpus": "1"}, {"cores": "30-44", "gpus": "2"}]})";
  std::string out = R"({"writer": "TreePool", "site": [1, 2])";
  if (!ranks_numa.empty())
    out += R"(, "children": [{"ranks": ")" + ranks_numa + R"(", "topo": )" + numa + "}";
  if (!ranks_flat.empty()) {
    out += ranks_numa.empty() ? R"(, "children": [)" : ", ";
    out += R"({"ranks": ")" + ranks_flat + R"(", "topo": {"cores": "0-7"}})";
  }
  out += ranks_numa.empty() && ranks_flat.empty() ? "" : "]";
  return out + (ids.empty() ? "" : ", \"topo_ids\": " + ids) + "}";
}

TEST(RSetScheduling, FollowsTheRanks) {
  const RSet r = set(ids("0-3", "0-44", "0-2") + "," + ids("4-7", "0-7"), hosts("n[0-7]"),
                     treepool("0-3", "4-7"));
  EXPECT_EQ(scheduling(r), expected("0-3", "4-7"));
  EXPECT_EQ(scheduling(select_ranks(r, *Idset::parse("2,5-6"))), expected("2", "5-6"));
  EXPECT_EQ(scheduling(select_ranks(r, *Idset::parse("6"))), expected("", "6"));
  EXPECT_EQ(scheduling(subtract(r, set(ids("0,4-7", "0-44", "0-2")))), expected("1-3", ""));
  EXPECT_EQ(scheduling(remap(select_ranks(r, *Idset::parse("2-3,5,7")))), expected("0-1", "2-3"));
  const auto x = select_ranks(r, *Idset::parse("0,6-7")), y = select_ranks(r, *Idset::parse("1,4"));
  EXPECT_EQ(scheduling(append(x, y)), expected("0-1", "4,6-7"));
  EXPECT_EQ(scheduling(rerank(select_ranks(r, *Idset::parse("3-5")),
                              std::vector<std::string>{"n4", "n3", "n5"})),
            expected("1", "0,2"));
}

// A machine that lists its ranks one by one is as small as one that does not.
TEST(RSetScheduling, EqualLayoutsShareAnEntry) {
  const std::string topo = R"({"cores": "0-7"})";
  const RSet r = set(ids("0-4", "0-7"), "",
                     R"({"writer": "TreePool", "children": [{"ranks": "4", "topo": )" + topo +
                         R"(}, {"ranks": "1", "topo": {"cores": "0-3"}},
                             {"ranks": "2", "topo": )" +
                         topo + R"(}, {"ranks": "0,3", "topo": {"cores":  "0-7"}}]})");
  EXPECT_EQ(scheduling(r),
            R"({"writer": "TreePool", "children": [{"ranks": "0,2-4", "topo": {"cores": "0-7"}}, )"
            R"({"ranks": "1", "topo": {"cores": "0-3"}}]})");
}

// An excluded rank leaves children that name more ranks than there are (D-1); a remap that did not
// know of scheduling leaves ranks of the instance above.
TEST(RSetScheduling, NeedNotNameTheSameRanks) {
  const RSet excluded = set(ids("1-3", "0-44"), "", treepool("0-2", "3-7"));
  EXPECT_EQ(scheduling(excluded), expected("0-2", "3-7"));
  EXPECT_EQ(scheduling(remap(excluded)), expected("0-1", "2"));
  const RSet stale = set(ids("0-2", "0-44"), "", treepool("12,15", "20"));
  EXPECT_EQ(scheduling(remap(stale)), expected("0-1", "2"));
  EXPECT_EQ(scheduling(select_ranks(stale, *Idset::parse("1-2"))), expected("1", "2"));
  const RSet shifted = set(ids("0-2", "0-44"), "", treepool("1-2", "3"));
  EXPECT_EQ(scheduling(remap(shifted)), expected("0-1", "2"));
  // topo_ids of a rank that children does not have goes when they are aligned.
  RSet bare = shifted;
  bare.scheduling.topo_ids = {{*Idset::parse("0"), {{"core", first_ids(45)}}}};
  EXPECT_EQ(scheduling(unite(bare, set(ids("7", "0")))), expected("0-1", "2"));
  const RSet other = set(ids("0-2", "0-44"), "", treepool("12,15", "20-21"));
  EXPECT_EQ(scheduling(remap(other)), expected("", ""));
}

TEST(RSetScheduling, OfAnotherWriterStaysAsItIs) {
  for (const char* text :
       {"42", R"({"writer":"fluxion:jgf","children":7,"graph":{"nodes":[ ]}})", "null",
        R"({"children":[{"ranks":"x"}]})", R"({"writer":8,"topo_ids":[]})", "\"a \\\" b\""}) {
    const RSet r = set(ids("4-7", "2-3"), "", text);
    std::string tight = scheduling(r);
    EXPECT_EQ(scheduling(remap(r)), tight);
    EXPECT_EQ(scheduling(append(r, set(ids("1", "0"), "", treepool("1", "2")))), tight);
    EXPECT_EQ(scheduling(select_ranks(r, *Idset::parse("4"))), tight);
    if (std::string_view(text).starts_with('"')) {
      EXPECT_EQ(tight, text);
    } else {
      std::erase(tight, ' ');
      std::string given(text);
      std::erase(given, ' ');
      EXPECT_EQ(tight, given);
    }
  }
}

// flux-specs 2.10: two NUMA domains of a node; inside, cores are 0-29 and gpus still 1-2.
TEST(RSetScheduling, KnowsTheIdsOfTheTopologyThroughTwoInstances) {
  const RSet machine = set(ids("0-3", "0-44", "0-2"), hosts("n[0-3]"), treepool("0-3", "9"));
  auto job = intersect(machine, set(ids("1", "15-44", "1-2") + "," + ids("3", "0-9", "0")));
  ASSERT_TRUE(job);
  EXPECT_EQ(scheduling(job), expected("1,3", ""));
  const auto inside = normalize(*job);
  EXPECT_EQ(brief(inside), "rank0/core[0-29],gpu[1-2] rank1/core[0-9],gpu0");
  EXPECT_EQ(nodelist(inside), "n[1,3]");
  EXPECT_EQ(scheduling(inside),
            expected("0-1", "", R"([{"rank": "0", "children": {"core": "15-44"}}])"));

  // A job of that instance: the map is of all its ids, so taking some does not change it.
  const auto inner_job =
      intersect(*inside, set(ids("0", "5-9,20", "2") + "," + ids("1", "3-4", "0")));
  EXPECT_EQ(scheduling(inner_job),
            expected("0-1", "", R"([{"rank": "0", "children": {"core": "15-44"}}])"));
  const auto innermost = normalize(*inner_job);
  EXPECT_EQ(brief(innermost), "rank0/core[0-5],gpu2 rank1/core[0-1],gpu0");
  EXPECT_EQ(
      scheduling(innermost),
      expected(
          "0-1", "",
          R"([{"rank": "0", "children": {"core": "20-24,35"}}, {"rank": "1", "children": {"core": "3-4"}}])"));
  EXPECT_EQ(written(read(written(innermost))), written(innermost));

  // Ids that are kept need no map.
  EXPECT_EQ(scheduling(normalize(*job, {}, {.keep_ids = true})), expected("0-1", ""));
  // A set with an id that the map does not have.
  const auto wrong = remap(set(ids("0", "0-30"), "", scheduling(inside)));
  EXPECT_EQ(brief(wrong), "topo_ids has 30 ids of type core for rank 0, too few for core30");
}

TEST(RSetRanks, NormalizeMakesAnInventoryOfAnAllocation) {
  const RSet job =
      set(ids("4-5", "2-3"),
          hosts("n[4-5]") +
              R"(,"nslots":2,"starttime":5,"expiration":9,"properties":{"+q":"4","p":"5"})");
  EXPECT_EQ(
      written(normalize(job, std::vector<std::string>{"n5", "n4"})),
      R"({"version": 1, "execution": {"R_lite": [{"rank": "0-1", "children": {"core": "0-1"}}], )"
      R"("starttime": 5.0, "expiration": 9.0, "nodelist": ["n[5,4]"], "properties": {"p": "0"}}})");
}

}  // namespace
}  // namespace copse
