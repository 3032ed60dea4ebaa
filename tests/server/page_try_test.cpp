// SPDX-License-Identifier: Apache-2.0
//
// /v1/page/try predicts what the queue promises after a submission, for random queues.
#include <gtest/gtest.h>

#include <random>

#include <fmt/format.h>

#include "server/http_response.hpp"
#include "server/http_service.hpp"

namespace copse::server {
namespace {

TEST(PageTry, IsWhatTheQueuePromises) {
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const auto start_in = [](const HttpResponse& response) {
    const std::size_t at = response.body.find("\"start\": ");
    if (at == std::string::npos) return response.body;
    return response.body.substr(at, response.body.find_first_of(",}", at) - at);
  };
  for (int round = 0; round < 200; ++round) {
    HttpService made;
    std::string history;
    const auto ask = [&](std::string_view target, const std::string& body) {
      history += fmt::format("{} {}\n", target, body);
      HttpResponse out = made.ask("POST", target, body);
      while (!made.service->work(made.now_s)) {
      }
      return out;
    };
    const auto request = [&] {
      const char* shape = below(3) == 0 ? "slot={}/core=2" : "slot={}/node{{x}}";
      return fmt::format(R"({{"shape": "{}", "duration": {}}})",
                         fmt::format(fmt::runtime(shape), 1 + below(4)), 10 * (1 + below(30)));
    };
    for (int step = 0; step < 8; ++step) {
      if (below(4) == 0) {
        (void)ask("/v1/reservations",
                  fmt::format(R"({{"name": "r{}", "nodes": {}, "start": {}, "duration": {}{}}})",
                              step, 1 + below(4), made.now_s + below(400), 10 * (1 + below(20)),
                              below(3) == 0 ? R"(, "repeat": "daily")" : ""));
      } else {
        (void)ask("/v1/jobs", request());
      }
      if (below(4) == 0) made.now_s += below(30);
    }
    const std::string asked = request();
    const HttpResponse tried = ask("/v1/page/try", asked);
    const HttpResponse submitted = ask("/v1/jobs", asked);
    ASSERT_EQ(submitted.status, 200U) << submitted.body;
    const std::string id = submitted.body.substr(7, submitted.body.find('}') - 7);
    const HttpResponse job = made.ask("GET", "/v1/jobs/" + id);
    const bool runs = has(job, R"("state": "running")");
    const HttpResponse when = made.ask("GET", "/v1/jobs/" + id + "/when");
    const std::string expected = runs ? fmt::format("\"start\": {}", made.now_s) : start_in(when);
    EXPECT_EQ(start_in(tried), expected) << history << tried.body << when.body;
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace copse::server
