// SPDX-License-Identifier: Apache-2.0
//
// What a manager of services is told, and what it hands down; sockets that listen.
#include "server/service_manager.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "journal/temporary_folder.hpp"
#include "server/listen.hpp"

namespace copse::server {
namespace {

// The manager's end.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  }
  ~NotifySocket() { ::close(socket_); }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;
  [[nodiscard]] std::string next() const {
    char bytes[256];
    const ssize_t got = ::recv(socket_, bytes, sizeof(bytes), MSG_DONTWAIT);
    return got < 0 ? "" : std::string(bytes, static_cast<std::size_t>(got));
  }

 private:
  int socket_;
};

TEST(ServiceManagerTest, IsToldWhatHappens) {
  const journal::TemporaryFolder folder;
  const std::string path = (folder.path() / "notify").string();
  const NotifySocket socket(path);
  ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  ::setenv("WATCHDOG_USEC", "3000000", 1);
  const ServiceManager manager = ServiceManager::from_environment();
  EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr);
  EXPECT_EQ(std::getenv("WATCHDOG_USEC"), nullptr);
  EXPECT_EQ(manager.watchdog_interval(), std::chrono::microseconds(1'500'000));
  manager.ready();
  EXPECT_EQ(socket.next(), "READY=1");
  manager.notify_watchdog();
  EXPECT_EQ(socket.next(), "WATCHDOG=1");
  manager.reloading();
  EXPECT_TRUE(socket.next().starts_with("RELOADING=1\nMONOTONIC_USEC="));
  manager.status("serving");
  EXPECT_EQ(socket.next(), "STATUS=serving");
  manager.stopping();
  EXPECT_EQ(socket.next(), "STOPPING=1");
}

TEST(ServiceManagerTest, WithoutOneNothingHappens) {
  const ServiceManager manager = ServiceManager::from_environment();
  manager.ready();
  EXPECT_FALSE(manager.watchdog_interval().has_value());
  EXPECT_TRUE(manager.inherited_sockets().empty());
}

TEST(ServiceManagerTest, SocketsOfAnotherProcessAreNotTaken) {
  ::setenv("LISTEN_FDS", "2", 1);
  ::setenv("LISTEN_PID", "1", 1);
  EXPECT_TRUE(ServiceManager::from_environment().inherited_sockets().empty());
  EXPECT_EQ(std::getenv("LISTEN_FDS"), nullptr);
}

TEST(Listen, AnAddressOrAPort) {
  for (const char* good : {"127.0.0.1:0", "0", "localhost:0", "[::1]:7400"}) {
    EXPECT_TRUE(check_tcp_address(good).has_value()) << good;
  }
  for (const char* wrong :
       {"", ":", "x", "127.0.0.1", "1.2.3.4:x", "host:80", "[::1:80", "1:65536", "127.0.0.1:-1"}) {
    EXPECT_FALSE(check_tcp_address(wrong).has_value()) << wrong;
  }
  const auto made = listen_on_tcp("127.0.0.1:0");
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(made->loopback);
  EXPECT_TRUE(made->name.starts_with("127.0.0.1:"));
  const auto same = listener_of(made->socket);
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(same->name, made->name);
  EXPECT_EQ(same->family, AF_INET);
  ::close(made->socket);
  EXPECT_FALSE(listener_of(made->socket).has_value());
}

TEST(Listen, AFileOfAMode) {
  const journal::TemporaryFolder folder;
  const std::string path = (folder.path() / "socket").string();
  auto made = listen_on_unix(path, 0666);
  ASSERT_TRUE(made.has_value());
  struct stat facts{};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0666U);
  EXPECT_EQ(listen_on_unix(path, 0600).error().code, ErrorCode::exists);
  ::close(made->socket);
  made->file.reset();
  const auto again = listen_on_unix(path, 0600);
  ASSERT_TRUE(again.has_value());
  ::close(again->socket);
  EXPECT_EQ(listen_on_unix(std::string(200, 'x'), 0600).error().code, ErrorCode::limit);
}

}  // namespace
}  // namespace copse::server
