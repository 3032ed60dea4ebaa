// SPDX-License-Identifier: Apache-2.0
//
// A server in this process, on a real Unix socket and a real disk.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "journal/sqlite_store.hpp"
#include "journal/temporary_folder.hpp"
#include "server/server.hpp"
#include "session/machines.hpp"

namespace copse::server {

class ServerDesk : public testing::Test {
 protected:
  void start(Server::Options options = {}, JobRowTable::Limits limits = {}) {
    auto store = journal::SqliteStore::open(folder_.path().string());
    ASSERT_TRUE(store.has_value()) << store.error().message();
    Service::Options start;
    start.jobs.table = limits;
    start.make_session = [](SessionEnvironment environment) {
      return session_of_r(kPlainMachine, 0, {}, std::move(environment));
    };
    auto service = Service::recover(**store, std::move(start));
    ASSERT_TRUE(service.has_value()) << service.error().message();
    service_ = std::move(*service);
    options.clock = [this] { return now_s_.load(); };
    options.log = [](const std::string& line) { ADD_FAILURE() << line; };
    server_ = std::make_unique<Server>(*service_, std::move(*store), std::move(options));
    const auto listening = server_->listen_unix(path());
    ASSERT_TRUE(listening.has_value()) << listening.error().message();
    thread_.emplace([this] { status_ = server_->run(); });
  }
  void stop() {
    if (!thread_) return;
    server_->stop();
    thread_->join();
    thread_.reset();
    EXPECT_EQ(status_, 0);
    server_ = nullptr;
    service_ = nullptr;
  }
  void TearDown() override { stop(); }
  [[nodiscard]] std::string path() const { return (folder_.path() / "socket").string(); }
  static std::string alloc(int id) {
    return fmt::format(R"({{"op": "alloc", "id": {}, "shape": "slot=1/core", "duration": 0}})", id);
  }

  journal::TemporaryFolder folder_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Server> server_;
  std::optional<std::thread> thread_;
  std::atomic<std::int64_t> now_s_ = 100;
  int status_ = -1;
};

}  // namespace copse::server
