// SPDX-License-Identifier: Apache-2.0
//
// The end of a server: clients get their answers, however slow the disk and the clients are.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/eventually.hpp"
#include "http_socket.hpp"
#include "journal/temporary_folder.hpp"
#include "line_socket.hpp"
#include "server/server.hpp"
#include "session/machines.hpp"

namespace copse::server {
namespace {

using namespace std::chrono_literals;

// A disk whose commits wait until the test opens it.
class GatedDisk : public journal::Store {
 public:
  struct Gate {
    std::atomic<int> begun = 0;
    std::atomic<bool> open = false;
    void open_now() {
      open = true;
      open.notify_all();
    }
  };
  explicit GatedDisk(Gate& gate) : gate_(gate) {}
  Result<void> append(journal::Sequence, std::span<const std::string>) override {
    ++gate_.begun;
    gate_.open.wait(false);
    return {};
  }
  Result<void> snapshot(journal::Sequence, std::string_view) override { return {}; }
  Result<journal::Sequence> load(const journal::Recovery&) override { return 0; }

 private:
  Gate& gate_;
};

class StopTest : public testing::Test {
 protected:
  void start(Server::Options::Stop stop) {
    auto store = std::make_unique<GatedDisk>(disk_);
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
    disk_.open_now();
    server_->stop();
    thread_.join();
  }
  [[nodiscard]] std::string path() const { return (folder_.path() / "socket").string(); }
  // Until the server has read all that was sent before: clients that come later are answered later.
  void wait_until_read() const {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(HttpSocket(path()).ask("GET", "/v1/healthz").status, 200);
    }
  }
  void wait_until_commit_begins() const {
    EXPECT_TRUE(eventually([&] { return disk_.begun > 0; }));
  }
  static constexpr std::string_view kAlloc =
      "{\"op\": \"alloc\", \"id\": 1, \"shape\": \"slot=1/core\", \"duration\": 9}\n";

  journal::TemporaryFolder folder_;
  GatedDisk::Gate disk_;
  std::string log_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Server> server_;
  std::jthread thread_;
};

TEST_F(StopTest, SendsWhatWaitsForTheDisk) {
  start({.disk = kWaitMost, .clients = kWaitMost});
  LineSocket lines(path());
  HttpSocket http(path());
  ASSERT_TRUE(lines.send(kAlloc));
  ASSERT_TRUE(http.send(
      HttpSocket::request("PUT", "/v1/grants/2", R"({"shape": "slot=1/core", "duration": 9})")));
  wait_until_commit_begins();
  wait_until_read();
  server_->stop();
  disk_.open_now();
  EXPECT_TRUE(lines.line().starts_with(R"({"id": 1, )"));
  const HttpAnswer got = http.answer();
  EXPECT_EQ(got.status, 201) << got.body;
  EXPECT_NE(got.head.find("Connection: close"), std::string::npos) << got.head;
  EXPECT_EQ(log_, "");
}

TEST_F(StopTest, WaitsForTheDiskForATimeOnly) {
  start({.disk = 100ms, .clients = 100ms});
  LineSocket lines(path());
  ASSERT_TRUE(lines.send(kAlloc));
  wait_until_commit_begins();
  server_->stop();
  EXPECT_EQ(lines.line(), "");
  disk_.open_now();
  thread_.join();
  EXPECT_NE(log_.find("the last changes are not on disk yet"), std::string::npos) << log_;
  thread_ = std::jthread([] {});
}

// More than a socket takes at once: the rest is unsent when the server begins to stop.
TEST_F(StopTest, CutsNoAnswer) {
  start({.disk = kWaitMost, .clients = kWaitMost});
  disk_.open_now();
  LineSocket lines(path());
  constexpr int kAsked = 3'000;
  std::string all;
  for (int i = 0; i < kAsked; ++i) all += "{\"op\": \"status\"}\n";
  ASSERT_TRUE(lines.send(all));
  wait_until_read();
  server_->stop();
  // The server removes its socket when it begins to stop.
  EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(path()); }));
  int got = 0;
  for (std::string line = lines.line(); !line.empty(); line = lines.line()) {
    ++got;
    EXPECT_TRUE(line.starts_with('{') && line.ends_with('}')) << line;
  }
  EXPECT_EQ(got, kAsked);
}

}  // namespace
}  // namespace copse::server
