// SPDX-License-Identifier: Apache-2.0
//
// Nodes that come and go in a service: its jobs, its queue, and what is there after a restart.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "job_desk.hpp"
#include "session/machines.hpp"

namespace copse::server {
namespace {

class ServedSize : public JobDesk {
 protected:
  std::string attach(const std::string& name, int rank) {
    return ask(fmt::format(R"({{"op": "attach", "jgf": {}}})", node_as_jgf(name, rank)));
  }
};

TEST_F(ServedSize, WaitingJobsStartOnNewNodes) {
  EXPECT_EQ(submit(1, "slot=4/node{x}", 100), R"({"id": 1})");
  EXPECT_EQ(submit(2, "slot=1/node{x}", 100), R"({"id": 2})");
  EXPECT_EQ(state(2), "planned");
  EXPECT_EQ(attach("n4", 4), "{}");
  EXPECT_EQ(state(2), "running");
  EXPECT_NE(of("job", 2).find(R"("nodelist": ["n4"])"), std::string::npos) << of("job", 2);
  restart();
  EXPECT_EQ(state(2), "running");
  EXPECT_NE(of("job", 2).find(R"("nodelist": ["n4"])"), std::string::npos);
  EXPECT_EQ(ask(R"({"op": "end", "id": 2})"), "{}");
  EXPECT_EQ(submit(3, "slot=1/node{x}", 100), R"({"id": 3})");
  EXPECT_NE(of("job", 3).find(R"("nodelist": ["n4"])"), std::string::npos);
}

TEST_F(ServedSize, JobsLoseWhatGoes) {
  EXPECT_EQ(submit(1, "slot=3/node{x}", 100), R"({"id": 1})");  // n[1-3]
  EXPECT_EQ(submit(2, "slot=1/node{x}", 100), R"({"id": 2})");
  EXPECT_EQ(submit(3, "slot=4/node{x}", 100), R"({"id": 3})");
  EXPECT_EQ(ask(R"({"op": "remove", "nodes": "n[0,2]"})"), R"({"jobs": [1, 2]})");
  EXPECT_EQ(state(1), "running");
  EXPECT_EQ(state(2), "ended");
  EXPECT_NE(of("job", 2).find(R"("result": "lost")"), std::string::npos) << of("job", 2);
  EXPECT_NE(of("job", 2).find("all of its nodes were removed"), std::string::npos);
  EXPECT_EQ(state(3), "ended");  // it can never run now
  restart();
  EXPECT_EQ(state(1), "running");
  EXPECT_NE(of("job", 1).find(R"("nodelist": ["n[1,3]"])"), std::string::npos) << of("job", 1);
  EXPECT_EQ(state(2), "ended");
  EXPECT_EQ(ask(R"({"op": "end", "id": 1})"), "{}");
  EXPECT_EQ(submit(4, "slot=2/node{x}", 100), R"({"id": 4})");
  EXPECT_EQ(state(4), "running");
}

// Jobs and grants made by hand lose alike; what the latter counted for is free again.
TEST_F(ServedSize, GrantsByHandLoseWhatGoes) {
  EXPECT_EQ(submit(1, "slot=1/node{x}", 100), R"({"id": 1})");
  const auto alloc = [this](int id, int nodes) {
    return ask(fmt::format(
        R"({{"op": "alloc", "id": {}, "shape": "slot={}/node{{x}}", "duration": 50}})", id, nodes));
  };
  EXPECT_NE(alloc(7, 2).find("\"R\""), std::string::npos);
  EXPECT_NE(alloc(8, 1).find("\"R\""), std::string::npos);
  const std::string lost = ask(R"({"op": "remove", "ranks": "0-3"})");
  EXPECT_EQ(lost, R"({"jobs": [1, 7, 8]})");
  EXPECT_EQ(ask(R"({"op": "info"})"), R"({"grants": []})");
  EXPECT_EQ(attach("n4", 4), "{}");
  EXPECT_NE(alloc(8, 1).find("\"R\""), std::string::npos);
  EXPECT_EQ(ask(R"({"op": "free", "id": 8})"), "{}");
  restart();
  EXPECT_EQ(submit(9, "slot=1/node{x}", 100), R"({"id": 9})");
  EXPECT_EQ(state(9), "running");
}

}  // namespace
}  // namespace copse::server
