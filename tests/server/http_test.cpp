// SPDX-License-Identifier: Apache-2.0
//
// HTTP on real sockets, TCP and Unix, with clients that behave badly.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "http_socket.hpp"
#include "journal/sqlite_store.hpp"
#include "journal/temporary_folder.hpp"
#include "line_socket.hpp"
#include "server/rights/tokens.hpp"
#include "server/server.hpp"
#include "server/user_grants.hpp"
#include "session/machines.hpp"

namespace copse::server {
namespace {

class HttpTest : public testing::Test {
 protected:
  void start(Server::Options options = {}) {
    for (const Role role : {Role::guest, Role::user, Role::operate, Role::owner}) {
      tokens_.push_back(*known_.add(word(role), role, 1));
    }
    auto store = journal::SqliteStore::open(folder_.path().string());
    Service::Options start;
    start.jobs.grants = wide_grant_bounds();
    start.make_session = [this](SessionEnvironment environment) {
      return session_of_r(machine_, 0, {}, std::move(environment));
    };
    service_ = std::move(*Service::recover(**store, std::move(start)));
    options.clock = [] { return std::int64_t{100}; };
    options.log = [this](const std::string& line) {
      const std::scoped_lock lock(mutex_);
      log_ += line + '\n';
    };
    options.audit = [this](const Audit& audit) {
      const std::scoped_lock lock(mutex_);
      log_ += fmt::format("{} {} {} {}\n", audit.caller.name, audit.op, audit.caller.request_id,
                          audit.result);
    };
    options.authenticate_token = [this](std::string_view token) {
      return known_.authenticate(token);
    };
    server_ = std::make_unique<Server>(*service_, std::move(*store), std::move(options));
    auto listening = server_->listen_tcp("127.0.0.1:0");
    ASSERT_TRUE(listening.has_value()) << listening.error().message();
    where_ = *listening;
    ASSERT_TRUE(server_->listen_unix(path()).has_value());
    thread_.emplace([this] { EXPECT_EQ(server_->run(), 0); });
  }
  void TearDown() override {
    if (!thread_) return;
    server_->stop();
    thread_->join();
  }
  [[nodiscard]] std::string path() const { return (folder_.path() / "socket").string(); }
  [[nodiscard]] const std::string& user() const { return tokens_[1]; }
  [[nodiscard]] const std::string& owner() const { return tokens_[3]; }
  std::string log() {
    const std::scoped_lock lock(mutex_);
    return log_;
  }

  static constexpr std::string_view kOneCore = R"({"shape": "slot=1/core", "duration": 0})";

  std::string machine_{kPlainMachine};
  journal::TemporaryFolder folder_;
  Tokens known_;
  std::vector<std::string> tokens_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Server> server_;
  std::optional<std::thread> thread_;
  std::string where_;
  std::mutex mutex_;
  std::string log_;
};

TEST_F(HttpTest, NothingWithoutAToken) {
  start();
  HttpSocket client(where_);
  for (const HttpRoute& route : Routes::table()) {
    if (route.permission == Permission::liveness) continue;
    std::string target(route.path);
    if (const std::size_t at = target.find('{'); at != std::string::npos) {
      target.replace(at, target.find('}') + 1 - at, "7");
    }
    const HttpAnswer got = client.ask(route.method, target);
    EXPECT_EQ(got.status, 401) << route.method << ' ' << target;
    EXPECT_NE(got.head.find("WWW-Authenticate: Bearer"), std::string::npos);
  }
  EXPECT_EQ(client.ask("GET", "/v1/healthz").status, 200);
  EXPECT_EQ(client.ask("GET", "/v1/machine", {}, "copse_" + std::string(64, '0')).status, 401);
  EXPECT_EQ(client.ask("GET", "/v1/machine", {}, tokens_[0]).status, 200);
}

TEST_F(HttpTest, TakesAndGivesBackWithAToken) {
  start();
  HttpSocket client(where_);
  HttpAnswer got = client.ask("PUT", "/v1/grants/7", kOneCore, user());
  EXPECT_EQ(got.status, 201) << got.body;
  EXPECT_TRUE(got.body.starts_with(R"({"id": 7, "at": 100, "R": )"));
  EXPECT_NE(got.head.find("X-Request-Id: r1\r\n"), std::string::npos) << got.head;
  EXPECT_EQ(client.ask("DELETE", "/v1/grants/7", {}, user()).status, 200);
  EXPECT_EQ(client.ask("PATCH", "/v1/nodes/n0", R"({"status": "down"})", user()).status, 403);
  EXPECT_EQ(client.ask("PATCH", "/v1/nodes/n0", R"({"status": "down"})", owner()).status, 200);
  const std::string told = log();
  EXPECT_EQ(told.find("copse_"), std::string::npos);
  EXPECT_NE(told.find("user alloc r1 done\nuser free r2 done\n"), std::string::npos) << told;
  EXPECT_NE(told.find("owner down r4 done\n"), std::string::npos) << told;
}

TEST_F(HttpTest, ThePageIsSentAsItIsAskedFor) {
  start();
  HttpSocket client(where_);
  ASSERT_TRUE(
      client.send("GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: br, gzip\r\n\r\n"));
  const HttpAnswer small = client.answer();
  EXPECT_EQ(small.status, 200);
  EXPECT_NE(small.head.find("Content-Encoding: gzip\r\n"), std::string::npos) << small.head;
  EXPECT_NE(small.head.find("Cache-Control: no-cache\r\n"), std::string::npos) << small.head;
  EXPECT_EQ(small.head.find("no-store"), std::string::npos) << small.head;
  EXPECT_TRUE(small.body.starts_with("\x1f\x8b"));
  const HttpAnswer plain = client.ask("GET", "/");
  EXPECT_TRUE(plain.body.starts_with("<!DOCTYPE html>")) << plain.body.substr(0, 100);
  // A HEAD has the length of what it does not send: the next answer is where it should be.
  ASSERT_TRUE(
      client.send(HttpSocket::request("HEAD", "/") + HttpSocket::request("GET", "/v1/healthz")));
  EXPECT_NE(client.until("\r\n\r\n").find(fmt::format("Content-Length: {}\r\n", plain.body.size())),
            std::string::npos);
  EXPECT_EQ(client.answer().body, "{\"status\": \"ok\"}\n");
}

TEST_F(HttpTest, ThePageIsToldOfChanges) {
  Server::Options options;
  options.http.piece = std::chrono::milliseconds(20);
  options.http.alive = std::chrono::milliseconds(100);
  start(std::move(options));
  HttpSocket stream(where_);
  ASSERT_TRUE(stream.send(HttpSocket::request("GET", "/v1/page/events", {}, tokens_[0])));
  EXPECT_NE(stream.until("\r\n\r\n").find("Content-Type: text/event-stream\r\n"),
            std::string::npos);
  EXPECT_NE(stream.until("\n\n").find("\"nodes\": []"), std::string::npos);
  HttpSocket client(where_);
  ASSERT_EQ(client.ask("PUT", "/v1/grants/7", kOneCore, user()).status, 201);
  const std::string told = stream.until("\"nodes\": [[0, 1, 1, 63]]");
  EXPECT_NE(told.find("id: "), std::string::npos);
  EXPECT_EQ(stream.until(": alive\n\n").find("\nid: "), std::string::npos);  // nothing more
  EXPECT_NE(client.ask("GET", "/v1/metrics", {}, user()).body.find("copse_event_streams 1\n"),
            std::string::npos);
}

TEST_F(HttpTest, SpeaksLinesAndHttpOnOneSocket) {
  start();
  HttpSocket http(path());
  EXPECT_EQ(http.ask("PUT", "/v1/grants/7", kOneCore).status, 201);
  EXPECT_EQ(LineSocket(path()).ask(R"({"op": "info"})"),
            R"({"grants": [{"id": 7, "at": 100, "duration": 0, "ranks": "0"}]})");
  EXPECT_EQ(http.ask("DELETE", "/v1/grants/7").status, 200);
}

constexpr std::array<std::string_view, 5> kOfWaitingJobs{"why", "when", "set-priority", "hold",
                                                         "release"};

// In their order: what one makes, a later one ends.
TEST_F(HttpTest, EachExampleOfTheInterfaceIsServed) {
  machine_.replace(machine_.find("n[0-3]"), 1, "node");
  start();
  HttpSocket client(where_);
  std::string job = "1";
  for (const HttpRoute& route : Routes::table()) {
    if (route.type == "text/event-stream") continue;
    std::string target(route.path);
    if (const std::size_t at = target.find('{'); at != std::string::npos) {
      target.replace(at, target.find('}') + 1 - at, route.path.contains("/nodes/") ? "node0" : "7");
    }
    if (route.name == "grant") {  // of a grant that comes later in the table
      EXPECT_EQ(client.ask("PUT", target, kOneCore, owner()).status, 201);
    }
    if (route.path.starts_with("/v1/jobs/")) target.replace(9, 1, job);
    if (route.name == "page-job") target = "/v1/page/jobs/" + job;
    const HttpAnswer got = client.ask(route.method, target, route.example, owner());
    if (std::ranges::find(kOfWaitingJobs, route.name) != kOfWaitingJobs.end()) {  // it has started
      EXPECT_NE(got.status, 0);
      continue;
    }
    EXPECT_TRUE(got.status == 200 || got.status == 201) << route.name << ' ' << got.body;
    if (route.name == "submit") job = got.body.substr(7, got.body.find_first_of(",}") - 7);
    EXPECT_NE(got.head.find("Content-Type: " + std::string(route.type)), std::string::npos)
        << route.name << got.head;
    if (route.name == "grant") (void)client.ask("DELETE", target, {}, owner());
  }
}

TEST_F(HttpTest, PipelinedRequestsAreAnsweredInOrder) {
  start();
  HttpSocket client(where_);
  std::string all;
  for (int id = 1; id <= 10; ++id) {
    all += HttpSocket::request("PUT", "/v1/grants/" + std::to_string(id), kOneCore, user());
    all += HttpSocket::request("DELETE", "/v1/grants/" + std::to_string(id), {}, user());
  }
  ASSERT_TRUE(client.send(all));
  for (int id = 1; id <= 10; ++id) {
    const HttpAnswer got = client.answer();
    EXPECT_EQ(got.status, 201);
    EXPECT_TRUE(got.body.starts_with(fmt::format("{{\"id\": {},", id))) << got.body;
    EXPECT_EQ(client.answer().status, 200);
  }
}

TEST_F(HttpTest, EventsAreToldAndResumed) {
  start();
  HttpSocket stream(where_), client(where_);
  ASSERT_TRUE(stream.send(HttpSocket::request("GET", "/v1/events", {}, user())));
  EXPECT_NE(stream.until("\r\n\r\n: events").find("text/event-stream"), std::string::npos);
  EXPECT_EQ(client.ask("PUT", "/v1/grants/7", kOneCore, user()).status, 201);
  const std::string event = stream.until("}]}\n\n");
  EXPECT_NE(event.find("data: {\"effect\": \"granted\", \"job\": 7"), std::string::npos) << event;
  const std::size_t id = event.rfind("id: ");
  ASSERT_NE(id, std::string::npos);
  const std::string last = event.substr(id + 4, event.find('\n', id) - id - 4);
  EXPECT_EQ(client.ask("DELETE", "/v1/grants/7", {}, user()).status, 200);
  HttpSocket again(where_);
  ASSERT_TRUE(again.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: " + last +
                         "\r\nAuthorization: Bearer " + user() + "\r\n\r\n"));
  const std::string missed = again.until("cancelled");
  EXPECT_EQ(missed.find("granted"), std::string::npos) << missed;
  EXPECT_NE(missed.find("id: " + std::to_string(std::stoi(last) + 1)), std::string::npos) << missed;
}

TEST_F(HttpTest, LargeHeadersAndBodiesAreRefused) {
  start({.http = {.body_bytes_max = 100'000}});
  HttpSocket header(where_);
  (void)header.send(
      "GET /v1/healthz HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(header.answer().status, 431);
  HttpSocket body(where_);
  (void)body.send("POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + user() +
                  "\r\nContent-Length: 1000000000000\r\n\r\n");
  EXPECT_EQ(body.answer().status, 413);
  HttpSocket chunks(where_);
  (void)chunks.send("POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                    user() + "\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 20 && chunks.send("2000\r\n" + std::string(8'192, '\n') + "\r\n"); ++i) {
  }
  EXPECT_EQ(chunks.answer().status, 413);
  // Who may not send a body is refused before it.
  HttpSocket stranger(where_);
  (void)stranger.send(
      "POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n");
  EXPECT_EQ(stranger.answer().status, 401);
  EXPECT_TRUE(stranger.ended());
  HttpSocket good(where_);
  EXPECT_EQ(good.ask("GET", "/v1/machine", {}, user()).status, 200);
}

TEST_F(HttpTest, AllBodiesTogetherAreBounded) {
  start({.http = {.bodies_bytes_max = 1'000}});
  const auto put = [&](int id, std::size_t bytes) {
    return fmt::format(
        "PUT /v1/grants/{} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
        "{}\r\nContent-Length: {}\r\n\r\n",
        id, user(), bytes);
  };
  const std::string body = std::string(kOneCore) + std::string(800 - kOneCore.size(), ' ');
  HttpSocket slow(where_), other(where_), small(where_);
  ASSERT_TRUE(slow.send(put(1, body.size()) + body.substr(0, 100)));
  EXPECT_EQ(small.ask("PUT", "/v1/grants/3", kOneCore, user()).status,
            201);  // there is room for it
  ASSERT_TRUE(other.send(put(2, body.size())));
  const HttpAnswer refused = other.answer();
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_NE(refused.head.find("Retry-After: 1"), std::string::npos) << refused.head;
  ASSERT_TRUE(slow.send(body.substr(100)));
  EXPECT_EQ(slow.answer().status, 201);
  HttpSocket again(where_);
  EXPECT_EQ(again.ask("PUT", "/v1/grants/2", body, user()).status, 201);
  {
    const HttpSocket gone(where_);
    ASSERT_TRUE(gone.send(put(4, body.size()) + "{"));
  }
  EXPECT_TRUE(eventually([&] {
    HttpSocket fresh(where_);
    return fresh.ask("PUT", "/v1/grants/2", body, user()).status == 200;
  }));
}

TEST_F(HttpTest, GarbageHarmsNobody) {
  start({.http = {.idle = std::chrono::seconds(1)}});
  for (const std::string_view garbage :
       {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "{\"op\": \"info\"}\n", "\r\n\r\n\r\n",
        "GET /v1/machine HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n",
        "POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        "POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: "
        "6\r\n\r\n"}) {
    HttpSocket client(where_);
    EXPECT_TRUE(client.send(garbage));
    EXPECT_TRUE(client.ended()) << garbage;
  }
  HttpSocket after(where_);
  EXPECT_TRUE(after.send(HttpSocket::request("GET", "/v1/healthz") + "garbage\r\n\r\n"));
  EXPECT_EQ(after.answer().status, 200);
  EXPECT_EQ(after.answer().status, 400);
}

TEST_F(HttpTest, SilentAndSlowClientsAreLetGo) {
  start({.http = {.idle = std::chrono::seconds(1), .request = std::chrono::seconds(1)}});
  HttpSocket silent(where_), half(where_), body(where_);
  EXPECT_TRUE(half.send("GET /v1/mach"));
  EXPECT_TRUE(body.send("PUT /v1/grants/7 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                        user() + "\r\nContent-Length: 50\r\n\r\n{"));
  EXPECT_TRUE(silent.ended());
  EXPECT_TRUE(half.ended());
  EXPECT_TRUE(body.ended());
  HttpSocket good(where_);
  EXPECT_EQ(good.ask("GET", "/v1/machine", {}, user()).status, 200);
}

TEST_F(HttpTest, AReaderThatStopsReadingIsLetGo) {
  start({.http = {.answer = std::chrono::milliseconds(300)}});
  HttpSocket deaf(where_);
  const std::string one = HttpSocket::request("GET", "/v1/openapi.json");
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += one;
  std::jthread flood([&] { (void)deaf.send(many); });
  HttpSocket good(where_);
  for (int id = 1; id <= 16; ++id) {
    EXPECT_EQ(good.ask("PUT", "/v1/grants/" + std::to_string(id), kOneCore, user()).status, 201);
  }
  flood.join();
  // Before it reads again.
  EXPECT_TRUE(eventually([&] {
    const HttpAnswer figures = good.ask("GET", "/v1/metrics", {}, user());
    return figures.body.find("copse_connections 1\n") != std::string::npos;
  }));
  EXPECT_TRUE(deaf.ended());
}

TEST_F(HttpTest, MoreClientsThanItMayHaveAreTurnedAway) {
  start({.clients_max = 2});
  HttpSocket first(where_), second(where_);
  EXPECT_EQ(first.ask("GET", "/v1/metrics", {}, user()).status, 200);
  EXPECT_EQ(second.ask("GET", "/v1/metrics", {}, owner()).status, 200);
  HttpSocket third(where_);
  EXPECT_EQ(third.answer().status, 503);
}

TEST_F(HttpTest, ClientsWithoutCredentialsGiveWay) {
  start({.clients_max = 2});
  HttpSocket silent(where_), known(where_);
  EXPECT_EQ(known.ask("GET", "/v1/metrics", {}, user()).status, 200);
  HttpSocket other(where_);
  EXPECT_TRUE(silent.ended());
  EXPECT_EQ(other.ask("GET", "/v1/metrics", {}, owner()).status, 200);
  EXPECT_EQ(known.ask("GET", "/v1/metrics", {}, user()).status, 200);
}

TEST_F(HttpTest, ClientsWithoutCredentialsHaveLittleTime) {
  start({.http = {.stranger = std::chrono::milliseconds(100)}});
  HttpSocket known(where_), silent(where_);
  EXPECT_EQ(known.ask("GET", "/v1/metrics", {}, user()).status, 200);
  EXPECT_TRUE(silent.ended());
  EXPECT_EQ(known.ask("GET", "/v1/metrics", {}, user()).status, 200);
}

TEST_F(HttpTest, HeadAndContinueAndClose) {
  start();
  HttpSocket client(where_);
  EXPECT_TRUE(client.send(HttpSocket::request("HEAD", "/v1/healthz")));
  EXPECT_NE(client.until("\r\n\r\n").find("Content-Length: 17\r\n"), std::string::npos);
  EXPECT_EQ(client.ask("GET", "/v1/healthz").body, "{\"status\": \"ok\"}\n");
  EXPECT_TRUE(
      client.send(fmt::format("PUT /v1/grants/7 HTTP/1.1\r\nHost: localhost\r\nExpect: "
                              "100-continue\r\nAuthorization: Bearer {}\r\n"
                              "Content-Length: {}\r\nConnection: close\r\n\r\n",
                              user(), kOneCore.size())));
  EXPECT_EQ(client.until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_TRUE(client.send(kOneCore));
  EXPECT_EQ(client.answer().status, 201);
  EXPECT_TRUE(client.ended());
}

TEST_F(HttpTest, StreamsEndWithTheService) {
  start();
  HttpSocket stream(where_), idle(where_);
  ASSERT_TRUE(stream.send(HttpSocket::request("GET", "/v1/events", {}, user())));
  EXPECT_NE(stream.until("\n\n"), "");
  server_->stop();
  thread_->join();
  thread_.reset();
  EXPECT_TRUE(stream.ended());
  EXPECT_TRUE(idle.ended());
}

}  // namespace
}  // namespace copse::server
