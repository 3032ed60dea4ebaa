// SPDX-License-Identifier: Apache-2.0
//
// The places of Unix sockets: who has one, and who may remove it.
#include "server/socket_file.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "journal/temporary_folder.hpp"
#include "server/listen.hpp"

namespace copse::server {
namespace {

class SocketFileTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return (folder_.path() / "socket").string(); }
  // What a service leaves that was killed.
  void leave_behind() const {
    auto left = listen_on_unix(path(), 0600);
    ASSERT_TRUE(left.has_value()) << left.error().message();
    std::filesystem::rename(path(), path() + ".kept");
    ::close(left->socket);
    left->file.reset();
    std::filesystem::rename(path() + ".kept", path());
  }

  journal::TemporaryFolder folder_;
};

TEST_F(SocketFileTest, WhatIsNoSocketIsNeverRemoved) {
  std::ofstream(path()) << "precious";
  const auto refused = listen_on_unix(path(), 0600);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::exists);
  EXPECT_NE(refused.error().message().find("is not a socket"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(path()), 8U);
}

TEST_F(SocketFileTest, OneThatWasLeftBehindIsReplaced) {
  leave_behind();
  ASSERT_TRUE(std::filesystem::is_socket(path()));
  auto made = listen_on_unix(path(), 0600);
  ASSERT_TRUE(made.has_value()) << made.error().message();
  ::close(made->socket);
}

// Two services find what a third left behind: one was to replace it, and is not there yet.
TEST_F(SocketFileTest, OfTwoThatComeAtOnceOneHasIt) {
  leave_behind();
  auto first = SocketFile::take(path());
  ASSERT_TRUE(first.has_value()) << first.error().message();
  const auto second = SocketFile::take(path());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::exists);
  EXPECT_NE(second.error().message().find("another service uses "), std::string::npos);
}

TEST_F(SocketFileTest, GoesWithItsServiceAndNoOther) {
  auto first = listen_on_unix(path(), 0600);
  ASSERT_TRUE(first.has_value());
  std::filesystem::remove(path());
  std::ofstream(path()) << "another's";
  first->file.reset();
  EXPECT_TRUE(std::filesystem::exists(path()));
  std::filesystem::remove(path());
  ::close(first->socket);
  auto last = listen_on_unix(path(), 0600);
  ASSERT_TRUE(last.has_value()) << last.error().message();
  last->file.reset();
  EXPECT_FALSE(std::filesystem::exists(path()));
  ::close(last->socket);
}

TEST(FileLockTest, IsOfOneAtATime) {
  const journal::TemporaryFolder folder;
  const std::string path = (folder.path() / "lock").string();
  {
    const auto first = FileLock::take(path);
    ASSERT_TRUE(first.has_value());
    const auto second = FileLock::take(path);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, ErrorCode::exists);
  }
  EXPECT_TRUE(FileLock::take(path).has_value());
  const std::string all = folder.path().string();
  EXPECT_TRUE(FileLock::wait_for_folder(all).has_value());
  EXPECT_TRUE(FileLock::wait_for_folder(all).has_value());  // the first one has ended
  EXPECT_EQ(FileLock::wait_for_folder(path).error().code, ErrorCode::io);
  EXPECT_EQ(FileLock::take(path + "/x").error().code, ErrorCode::io);
}

}  // namespace
}  // namespace copse::server
