// SPDX-License-Identifier: Apache-2.0
//
// The end of a server: what was done is answered, however slow the disk and the clients are.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "http_socket.hpp"
#include "journal/temporary_folder.hpp"
#include "line_socket.hpp"
#include "server/server.hpp"
#include "session/machines.hpp"

namespace copse::server {
namespace {

using namespace std::chrono_literals;

// A disk that takes a while for each commit.
class SlowDisk : public journal::Store {
 public:
  SlowDisk(std::chrono::milliseconds time, std::atomic<int>& begun) : time_(time), begun_(begun) {}
  Result<void> append(journal::Sequence, std::span<const std::string>) override {
    ++begun_;
    std::this_thread::sleep_for(time_);
    return {};
  }
  Result<void> snapshot(journal::Sequence, std::string_view) override { return {}; }
  Result<journal::Sequence> load(const journal::Recovery&) override { return 0; }

 private:
  std::chrono::milliseconds time_;
  std::atomic<int>& begun_;
};

class StopTest : public testing::Test {
 protected:
  void start(std::chrono::milliseconds disk, Server::Options::Stop stop) {
    auto store = std::make_unique<SlowDisk>(disk, commits_);
    Service::Options start;
    start.make_session = [](SessionEnvironment environment) {
      return session_of_r(kPlainMachine, 0, {}, std::move(environment));
    };
    service_ = std::move(*Service::recover(*store, std::move(start)));
    Server::Options options;
    options.clock = [] { return std::int64_t{100}; };
    options.log = [this](const std::string& line) { log_ += line; };
    options.stop = stop;
    server_ = std::make_unique<Server>(*service_, std::move(store), std::move(options));
    ASSERT_TRUE(server_->listen_unix(path()).has_value());
    thread_ = std::jthread([this] { (void)server_->run(); });
  }
  void TearDown() override {
    server_->stop();
    thread_.join();
  }
  [[nodiscard]] std::string path() const { return (folder_.path() / "socket").string(); }
  // Until a commit is on its way, and a moment for what came with it.
  void wait_for_commit() const {
    for (int i = 0; i < 5'000 && commits_ == 0; ++i) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(100ms);
  }
  static constexpr std::string_view kAlloc =
      "{\"op\": \"alloc\", \"id\": 1, \"shape\": \"slot=1/core\", \"duration\": 9}\n";

  journal::TemporaryFolder folder_;
  std::atomic<int> commits_ = 0;
  std::string log_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Server> server_;
  std::jthread thread_;
};

TEST_F(StopTest, SendsWhatWaitsForTheDisk) {
  start(700ms, {.disk = 20s, .clients = 100ms});
  LineSocket lines(path());
  HttpSocket http(path());
  ASSERT_TRUE(lines.send(kAlloc));
  ASSERT_TRUE(http.send(
      HttpSocket::request("PUT", "/v1/grants/2", R"({"shape": "slot=1/core", "duration": 9})")));
  wait_for_commit();
  server_->stop();
  EXPECT_TRUE(lines.line().starts_with(R"({"id": 1, )"));
  const HttpAnswer got = http.answer();
  EXPECT_EQ(got.status, 201) << got.body;
  EXPECT_NE(got.head.find("Connection: close"), std::string::npos) << got.head;
  EXPECT_EQ(log_, "");
}

TEST_F(StopTest, WaitsForTheDiskForATimeOnly) {
  start(1500ms, {.disk = 100ms, .clients = 100ms});
  LineSocket lines(path());
  ASSERT_TRUE(lines.send(kAlloc));
  wait_for_commit();
  server_->stop();
  EXPECT_EQ(lines.line(), "");
  thread_.join();
  EXPECT_NE(log_.find("the last changes are not on disk yet"), std::string::npos) << log_;
  thread_ = std::jthread([] {});
}

// More than a socket takes at once: the rest is on its way when the service is told to end.
TEST_F(StopTest, CutsNoAnswer) {
  start(0ms, {});
  LineSocket lines(path());
  constexpr int kAsked = 3'000;
  std::string all;
  for (int i = 0; i < kAsked; ++i) all += "{\"op\": \"status\"}\n";
  ASSERT_TRUE(lines.send(all));
  for (int i = 0; i < 3; ++i) {  // who comes later is answered later: by now all lines are taken
    EXPECT_NE(LineSocket(path()).ask("{\"op\": \"status\"}"), "");
  }
  server_->stop();
  std::this_thread::sleep_for(200ms);
  int got = 0;
  for (std::string line = lines.line(); !line.empty(); line = lines.line()) {
    ++got;
    EXPECT_TRUE(line.starts_with('{') && line.ends_with('}')) << line;
  }
  EXPECT_EQ(got, kAsked);
}

}  // namespace
}  // namespace copse::server
