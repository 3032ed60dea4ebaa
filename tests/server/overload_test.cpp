// SPDX-License-Identifier: Apache-2.0
//
// A server whose clients ask for much and read nothing: it keeps a bounded amount for them, and serves
// the others. Clients that are slow or send garbage are in server_test.cpp and http_test.cpp.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "http_socket.hpp"
#include "line_socket.hpp"
#include "server_desk.hpp"

namespace copse::server {
namespace {

constexpr int kBatches = 20, kJobsOfBatch = 500;

class Overload : public ServerDesk {
 protected:
  // A figure of the service; -1: it does not answer.
  std::int64_t figure(const std::string& name) {
    const std::string text = HttpSocket(path()).ask("GET", "/v1/metrics").body;
    const std::size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::atoll(&text[at + name.size() + 2]);
  }
  template <class Is>
  bool becomes(const std::string& name, Is is) {
    return eventually([&] { return is(figure(name)); });
  }
  // Jobs that come and go: two events each.
  void change_much() {
    std::string lines;
    for (int i = 0; i < kJobsOfBatch; ++i) {
      lines += R"({"op": "submit", "id": 7, "held": true, "name": ")" + std::string(200, 'x') +
               "\", \"shape\": \"slot=1/core\"}\n" + "{\"op\": \"cancel\", \"id\": 7}\n";
    }
    HttpSocket good(path());
    for (int i = 0; i < kBatches; ++i) {
      const HttpAnswer got = good.ask("POST", "/v1/batch", lines);
      ASSERT_EQ(got.status, 200);
      ASSERT_EQ(got.body.find("error"), std::string::npos) << got.body.substr(0, 500);
    }
  }
};

TEST_F(Overload, WhoeverKeepsTheMostIsLetGo) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  start({.buffered_bytes_max = kMost});
  std::string many;
  for (int i = 0; i < 2'000; ++i) many += "{\"op\": \"status\"}\n";
  std::vector<std::unique_ptr<LineSocket>> deaf;
  LineSocket good(path());
  for (int i = 0; i < 8; ++i) {
    deaf.push_back(std::make_unique<LineSocket>(path()));
    (void)deaf.back()->send(many);
    EXPECT_TRUE(good.ask(R"({"op": "info"})").starts_with("{\"grants\"")) << i;
  }
  EXPECT_TRUE(becomes("copse_clients_disconnected_total", [](std::int64_t n) { return n > 0; }));
  EXPECT_LE(figure("copse_client_buffer_bytes"), static_cast<std::int64_t>(kMost));
  EXPECT_TRUE(good.ask(alloc(1)).starts_with("{\"id\": 1"));
  deaf.clear();
  EXPECT_TRUE(becomes("copse_client_buffer_bytes", [](std::int64_t n) { return n == 0; }));
}

TEST_F(Overload, LinesWithoutAnEndAreBoundedInAll) {
  start({.buffered_bytes_max = std::size_t{2} << 20});
  std::vector<std::unique_ptr<LineSocket>> endless;
  LineSocket good(path());
  for (int i = 0; i < 8; ++i) {
    endless.push_back(std::make_unique<LineSocket>(path()));
    (void)endless.back()->send(std::string(1'000'000, ' '));
  }
  EXPECT_TRUE(becomes("copse_clients_disconnected_total", [](std::int64_t n) { return n > 0; }));
  EXPECT_TRUE(good.ask(alloc(1)).starts_with("{\"id\": 1"));
}

TEST_F(Overload, AWatcherThatReadsLateIsToldWhatItHasMissed) {
  start({}, {.ended = 0, .events = {.events = 1'000}});
  LineSocket deaf(path());
  EXPECT_TRUE(deaf.ask(R"({"op": "watch"})").starts_with("{\"next\": 0"));
  change_much();
  std::size_t next = 0;
  std::string line = deaf.line();
  for (; line.starts_with(fmt::format("{{\"seq\": {}, ", next)); line = deaf.line()) ++next;
  EXPECT_TRUE(line.starts_with(fmt::format("{{\"event\": \"gone\", \"wanted\": {}, ", next)))
      << line;
  EXPECT_GT(next, 0U);
  EXPECT_LT(next, 2U * kBatches * kJobsOfBatch);
  EXPECT_NE(deaf.ask(R"({"op": "queue"})"), "");
}

TEST_F(Overload, AStreamThatIsNeverReadIsLetGo) {
  start({.http = {.answer = std::chrono::milliseconds(300)}}, {.ended = 0});
  HttpSocket deaf(path());
  ASSERT_TRUE(deaf.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_NE(deaf.until("200 OK"), "");
  EXPECT_EQ(figure("copse_event_streams"), 1);
  change_much();
  EXPECT_TRUE(becomes("copse_event_streams", [](std::int64_t n) { return n == 0; }));
  EXPECT_TRUE(LineSocket(path()).ask(alloc(1)).starts_with("{\"id\": 1"));
}

}  // namespace
}  // namespace copse::server
