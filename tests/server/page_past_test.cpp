// SPDX-License-Identifier: Apache-2.0
//
// The past that the page shows: what ran where, also after the service was started again.
#include <gtest/gtest.h>

#include <tuple>

#include <fmt/format.h>

#include "memory_store.hpp"
#include "server/jobs/job_placement.hpp"
#include "server/page/page_service.hpp"

namespace copse::server {
namespace {

using Past = std::vector<std::tuple<JobId, std::int64_t, std::int64_t, std::string>>;

Past past_of(PageService& page) {
  const MachineWatch& machine = page.machine();
  Past out;
  for (const AllocatedNodes& gone : machine.past()) {
    std::string nodes;
    for (const NodeRange& run : gone.nodes) {
      nodes += fmt::format("{}+{}:{} ", run.first, run.count, run.share);
    }
    out.emplace_back(gone.job, gone.start_s, gone.end_s, nodes);
  }
  return out;
}

class PagePast : public testing::Test {
 protected:
  void ask(const std::string& line, std::int64_t now_s) {
    const std::string out = desk.service->answer(line, now_s).text();
    EXPECT_EQ(out.find("error"), out.npos) << out;
    while (!desk.service->work(now_s)) {
    }
    (void)page->machine();
  }
  void restart() {
    page = nullptr;
    desk.restart();
    page = std::make_unique<PageService>(*desk.service, std::span<const PageAsset>());
  }

  ServiceInMemory desk;
  std::unique_ptr<PageService> page =
      std::make_unique<PageService>(*desk.service, std::span<const PageAsset>());
};

TEST_F(PagePast, IsTheSameAfterARestart) {
  ask(R"({"op": "submit", "id": 1, "shape": "slot=2/node", "duration": 100})", 1'000);
  ask(R"({"op": "submit", "id": 2, "shape": "slot=1/core", "duration": 100})", 1'010);
  ask(R"({"op": "submit", "id": 9007199254740991, "shape": "slot=1/core=2", "duration": 50})",
      1'010);
  ask(R"({"op": "end", "id": 1})", 1'050);
  ask(R"({"op": "end", "id": 9007199254740991})", 1'060);
  const Past before = past_of(*page);
  ASSERT_EQ(before.size(), 2U);
  EXPECT_EQ(before[0], Past::value_type(1, 1'000, 1'050, "2+2:256 "));
  restart();
  EXPECT_EQ(past_of(*page), before);
  EXPECT_EQ(page->machine().since_s(), 1'000);
  // What still ran is not in it, until it ends.
  ask(R"({"op": "end", "id": 2})", 1'070);
  EXPECT_EQ(past_of(*page).size(), 3U);
  const Past later = past_of(*page);
  restart();
  EXPECT_EQ(past_of(*page), later);
}

TEST_F(PagePast, HasNoJobThatNeverRan) {
  ask(R"({"op": "submit", "id": 1, "shape": "slot=4/node", "duration": 100})", 1'000);
  ask(R"({"op": "submit", "id": 2, "shape": "slot=4/node", "duration": 100})", 1'000);
  ask(R"({"op": "cancel", "id": 2})", 1'020);
  restart();
  EXPECT_TRUE(past_of(*page).empty());
}

// Nodes have other places when the machine grows: the past is found again by their names.
TEST_F(PagePast, IsFoundAgainWhenNodesHaveOtherPlaces) {
  ask(R"({"op": "submit", "id": 1, "shape": "slot=2/node", "duration": 100})", 1'000);
  ask(R"({"op": "end", "id": 1})", 1'050);
  const Past before = past_of(*page);
  MachineWatch watch(MachineWatch::Limits{});
  watch.update(desk.service->session().engine(), 1);
  const std::vector<MachineWatch::EndedJob> ended{
      {1, 1'000, 1'050, {.nodes = {{"n[0-1]", 256}, {"gone7", 256}}, .draws = {}}},
      {2, 900, 1'060, {.nodes = {{"n3", 64}, {"n2", 64}, {"no[t a list", 3}}, .draws = {{4, 5}}}}};
  watch.restore_past(ended);
  ASSERT_EQ(watch.past().size(), 2U);
  EXPECT_EQ(watch.past()[0].nodes, (std::vector<NodeRange>{{0, 2, 256, 0}}));
  EXPECT_EQ(watch.past()[1].nodes, (std::vector<NodeRange>{{3, 1, 64, 0}, {2, 1, 64, 0}}));
  EXPECT_EQ(watch.past()[1].draws, (std::vector<LayerCharge>{{4, 5}}));
  EXPECT_EQ(watch.since_s(), 900);
}

TEST(JobPlacements, AreWhatTheirTextSays) {
  const auto read = read_placement(
      R"({"nodes": [["node[0-3]", 256], ["<b>\"x", 1]], "layers": [[4294967295, -7]], "later": 1})");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, (JobPlacement{.nodes = {{"node[0-3]", 256}, {"<b>\"x", 1}},
                                 .draws = {{4'294'967'295U, -7}}}));
  EXPECT_EQ(*read_placement("{}"), JobPlacement());
  for (const char* broken :
       {"", "[]", "7", "{", R"({"nodes": 3})", R"({"nodes": ["a"]})", R"({"nodes": [["a"]]})",
        R"({"nodes": [["a", 257]]})", R"({"nodes": [["a", -1]]})", R"({"nodes": [[1, 1]]})",
        R"({"layers": [[4294967296, 1]]})", R"({"layers": [[-1, 1]]})",
        R"({"layers": [[1, 1.5]]})"}) {
    EXPECT_FALSE(read_placement(broken).has_value()) << broken;
  }
}

TEST(JobPlacements, AreKeptWithTheState) {
  JobRowTable table({});
  table.add({.id = 7, .submitted = 5}, 5);
  table.change(7, "end", 9, [](JobRow& row) {
    row.stage = JobStage::ended;
    row.started = 5;
    row.ended = 9;
    row.placement = R"({"nodes": [["n0", 256]]})";
  });
  JobRowTable again({});
  ASSERT_TRUE(again.load(table.saver()()).has_value());
  EXPECT_EQ(*again.find(7), *table.find(7));
}

}  // namespace
}  // namespace copse::server
