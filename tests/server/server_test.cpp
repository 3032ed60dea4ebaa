// SPDX-License-Identifier: Apache-2.0
//
// A server on a real socket, with a real disk, and clients that behave badly.
#include <sys/stat.h>

#include <atomic>
#include <thread>
#include <vector>

#include "http_socket.hpp"
#include "line_socket.hpp"
#include "server_desk.hpp"

namespace copse::server {
namespace {

class ServerTest : public ServerDesk {};

TEST_F(ServerTest, GoesOnAfterItsEnd) {
  start();
  EXPECT_TRUE(LineSocket(path()).ask(alloc(1)).starts_with(R"({"id": 1, "at": 100)"));
  EXPECT_EQ(LineSocket(path()).ask(R"({"op": "free", "id": 2})").find(R"({"error": "invalid")"),
            0U);
  stop();
  EXPECT_FALSE(LineSocket(path()).connected());
  now_s_ = 200;
  start();
  EXPECT_EQ(LineSocket(path()).ask(R"({"op": "info"})"),
            R"({"grants": [{"id": 1, "at": 100, "duration": 0, "ranks": "0"}]})");
}

TEST_F(ServerTest, EventsOfBeforeAreThereAfterARestart) {
  start();
  for (int id = 1; id <= 3; ++id) EXPECT_NE(LineSocket(path()).ask(alloc(id)), "");
  const std::string all = HttpSocket(path()).ask("GET", "/v1/changes?since=0").body;
  EXPECT_NE(all.find(R"({"effect": "granted", "job": 3,)"), std::string::npos) << all;
  stop();
  start();
  EXPECT_EQ(HttpSocket(path()).ask("GET", "/v1/changes?since=0").body, all);
  HttpSocket stream(path());
  ASSERT_TRUE(
      stream.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 1\r\n\r\n"));
  const std::string head = stream.until("id: 2\n");
  EXPECT_NE(head, "");
  EXPECT_EQ(head.find("id: 1\n"), std::string::npos);
  EXPECT_NE(stream.until(R"("effect": "granted", "job": 3,)"), "");
  stop();
  start();
  for (int id = 4; id <= 5; ++id) EXPECT_NE(LineSocket(path()).ask(alloc(id)), "");
  stop();
  start();
  // The state before the last one is of the first end: what was before that is gone.
  const HttpAnswer got = HttpSocket(path()).ask("GET", "/v1/events?since=0");
  EXPECT_EQ(got.status, 410) << got.body;
}

TEST_F(ServerTest, ItsSocketIsItsOwners) {
  start();
  struct stat file{};
  ASSERT_EQ(::stat(path().c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600U);
}

TEST_F(ServerTest, NobodyGetsWhatAnotherHas) {
  start();
  std::atomic<int> granted = 0;
  {
    std::vector<std::jthread> clients;
    for (int client = 0; client < 8; ++client) {
      clients.emplace_back([&, client] {
        LineSocket socket(path());
        for (int i = 0; i < 20; ++i) {
          const std::string answer = socket.ask(alloc(1 + client * 100 + i));
          EXPECT_NE(answer, "");
          granted += answer.starts_with("{\"id\"") ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(granted, 16);  // as many cores as there are
  stop();
  start();
  const std::string info = LineSocket(path()).ask(R"({"op": "info"})");
  int grants = 0;
  for (std::size_t at = 0; (at = info.find("\"id\"", at)) != std::string::npos; ++at) ++grants;
  EXPECT_EQ(grants, 16);
}

TEST_F(ServerTest, BadClientsHarmNobody) {
  start();
  LineSocket good(path());
  std::vector<std::unique_ptr<LineSocket>> idle;
  for (int i = 0; i < 200; ++i) idle.push_back(std::make_unique<LineSocket>(path()));
  LineSocket half(path()), deaf(path()), garbage(path());
  EXPECT_TRUE(half.send("{\"op\": \"al"));
  std::jthread flood([&] {
    for (int i = 0; i < 20'000 && deaf.send("{\"op\": \"status\"}\n"); ++i) {
    }
  });
  EXPECT_TRUE(garbage.send(std::string(300'000, '\0') + "\n"));
  EXPECT_TRUE(garbage.line().starts_with("{\"error\""));
  for (int i = 1; i <= 16; ++i) EXPECT_TRUE(good.ask(alloc(i)).starts_with("{\"id\"")) << i;
  stop();
}

TEST_F(ServerTest, MoreClientsThanItMayHaveAreToldSo) {
  start({.clients_max = 2});
  LineSocket first(path()), second(path());
  EXPECT_NE(first.ask(R"({"op": "info"})"), "");
  EXPECT_NE(second.ask(R"({"op": "info"})"), "");
  LineSocket third(path());
  EXPECT_EQ(third.line(),
            R"({"error": "invalid", "message": "the limit of 2 clients is reached: try again )"
            R"(later"})");
}

TEST_F(ServerTest, OnlyOneListens) {
  start();
  const journal::TemporaryFolder other;
  auto store = journal::SqliteStore::open(other.path().string());
  Service::Options fresh;
  fresh.make_session = [](SessionEnvironment environment) {
    return session_of_r(kPlainMachine, 0, {}, std::move(environment));
  };
  auto service = Service::recover(**store, std::move(fresh));
  Server second(**service, std::move(*store),
                {.clock = [] { return std::int64_t{0}; }, .log = [](const std::string&) {}});
  const auto listening = second.listen_unix(path());
  ASSERT_FALSE(listening.has_value());
  EXPECT_EQ(listening.error().code, ErrorCode::exists);
}

}  // namespace
}  // namespace copse::server
