// SPDX-License-Identifier: Apache-2.0
//
// Figures of the machine and its jobs: what they add up to, and who sees them.
#include <gtest/gtest.h>

#include <charconv>
#include <string>

#include "http_service.hpp"

namespace copse::server {
namespace {

class Metrics : public testing::Test {
 protected:
  std::string text(const Caller& caller = kOwner) {
    return made.ask("GET", "/metrics", {}, caller).body;
  }
  // A sample; -1: there is none.
  std::int64_t figure(const std::string& name) {
    const std::string all = text();
    const std::size_t at = all.find("\n" + name + " ");
    if (at == std::string::npos) return -1;
    std::int64_t out = -1;
    const std::size_t number = at + name.size() + 2;
    (void)std::from_chars(&all[number], all.data() + all.size(), out);
    return out;
  }
  // The sum of the samples of a metric with this label.
  std::int64_t sum(const std::string& metric, const std::string& label = "") {
    const std::string all = text();
    std::int64_t out = 0;
    for (std::size_t at = all.find("\n" + metric + "{"); at != std::string::npos;
         at = all.find("\n" + metric + "{", at + 1)) {
      const std::string line = all.substr(at + 1, all.find('\n', at + 1) - at - 1);
      if (line.find(label) == std::string::npos) continue;
      std::int64_t one = 0;
      const std::size_t number = line.rfind(' ') + 1;
      (void)std::from_chars(&line[number], line.data() + line.size(), one);
      out += one;
    }
    return out;
  }
  void ask(const std::string& line) {
    const std::string answer = made.service->answer(line, made.now_s).text();
    EXPECT_EQ(answer.find("error"), std::string::npos) << line << answer;
    while (!made.service->work(made.now_s)) {
    }
  }
  HttpService made;
};

// The machine has 4 nodes.
TEST_F(Metrics, CountEachNodeOnce) {
  const auto nodes = [&](const std::string& state) {
    return figure("copse_nodes{state=\"" + state + "\"}");
  };
  EXPECT_EQ(nodes("free"), 4);
  ask(R"({"op": "submit", "id": 1, "shape": "slot=1/core", "constraints": {"hostlist": ["n3"]}})");
  ask(R"({"op": "submit", "id": 2, "shape": "slot=1/node{x}", )"
      R"("constraints": {"hostlist": ["n2"]}})");
  EXPECT_EQ(nodes("mixed"), 1);
  EXPECT_EQ(nodes("allocated"), 1);
  EXPECT_EQ(nodes("free"), 2);
  ask(R"({"op": "drain", "nodes": "n[1-3]"})");
  EXPECT_EQ(nodes("draining"), 2);
  EXPECT_EQ(nodes("drained"), 1);
  EXPECT_EQ(nodes("down"), 0);
  EXPECT_EQ(sum("copse_nodes"), 4);
  ask(R"({"op": "down", "ranks": "0-1"})");
  EXPECT_EQ(nodes("down"), 2);
  EXPECT_EQ(nodes("drained"), 0);
  EXPECT_EQ(sum("copse_nodes"), 4);
  const std::int64_t cores = sum("copse_units", "type=\"core\"");
  ask(R"({"op": "up", "ranks": "0-1"})");
  EXPECT_EQ(nodes("drained"), 1);
  ask(R"({"op": "undrain", "nodes": "n[1-3]"})");
  EXPECT_EQ(sum("copse_units", "type=\"core\""), cores);
  EXPECT_GT(cores, 0);
}

TEST_F(Metrics, DrainedNodesAreNotDown) {
  ask(R"({"op": "drain", "nodes": "n1", "reason": "fan"})");
  const auto answer = [&](const std::string& line) {
    return made.service->answer(line, made.now_s).text();
  };
  const std::string status = answer(R"({"op": "status"})");
  EXPECT_NE(status.find(R"("down": {"nodes": 0, )"), std::string::npos) << status;
  EXPECT_NE(status.find(R"("drained": {"nodes": 1, "nodelist": "n1")"), std::string::npos)
      << status;
  ask(R"({"op": "down", "ranks": "1"})");
  const std::string both = answer(R"({"op": "status"})");
  EXPECT_NE(both.find(R"("down": {"nodes": 1, )"), std::string::npos) << both;
  EXPECT_EQ(both.find("drained"), std::string::npos) << both;
}

TEST_F(Metrics, CountJobs) {
  ask(R"({"op": "submit", "id": 1, "user": "ada", "shape": "slot=4/node{x}", "duration": 50})");
  ask(R"({"op": "submit", "id": 2, "user": "ada", "shape": "slot=4/node{x}", "duration": 50})");
  ask(R"({"op": "submit", "id": 3, "user": "bo", "shape": "slot=4/node{x}", "duration": 50})");
  ask(R"({"op": "submit", "id": 4, "user": "b\"o", "held": true, "shape": "slot=1/core"})");
  EXPECT_EQ(figure(R"(copse_jobs{queue="",state="running"})"), 1);
  EXPECT_EQ(figure(R"(copse_jobs{queue="",state="planned"})"), 1);
  EXPECT_EQ(figure(R"(copse_jobs{queue="",state="pending"})"), 1);
  EXPECT_EQ(figure(R"(copse_jobs{queue="",state="held"})"), 1);
  EXPECT_EQ(figure(R"(copse_waiting_jobs{queue=""})"), 2);
  EXPECT_EQ(figure(R"(copse_user_jobs{user="ada",state="running"})"), 1);
  EXPECT_EQ(figure(R"(copse_user_jobs{user="b\"o",state="held"})"), 1);
  EXPECT_EQ(sum("copse_jobs"), 4);
  EXPECT_EQ(sum("copse_user_jobs"), 4);
  EXPECT_EQ(sum("copse_jobs_units", "type=\"core\""),
            sum("copse_units", "type=\"core\",state=\"allocated\""));
  EXPECT_GT(sum("copse_jobs_units"), 0);
  made.now_s += 20;
  EXPECT_EQ(figure(R"(copse_oldest_wait_seconds{queue=""})"), 20);
  ask(R"({"op": "end", "id": 1})");
  EXPECT_EQ(figure("copse_job_wait_seconds_count"), 2);
  EXPECT_EQ(figure("copse_job_wait_seconds_sum"), 20);
}

TEST_F(Metrics, CountLayers) {
  EXPECT_EQ(figure("copse_layer_total"), -1);
  ask(R"({"op": "add-layer", "resource": "lic", "nodes": "n[0-3]", "count": 10})");
  ask(R"({"op": "submit", "shape": "slot=1/core", "duration": 9, "hres": "lic:4"})");
  EXPECT_EQ(figure(R"(copse_layer_total{resource="lic",nodes="n[0-3]"})"), 10);
  EXPECT_EQ(figure(R"(copse_layer_used{resource="lic",nodes="n[0-3]"})"), 4);
}

TEST(PrivateMetrics, NameNoUsers) {
  LiveJobs::Setup setup;
  setup.private_jobs = true;
  HttpService made(std::move(setup));
  (void)made.service->answer(
      R"({"op": "submit", "user": "ada", "shape": "slot=1/core", "duration": 50})", made.now_s);
  const auto seen_by = [&](Role role) {
    return made.ask("GET", "/v1/metrics", {}, {role, "bo"}).body.find("ada") != std::string::npos;
  };
  EXPECT_TRUE(seen_by(Role::operate));
  EXPECT_FALSE(seen_by(Role::user));
  EXPECT_FALSE(seen_by(Role::guest));
}

}  // namespace
}  // namespace copse::server
