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

}  // namespace
}  // namespace copse::server
