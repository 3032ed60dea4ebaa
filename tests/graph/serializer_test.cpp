// SPDX-License-Identifier: Apache-2.0
#include "copse/serializer.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graph/small_graph.hpp"

namespace copse {
namespace {

std::vector<PoolId> all_of(const ResourceGraph& g) {
  std::vector<PoolId> pools;
  for (std::uint32_t v = 0; v < g.pool_count(); ++v) pools.push_back(PoolId{v});
  return pools;
}

std::string text_of(const ResourceGraph& g, const std::vector<PoolId>& pools,
                    const StatusOf& status = {}) {
  auto text = serialize(g, pools, status);
  EXPECT_TRUE(text);
  return text.value_or("");
}

TEST(Serializer, WritesAllDataOfAPool) {
  ResourceGraph g = machine();
  const PoolId node = at(g, "/cluster0/rack1/node2");
  g.set_property(node, "say \"hi\"", "a\\b\n");
  g.set_tag(node, "drained");
  const auto json = nlohmann::json::parse(text_of(
      g, {node, g.root()}, [&](PoolId p) { return p == node ? Status::down : Status::up; }));
  EXPECT_EQ(json["version"], 1);
  ASSERT_EQ(json["pools"].size(), 2U);
  const nlohmann::json wanted{
      {"uuid", g.uuid(node)},
      {"uniq_id", g.uniq_id(node)},
      {"type", "node"},
      {"basename", "node"},
      {"name", "node2"},
      {"id", 2},
      {"size", 1},
      {"unit", ""},
      {"rank", 2},
      {"status", "down"},
      {"properties", {{"say \"hi\"", "a\\b\n"}}},
      {"tags", {{"drained", ""}}},
      {"paths", {{"containment", "/cluster0/rack1/node2"}, {"power", "/power0/pdu1/node2"}}}};
  EXPECT_EQ(json["pools"][0], wanted);
  EXPECT_FALSE(json["pools"][1].contains("properties"));
  EXPECT_FALSE(json["pools"][1].contains("tags"));
  EXPECT_EQ(json["pools"][1]["paths"].size(), 1U);
}

TEST(Serializer, FindsAllPoolsAgain) {
  ResourceGraph g = machine();
  g.set_property(PoolId{3}, "arch", "arm");
  g.set_tag(PoolId{3}, "since", "noon");
  std::vector<PoolId> pools = all_of(g);
  std::reverse(pools.begin(), pools.end());
  const std::string text =
      text_of(g, pools, [](PoolId p) { return p.v % 2 == 0 ? Status::degraded : Status::failing; });
  const ResourceGraph other = machine();  // an equal machine, somewhere else
  const auto found = deserialize(other, text);
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_EQ(found->size(), pools.size());
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const SerializedPool& pool = (*found)[i];
    EXPECT_EQ(pool.pool, pools[i]);
    EXPECT_EQ(pool.status, pools[i].v % 2 == 0 ? Status::degraded : Status::failing);
    const bool marked = pools[i] == PoolId{3};
    EXPECT_EQ(pool.properties, marked ? *g.properties(PoolId{3}) : ResourceGraph::Attributes{});
    EXPECT_EQ(pool.tags, marked ? *g.tags(PoolId{3}) : ResourceGraph::Attributes{});
  }
  EXPECT_FALSE(deserialize(other, text_of(g, {g.root()}))->front().status);
  EXPECT_TRUE(deserialize(other, text_of(g, {}))->empty());
}

TEST(Serializer, BytesThatAreNotTextComeBackToTheirPool) {
  GraphText t;
  const auto root = t.pool({"clu\xFFster", 0});
  t.child(root, {"co\"\\\x01re", 1});
  ResourceGraph g = t.build();
  g.set_tag(PoolId{1}, "t", "\xC0\x80");
  const std::string text = text_of(g, all_of(g));
  const auto found = deserialize(g, text);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ((*found)[1].pool, PoolId{1});
  EXPECT_NE((*found)[1].tags.at("t").find("\uFFFD"), std::string::npos);
}

TEST(Serializer, FindsPoolsByPathWhereThereIsNoUniqId) {
  const ResourceGraph g = machine();
  const auto found = deserialize(g, R"({"version":1,"pools":[
      {"type":"node","paths":{"power":"/power0/pdu1/node1"}},
      {"paths":{"containment":"/cluster0"},"type":"cluster"}]})");
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ((*found)[0].pool, at(g, "/cluster0/rack0/node1"));
  EXPECT_EQ((*found)[1].pool, g.root());
}

TEST(Serializer, TellsPoolsAtOnePathApartByUuid) {
  GraphText t;
  const auto root = t.pool({"cluster", 0});
  t.child(root, {"node", 1});
  t.child(root, {"node", 1});
  const ResourceGraph g = t.build();
  const std::string without =
      R"({"version":1,"pools":[{"type":"node","paths":{"containment":"/cluster0/node1"})";
  const auto either = deserialize(g, without + "}]}");
  ASSERT_FALSE(either);
  EXPECT_EQ(either.error().code, ErrorCode::invalid);
  EXPECT_EQ(
      either.error().text,
      "pools[0] names more than one pool at \"/cluster0/node1\" with this uuid, type and paths");
  const auto one = deserialize(g, without + ",\"uuid\":\"" + g.uuid(PoolId{2}) + "\"}]}");
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(one->front().pool, PoolId{2});
}

struct Refused {
  const char* pools;
  ErrorCode code;
  const char* sentence;
};

TEST(Serializer, SaysWhatDoesNotAgree) {
  const ResourceGraph g = machine();  // uniq_id 3 is node0
  const Refused cases[] = {
      {R"({"uniq_id":3})", ErrorCode::invalid, "pools[0] has no type"},
      {R"({"type":"node"})", ErrorCode::invalid, "pools[0] has neither a uniq_id nor a path"},
      {R"({"uniq_id":3,"type":"core"})", ErrorCode::invalid,
       "pools[0] gives \"core\" as the type of \"node0\", which has \"node\""},
      {R"({"uniq_id":66,"type":"core"})", ErrorCode::not_found,
       "pools[0] has uniq_id 66, but none of the graph's 66 pools has"},
      {R"({"uniq_id":3,"type":"node"},{"uniq_id":4,"type":"node","paths":{"containment":"/x"}})",
       ErrorCode::invalid,
       "pools[1] gives \"/x\" as the path in containment of \"node1\", which has "
       "\"/cluster0/rack0/node1\""},
      {R"({"uniq_id":0,"type":"cluster","paths":{"power":"/cluster0"}})", ErrorCode::invalid,
       "pools[0] gives \"/cluster0\" as the path in power of \"cluster0\", which has \"\""},
      {R"({"uniq_id":0,"type":"cluster","paths":{"water":"/cluster0"}})", ErrorCode::not_found,
       "pools[0] has a path in \"water\", which is no subsystem here"},
      {R"({"type":"node","paths":{"containment":"/cluster0/node9"}})", ErrorCode::not_found,
       "pools[0] names no pool at \"/cluster0/node9\" with this uuid, type and paths"},
      {R"({"uniq_id":3,"type":"node"},{"uniq_id":3,"type":"node"})", ErrorCode::invalid,
       "pools[1] lists node0 a second time"},
      {R"({"uniq_id":3,"type":"node","status":"asleep"})", ErrorCode::invalid,
       "pools[0]: \"asleep\" is no status"},
      {R"({"uniq_id":3,"uniq_id":3,"type":"node"})", ErrorCode::invalid,
       "pools[0]: \"uniq_id\" is given twice"},
      {R"({"uniq_id":3,"type":"node","tags":{"a":"","a":""}})", ErrorCode::invalid,
       "pools[0]: \"a\" is given twice"},
      {R"({"uniq_id":-3})", ErrorCode::invalid, "pools[0]: -3 is not what \"uniq_id\" takes"},
      {R"({"uniq_id":1.5})", ErrorCode::invalid, "pools[0]: 1.5 is not what \"uniq_id\" takes"},
      {R"({"uniq_id":99999999999999999999})", ErrorCode::invalid,
       "pools[0]: 99999999999999999999 is not what \"uniq_id\" takes"},
      {R"({"uniq_id":true})", ErrorCode::invalid,
       "pools[0]: true or false is not what \"uniq_id\" takes"},
      {R"({"type":null})", ErrorCode::invalid, "pools[0]: null is not what \"type\" takes"},
      {R"({"colour":"red"})", ErrorCode::invalid, "pools[0]: \"red\" is not what \"colour\" takes"},
      {R"({"tags":{"a":{}}})", ErrorCode::invalid, "pools[0]: an object is not what \"a\" takes"},
      {R"({"paths":[]})", ErrorCode::invalid, "pools[0]: a list is not what \"paths\" takes"},
      {"[]", ErrorCode::invalid, "pools[0]: a list stands where an object must"},
      {"7", ErrorCode::invalid, "pools[0]: 7 stands where an object must"},
  };
  for (const Refused& c : cases) {
    const auto found =
        deserialize(g, std::string(R"({"version":1,"pools":[)") + c.pools + "]}", "pools.json");
    ASSERT_FALSE(found) << c.pools;
    EXPECT_EQ(found.error().code, c.code) << c.pools;
    EXPECT_EQ(found.error().text, c.sentence);
    EXPECT_EQ(found.error().place.file, "pools.json");
  }
}

TEST(Serializer, AUuidOfAnotherPoolIsRefused) {
  const ResourceGraph g = machine();
  std::string text = text_of(g, {PoolId{3}});
  text.replace(text.find(g.uuid(PoolId{3})), 36, g.uuid(PoolId{4}));
  const auto found = deserialize(g, text);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::invalid);
  EXPECT_NE(found.error().text.find("uuid"), std::string::npos);
}

TEST(Serializer, RefusesWhatIsNotThisJson) {
  const ResourceGraph g = machine();
  for (const char* text :
       {"", " ", "[]", "7", "null", "{", "{}", R"({"version":1})", R"({"pools":[]})",
        R"({"version":2,"pools":[]})", R"({"version":1,"pools":{}})",
        R"({"version":1,"pools":[]}x)", R"({"version":1,"pools":[],"pools":[]})",
        R"({"version":1,"more":[]})", R"({"version":1,"pools":[{"type":"node")",
        "{\"version\":1,\"pools\":[\"\xFF\"]}"}) {
    const auto found = deserialize(g, text);
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().code, ErrorCode::invalid) << text;
    EXPECT_FALSE(found.error().text.empty());
  }
}

TEST(Serializer, GivesThePlaceOfBadJson) {
  const ResourceGraph g = machine();
  const auto found = deserialize(g, "{\"version\":1,\n \"pools\": oops}", "p.json");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message(), "p.json:2:11: the text is not JSON here");
}

TEST(Serializer, BoundsWhatItReads) {
  const ResourceGraph g = machine();
  EXPECT_EQ(deserialize(g, std::string(kSerializedMax + 1, ' ')).error().code, ErrorCode::limit);
  // Nesting ends at the first list that has no place.
  const auto deep = deserialize(g, std::string(1'000'000, '['));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().text, "a list stands where an object must");
  std::string nested = R"({"version":1,"pools":[)";
  for (int i = 0; i < 100'000; ++i) nested += "{\"tags\":";
  EXPECT_FALSE(deserialize(g, nested));
  std::string many = R"({"version":1,"pools":[{"tags":{)";
  for (int i = 0; i <= 1 << 20; ++i) many += "\"" + std::to_string(i) + "\":\"\",";
  const auto words = deserialize(g, many);
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().code, ErrorCode::limit);
  // A long word is not repeated whole.
  const auto longword = deserialize(
      g, R"({"version":1,"pools":[{"type":7,")" + std::string(100'000, 'x') + "\":1}]}");
  ASSERT_FALSE(longword);
  EXPECT_LT(longword.error().text.size(), 300U);
}

}  // namespace
}  // namespace copse
