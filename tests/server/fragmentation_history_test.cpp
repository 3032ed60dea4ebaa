// SPDX-License-Identifier: Apache-2.0
//
// The fragmentation that a service keeps: racks with nodes 0 and 1, and 2 and 3.
#include "server/figures/fragmentation_history.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "engine/jobs.hpp"
#include "graph/small_graph.hpp"

namespace copse::server {
namespace {

using Steps = std::vector<std::pair<std::int64_t, double>>;

ResourceGraph racks() {
  GraphText text;
  const auto root = text.pool({"cluster", 0});
  text.root("containment", root);
  GraphBuilder::Handle rack{};
  for (std::int64_t n = 0; n < 4; ++n) {
    if (n % 2 == 0) rack = text.child(root, {"rack", n / 2});
    text.child(text.child(rack, {"node", n}), {"core", 0});
  }
  return text.build();
}

class Fragmented : public testing::Test {
 protected:
  void look(std::int64_t now_s) {
    watch.update(*engine, ++records);
    history.note(watch, engine->graph(), now_s);
  }
  void set(int node, Status status) {
    engine->set_status(
        at(engine->graph(), node < 2 ? "/cluster0/rack0/node" + std::to_string(node)
                                     : "/cluster0/rack1/node" + std::to_string(node)),
        status);
  }
  Steps steps() {
    Steps out;
    for (const auto& step : history.steps()) out.emplace_back(step.time_s, step.share);
    return out;
  }

  std::unique_ptr<Engine> engine = copse::engine(with_policy("low"), racks());
  MachineWatch watch{MachineWatch::Limits{}};
  FragmentationHistory history;
  journal::Sequence records = 0;
};

TEST_F(Fragmented, AStepIsAChangeThatALookFinds) {
  look(100);
  EXPECT_EQ(history.level(), "rack");
  EXPECT_EQ(steps(), (Steps{{100, 0.5}}));
  set(0, Status::down);
  look(129);  // the next look is not due
  look(130);  // two nodes in one rack, one in the other
  look(160);  // nothing has changed
  EXPECT_EQ(steps(), (Steps{{100, 0.5}, {130, 1 - 2.0 / 3}}));
  set(1, Status::down);
  look(190);
  ASSERT_TRUE(allocate(*engine, nodes(2)));
  look(220);  // no node is free
  look(200);  // the clock went back
  set(0, Status::up);
  set(1, Status::up);
  look(250);
  EXPECT_EQ(steps(), (Steps{{100, 0.5}, {130, 1 - 2.0 / 3}, {190, 0}}));
}

TEST_F(Fragmented, AtMostSomeStepsAreKept) {
  const auto most = static_cast<std::int64_t>(FragmentationHistory::kStepsMax);
  for (std::int64_t n = 0; n < most + 10; ++n) {
    set(0, n % 2 == 0 ? Status::up : Status::down);
    look(n * FragmentationHistory::kEveryS);
  }
  EXPECT_EQ(std::ssize(history.steps()), most);
  EXPECT_EQ(history.steps().front().time_s, 10 * FragmentationHistory::kEveryS);
}

}  // namespace
}  // namespace copse::server
