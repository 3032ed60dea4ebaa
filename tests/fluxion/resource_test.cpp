// SPDX-License-Identifier: Apache-2.0
#include "fluxion/resource.hpp"

#include "fluxion.hpp"

namespace copse::fluxion {
namespace {

class ResourceTest : public ::testing::Test {
 protected:
  std::unique_ptr<Engine> engine_ = desk_engine();
  Resource resource_{*engine_, Format::simple};
};

TEST_F(ResourceTest, AMatchIsTimedAndWritten) {
  const std::string two = nodes(2);
  const auto matched = resource_.match(Operation::allocate, {.text = two}, 7);
  ASSERT_TRUE(matched.result);
  EXPECT_GT(matched.elapsed_s, 0);
  std::string out;
  resource_.write(**matched.result, matched.queue(), out);
  EXPECT_NE(out.find("---node1[1:x]\n"), std::string::npos) << out;
  ASSERT_NE(engine_->grant(7), nullptr);
  const auto refused = resource_.match(Operation::allocate, {.text = nodes(3)}, 8);
  EXPECT_NE(refused.request, nullptr);
  EXPECT_EQ(refused.result.error().code, ErrorCode::insufficient);
}

TEST_F(ResourceTest, AWrongJobspecHasNoRequest) {
  const auto matched =
      resource_.match(Operation::allocate, {.text = "version: 9999\n", .file = "job.yaml"}, 7);
  EXPECT_EQ(matched.request, nullptr);
  ASSERT_FALSE(matched.result);
  EXPECT_EQ(matched.result.error().place.file, "job.yaml");
}

TEST_F(ResourceTest, PoolsAreFoundInAnyFormat) {
  std::string simple, jgf;
  ASSERT_TRUE(resource_.find("status=up", {}, simple));
  EXPECT_EQ(simple.substr(0, 6), "      ");
  ASSERT_TRUE(resource_.find("status=up", Format::jgf, jgf));
  EXPECT_EQ(jgf.substr(0, 10), "{\"graph\": ");
  EXPECT_FALSE(resource_.find("color=red", {}, simple));
}

TEST_F(ResourceTest, PropertiesAreKeysWithValues) {
  EXPECT_EQ(Resource::parse_property("rack=a=b"), Resource::Property("rack", "a=b"));
  for (const char* wrong : {"", "rack", "rack=", "=a"}) {
    EXPECT_FALSE(Resource::parse_property(wrong)) << wrong;
  }
  const auto node = resource_.graph().at_path("/desk0/rack0/node0");
  resource_.set_property(node, {"color", "red"});
  EXPECT_EQ(resource_.graph().properties(node.front())->at("color"), "red");
  resource_.remove_property(node, "color");
  const auto* left = resource_.graph().properties(node.front());
  EXPECT_TRUE(left == nullptr || !left->contains("color"));
}

TEST_F(ResourceTest, TheMachineGrowsAndShrinks) {
  const std::string more = R"({"graph": {"nodes": [
    {"id": "0", "metadata": {"type": "rack", "basename": "rack", "name": "rack0", "id": 0,
       "paths": {"containment": "/desk0/rack0"}}},
    {"id": "1", "metadata": {"type": "node", "basename": "node", "name": "node9", "id": 9,
       "rank": 9, "paths": {"containment": "/desk0/rack0/node9"}}}],
    "edges": [{"source": "0", "target": "1"}]}})";
  EXPECT_TRUE(resource_.add_subgraph(more, "more.json"));
  EXPECT_EQ(resource_.add_subgraph(more, "more.json").error().code, ErrorCode::exists);
  EXPECT_EQ(resource_.add_subgraph("{", "more.json").error().place.file, "more.json");
  const auto added = resource_.graph().at_path("/desk0/rack0/node9");
  ASSERT_EQ(added.size(), 1U);
  EXPECT_TRUE(resource_.remove(added));
  EXPECT_TRUE(resource_.graph().at_path("/desk0/rack0/node9").empty());
}

class Sharer final : public EngineSharer {
 public:
  void set_status(std::span<const PoolId> pools, Status) override { status_ += pools.size(); }
  Result<void> attach(std::span<const NewSubtree>) override { return fail(ErrorCode::limit, "no"); }
  Result<std::vector<JobId>> remove(std::span<const PoolId>) override {
    return fail(ErrorCode::limit, "no");
  }
  void properties_changed() override { ++properties_; }
  std::size_t status_ = 0, properties_ = 0;
};

TEST_F(ResourceTest, ASharerMakesTheChanges) {
  Sharer sharer;
  resource_.share_with(&sharer);
  const auto node = resource_.graph().at_path("/desk0/rack0/node0");
  resource_.set_status(node, Status::down);
  EXPECT_EQ(sharer.status_, 1U);
  EXPECT_EQ(engine_->status(node.front()), Status::up);
  resource_.set_property(node, {"color", "red"});
  EXPECT_EQ(sharer.properties_, 1U);
  EXPECT_EQ(resource_.remove(node).error().code, ErrorCode::limit);
  resource_.share_with(nullptr);
  resource_.set_status(node, Status::down);
  EXPECT_EQ(engine_->status(node.front()), Status::down);
}

}  // namespace
}  // namespace copse::fluxion
