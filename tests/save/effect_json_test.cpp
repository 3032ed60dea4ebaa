// SPDX-License-Identifier: Apache-2.0
//
// Each kind of effect as a line of JSON.
#include "save/effect_json.hpp"

#include <gtest/gtest.h>

#include "save/desk.hpp"

namespace copse {
namespace {

struct EffectLines : EffectSink {
  explicit EffectLines(Engine& of) : engine(of) { of.observe(this); }
  ~EffectLines() override { engine.observe(nullptr); }
  void take(const Effect& effect) override { json.append(engine, effect, text); }

  // The first line of an effect kind; "" if there is none.
  [[nodiscard]] std::string line(const std::string& kind) const {
    const std::size_t at = text.find("{\"effect\": \"" + kind + "\"");
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  }

  Engine& engine;
  EffectJson json;
  std::string text;
};

TEST(EffectJson, SaysWhatEachEffectCameTo) {
  test::Desk desk;
  EffectLines lines(*desk.engine);
  desk.all_that_can_happen();
  EXPECT_EQ(lines.line("resources-added"),
            R"({"effect": "resources-added", "resources": ["licence"], "redrawn": []})");
  EXPECT_EQ(lines.line("granted"),
            R"({"effect": "granted", "job": 1, "start": 0, "end": 100, "pools": )"
            R"([{"path": "/desk0/rack0/node3/socket1/core5", "count": 3}]})");
  EXPECT_EQ(lines.line("cancelled"), R"({"effect": "cancelled", "job": 1})");
  EXPECT_EQ(lines.line("layer-reserved"),
            R"({"effect": "layer-reserved", "id": "course", "resource": "licence", )"
            R"("nodes": "node[0-3]", "count": 4, "start": 300, "end": 900, "jobs": [2, 9]})");
  EXPECT_EQ(lines.line("attached"),
            R"({"effect": "attached", "subtrees": [{"path": "/desk0/rack0/node77", "pools": 5}]})");
  EXPECT_EQ(lines.line("advanced"), R"({"effect": "advanced", "now": 120})");
  EXPECT_EQ(lines.line("status"),
            R"({"effect": "status", "path": "/desk0/rack0/node2", "status": "degraded"})");
  EXPECT_EQ(
      lines.line("property"),
      R"({"effect": "property", "path": "/desk0/rack0/node2", "key": "fast", "value": "very"})");
  EXPECT_EQ(lines.line("property-removed"),
            R"({"effect": "property-removed", "path": "/desk0/rack0/node2", "key": "passing"})");
  EXPECT_EQ(lines.line("tag"),
            R"({"effect": "tag", "path": "/desk0/rack0/node2", "key": "bench", "value": ""})");
  EXPECT_EQ(lines.line("layer-count-set"),
            R"({"effect": "layer-count-set", "resource": "licence", "nodes": "node[0-3]", )"
            R"("count": 20})");
  EXPECT_NE(lines.line("changed").find("\"job\": 2"), std::string::npos);
  EXPECT_NE(lines.line("removed").find("\"uniq_ids\": ["), std::string::npos);
}

TEST(EffectJson, FindsPoolsOfAGraphThatWasBuiltAgain) {
  test::Desk desk;
  EffectLines lines(*desk.engine);
  const ResourceGraph& graph = desk.engine->graph();
  desk.engine->set_tag(graph.root(), "before");
  const PoolId first = graph.of_type(graph.find_type("node"))[0];
  test::must(desk.engine->remove({&first, 1}));
  test::must(desk.engine->compact());
  const ResourceGraph& again = desk.engine->graph();
  lines.text.clear();
  desk.engine->set_tag(again.of_type(again.find_type("node"))[0], "after");
  EXPECT_EQ(lines.text,
            "{\"effect\": \"tag\", \"path\": \"/desk0/rack0/node1\", \"key\": \"after\", "
            "\"value\": \"\"}\n");
}

}  // namespace
}  // namespace copse
