// SPDX-License-Identifier: Apache-2.0
//
// The program `copse serve`, killed with SIGKILL at random moments while clients send requests: all
// acknowledged changes exist after a restart. COPSE_SEEDS: times as many kills.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "journal/temporary_folder.hpp"
#include "paths.hpp"
#include "serving.hpp"

namespace copse::server {
namespace {

// What clients were answered: who has a grant, who has given it back. What was asked and not
// answered is neither.
struct Answered {
  std::set<int> granted, unknown;
};

void ask(LineSocket& socket, std::mt19937_64& random, Answered& answered) {
  const int id = static_cast<int>(1 + random() % 24);
  const bool has = answered.granted.contains(id);
  const std::string line =
      has ? fmt::format(R"({{"op": "free", "id": {}}})", id)
          : fmt::format(R"({{"op": "alloc", "id": {}, "shape": "slot=1/core", "duration": 0}})",
                        id);
  if (answered.unknown.contains(id)) return;
  answered.unknown.insert(id);
  const std::string got = socket.ask(line);
  if (got.empty()) return;
  EXPECT_EQ(got.find("error"), std::string::npos) << line << "\n" << got;
  answered.unknown.erase(id);
  if (has) {
    answered.granted.erase(id);
  } else {
    answered.granted.insert(id);
  }
}

TEST(ServeKilled, WhatWasAnsweredIsThereAgain) {
  const char* seeds = std::getenv("COPSE_SEEDS");
  const int kills = 5 * (seeds == nullptr ? 1 : std::max(1, std::atoi(seeds)));
  const journal::TemporaryFolder folder;
  const std::string machine = source_dir() + "/examples/machines/desk.graphml";
  std::mt19937_64 random(1);
  Answered answered;
  for (int i = 0; i <= kills; ++i) {
    Serving serving(folder.path().string(), machine);
    const auto socket = serving.connect();
    ASSERT_NE(socket, nullptr);
    const std::string info = socket->ask(R"({"op": "info"})");
    for (int id = 1; id <= 24; ++id) {
      const bool there = info.find(fmt::format("\"id\": {},", id)) != std::string::npos;
      if (answered.unknown.erase(id) > 0) {
        answered.granted.erase(id);
        if (there) answered.granted.insert(id);
      }
      EXPECT_EQ(there, answered.granted.contains(id)) << "kill " << i << ", id " << id << "\n"
                                                      << info;
    }
    if (HasFailure()) return;
    RequestCount count;
    std::jthread killer([&serving, &count, at = static_cast<int>(random() % 300)] {
      count.wait_for(at);
      serving.kill(SIGKILL);
    });
    for (int asked = 0; asked < 400; ++asked, count.add()) ask(*socket, random, answered);
  }
}

TEST(ServeKilled, EndsWellWhenAskedTo) {
  const journal::TemporaryFolder folder;
  const std::string machine = source_dir() + "/examples/machines/desk.graphml";
  Serving serving(folder.path().string(), machine);
  const auto socket = serving.connect();
  ASSERT_NE(socket, nullptr);
  EXPECT_NE(socket->ask(R"({"op": "status"})"), "");
  const int status = serving.kill(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// It reads its machine from a pipe, so that it starts for as long as the test wants.
TEST(ServeKilled, IsNotEndedByAReloadWhileItStarts) {
  const journal::TemporaryFolder folder;
  const std::string pipe = (folder.path() / "machine.graphml").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::ifstream file(source_dir() + "/examples/machines/desk.graphml");
  const std::string machine{std::istreambuf_iterator<char>(file), {}};
  const int out = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);  // waits for no reader
  ASSERT_EQ(::write(out, machine.data(), 100), 100);
  Serving serving(folder.path().string(), pipe);
  const auto is_read = [&] {
    int unread = 0;
    return ::ioctl(out, FIONREAD, &unread) == 0 && unread == 0;
  };
  ASSERT_TRUE(eventually(is_read));
  serving.tell(SIGHUP);
  ASSERT_TRUE(eventually([&] { return !serving.has_pending(SIGHUP); }));
  const auto rest = static_cast<ssize_t>(machine.size()) - 100;
  ASSERT_EQ(::write(out, machine.data() + 100, machine.size() - 100), rest);
  ::close(out);
  const auto socket = serving.connect();
  ASSERT_NE(socket, nullptr);
  serving.tell(SIGHUP);
  EXPECT_NE(socket->ask(R"({"op": "status"})"), "");
  const int status = serving.kill(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status));
}

}  // namespace
}  // namespace copse::server
