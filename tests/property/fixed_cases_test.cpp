// SPDX-License-Identifier: Apache-2.0
//
// Cases by hand that random ones seldom contain: each is compared with the oracle, with all
// invariants, under every bundled policy.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <vector>

#include "property/shrink.hpp"

namespace copse::property {
namespace {

class Tree {
 public:
  Case made;

  Number add(Number parent, const std::string& type, std::int64_t id, std::int64_t size = 1) {
    MachinePool pool;
    pool.type = pool.basename = type;
    pool.id = id;
    pool.size = size;
    if (type == "node") pool.rank = ranks_++;
    made.machine.pools.push_back(pool);
    const auto number = static_cast<Number>(made.machine.pools.size() - 1);
    if (number != 0) made.machine.edges.emplace_back(parent, number);
    return number;
  }

  // One `allocate` for each resources section, in order.
  void allocate(const std::vector<std::string>& sections) {
    for (const std::string& resources : sections) {
      auto request = parse_jobspec(fmt::format(
          R"({{"version": 9999, "resources": {}, "tasks": [], "attributes": {{"system": {{"duration": 60}}}}}})",
          resources));
      ASSERT_TRUE(request) << request.error().message();
      Event event;
      event.request = static_cast<std::uint32_t>(made.requests.size());
      event.job = event.request + 1;
      made.requests.push_back(*request);
      made.events.push_back(event);
    }
    for (const Policy& policy : bundled_policies()) {
      const std::string failure = check(made, {.policy = policy.name});
      EXPECT_TRUE(failure.empty()) << failure;
    }
  }

 private:
  std::int32_t ranks_ = 0;
};

std::string slot(const std::string& with) {
  return R"({"type": "slot", "count": 1, "label": "x", "with": [)" + with + "]}";
}
const std::string kCore = R"({"type": "core", "count": 1})";
const std::string kGpu = R"({"type": "gpu", "count": 1})";

// `exclusive: true` allocates every pool of that type completely, also one on the path to a slot.
TEST(FixedCases, APoolOnTheWayIsNotTakenWholeWhileOthersUseIt) {
  Tree t;
  const Number cluster = t.add(0, "cluster", 0), node0 = t.add(cluster, "node", 0);
  t.add(node0, "core", 0);
  const Number rack = t.add(cluster, "rack", 0), node1 = t.add(rack, "node", 1);
  for (const char* type : {"core", "gpu"}) t.add(node1, type, 0);
  t.allocate({"[{\"type\": \"rack\", \"count\": 1, \"with\": [" + slot(kCore) + "]}]",
              R"([{"type": "node", "count": 1, "exclusive": true, "with": [)" + kCore +
                  R"(]}, {"type": "rack", "count": 1, "with": [)" + slot(kGpu) + "]}]"});
}

TEST(FixedCases, APoolAboveOneOfItsOwnTypeIsNotTakenWholeWhileOthersUseIt) {
  Tree t;
  const Number cluster = t.add(0, "cluster", 0), zone = t.add(cluster, "zone", 0);
  for (std::int64_t id : {0, 1}) t.add(t.add(zone, "zone", id), "core", 0);
  t.allocate(
      {"[" + slot(kCore) + "]",
       R"([{"type": "zone", "count": 1, "with": [{"type": "zone", "count": 1, "exclusive": true}]}])"});
}

// Many sockets below few nodes: the scores of the sockets include the node's term.
TEST(FixedCases, PoolsOfManyParentsScoreAsInTheirNodes) {
  Tree t;
  const Number cluster = t.add(0, "cluster", 0);
  for (std::int64_t node = 0; node < 40; ++node) {
    const Number n = t.add(cluster, "node", node);
    for (std::int64_t id : {-4, -3}) t.add(t.add(n, "socket", id), "core", 0);
  }
  t.allocate({R"([{"type": "socket", "count": 3, "exclusive": true, "with": [)" + kCore + "]}]",
              R"([{"type": "socket", "count": 70, "exclusive": true, "with": [)" + kCore + "]}]"});
}

// Under `locality`, slots with scores in one run keep the order in which they were formed.
TEST(FixedCases, SlotsOfOneRunKeepTheirOrder) {
  Tree t;
  const Number node = t.add(t.add(0, "cluster", 0), "node", 1);
  t.add(node, "memory", 2, 1);
  t.add(node, "memory", 0, 4);
  for (std::int64_t id : {1, 0}) t.add(node, "core", id);
  t.add(node, "memory", 3, 3);
  t.add(node, "memory", 1, 3);
  t.allocate({"[" + slot(R"({"type": "memory", "count": 2}, )" + kCore) + "]"});
}

TEST(FixedCases, ACountOfNothingIsRefused) {
  Tree t;
  t.add(t.add(t.add(0, "cluster", 0), "node", 0), "core", 0);
  t.allocate({R"([{"type": "slot", "count": 0, "label": "x", "with": [)" + kCore + "]}]",
              R"([{"type": "core", "count": 0}])",
              "[" + slot(R"({"type": "core", "count": 0})") + "]"});
}

}  // namespace
}  // namespace copse::property
