// SPDX-License-Identifier: Apache-2.0
//
// Counts that are sets, under every traverser: the largest possible count of the set is chosen.
#include <algorithm>

#include "engine/jobs.hpp"
#include "request/count_text.hpp"
#include "request/shape.hpp"

namespace copse {
namespace {

// The number of pools of the type `at` that a shape gets, by the ends of their paths; -1: no grant.
int granted(Engine& e, const std::string& shape, const std::string& type, JobId job) {
  auto request = parse_shape(shape, "shape");
  EXPECT_TRUE(request) << shape << ": " << request.error().message();
  auto prepared = e.prepare(std::move(*request));
  EXPECT_TRUE(prepared) << shape << ": " << prepared.error().message();
  const auto match = e.match(Operation::allocate, *prepared, job);
  if (!match) return -1;
  int found = 0;
  for (const std::string& path : paths_of(e.graph(), (*match)->selection)) {
    const std::string name = path.substr(path.rfind('/') + 1);
    found += name.starts_with(type) && name.find_first_of("0123456789") == type.size() ? 1 : 0;
  }
  return found;
}

std::vector<EngineOptions> all_options() {
  std::vector<EngineOptions> all;
  for (const Traverser traverser :
       {Traverser::simple, Traverser::flexible, Traverser::loop_aware}) {
    for (const char* policy : {"low", "first", "high"}) {
      EngineOptions options = with_policy(policy);
      options.traverser = traverser;
      all.push_back(std::move(options));
    }
  }
  return all;
}

TEST(CountSets, TakeTheLargestThereIs) {
  for (const EngineOptions& options : all_options()) {
    for (const char* set : {"1,3", "1,3-4", "2,4,9", "2,7-9", "3,5", "5,7"}) {
      for (int nodes_taken = 0; nodes_taken < 4; ++nodes_taken) {
        const auto e = engine(options);
        if (nodes_taken > 0) {
          ASSERT_TRUE(allocate(*e, nodes(nodes_taken), 1));
        }
        const auto wanted = static_cast<int>(parse_count(set)->effective(4 - nodes_taken));
        EXPECT_EQ(granted(*e, "slot=" + std::string(set) + "/node", "node", 2),
                  wanted == 0 ? -1 : wanted)
            << options.policy.name << ' ' << set << " of " << 4 - nodes_taken;
      }
    }
  }
}

// Inside a slot, where a socket has 4 cores.
TEST(CountSets, InSlots) {
  for (const EngineOptions& options : all_options()) {
    for (const char* set : {"1,3", "2,4", "1,3,9", "2,5-7", "4,6", "6,8"}) {
      const auto e = engine(options);
      const auto wanted = static_cast<int>(parse_count(set)->effective(4));
      EXPECT_EQ(granted(*e, "socket/slot/core=" + std::string(set), "core", 1),
                wanted == 0 ? -1 : wanted)
          << options.policy.name << ' ' << set;
    }
  }
}

TEST(CountSets, AreShownInExplanations) {
  const auto e = engine();
  auto prepared = e->prepare(*parse_shape("slot=5,7-9/node"));
  ASSERT_TRUE(prepared);
  const auto explanation = e->explain(*prepared);
  ASSERT_TRUE(explanation) << explanation.error().message();
  ASSERT_FALSE(explanation->findings.empty());
  EXPECT_NE(explanation->findings.front().path.find("slot[5,7-9]"), std::string::npos)
      << explanation->findings.front().path;
}

}  // namespace
}  // namespace copse
