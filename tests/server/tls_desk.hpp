// SPDX-License-Identifier: Apache-2.0
//
// TlsTest: a server with certificates, and clients for it.
#pragma once

#include <gtest/gtest.h>

#include <openssl/ssl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "http_socket.hpp"
#include "journal/sqlite_store.hpp"
#include "journal/temporary_folder.hpp"
#include "server/rights/certificate_table.hpp"
#include "server/rights/tokens.hpp"
#include "server/server.hpp"
#include "server/test_certificates.hpp"
#include "server/tls/tls_client.hpp"
#include "server/user_grants.hpp"
#include "session/machines.hpp"

namespace copse::server {

class TlsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const Role role : {Role::guest, Role::user, Role::operate, Role::owner}) {
      tokens_[role] = *known_.add(word(role), role, 1);
      ASSERT_TRUE(
          table_.add(fmt::format("CN:{}", word(role)), fmt::format("c.{}", word(role)), word(role))
              .has_value());
    }
    write("ca.pem", signer_.certificate());
    write("stranger.pem", stranger_.certificate());
    write("server.pem", in_one(signer_.sign({})));
  }
  void start(bool clients_have_certificates = false, Server::Options options = {}) {
    auto tls = TlsServer::open({.certificate = path("server.pem"),
                                .key = path("server.pem"),
                                .client_ca = clients_have_certificates ? path("ca.pem") : ""});
    ASSERT_TRUE(tls.has_value()) << tls.error().message();
    tls_.emplace(std::move(*tls));
    auto store = journal::SqliteStore::open(folder_.path().string());
    Service::Options start;
    start.jobs.grants = wide_grant_bounds();
    start.make_session = [this](SessionEnvironment environment) {
      return session_of_r(machine_, 0, {}, std::move(environment));
    };
    service_ = std::move(*Service::recover(**store, std::move(start)));
    options.clock = [] { return std::int64_t{100}; };
    options.log = [](const std::string&) {};
    options.authenticate_token = [this](std::string_view token) {
      return known_.authenticate(token);
    };
    options.authenticate_certificate = [this](std::span<const std::string> names) {
      const std::scoped_lock lock(mutex_);
      return table_.authenticate(names);
    };
    options.tls = &*tls_;
    server_ = std::make_unique<Server>(*service_, std::move(*store), std::move(options));
    auto listening = server_->listen_tcp("127.0.0.1:0");
    ASSERT_TRUE(listening.has_value()) << listening.error().message();
    where_ = *listening;
    thread_.emplace([this] { EXPECT_EQ(server_->run(), 0); });
  }
  void TearDown() override { stop(); }
  void stop() {
    if (!thread_) return;
    server_->stop();
    thread_->join();
    thread_.reset();
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    EXPECT_EQ(::chmod(path(name).c_str(), 0600), 0);
  }
  static std::string in_one(const TestCertificate& made) { return made.certificate + made.key; }
  // A client that trusts who has signed the service's certificate, or those in another file.
  [[nodiscard]] TlsClient client(const std::string& ca = "ca.pem",
                                 const std::string& certificate = {}) const {
    const std::string own = certificate.empty() ? "" : path(certificate);
    auto made = TlsClient::open({.ca = path(ca), .certificate = own, .key = own});
    EXPECT_TRUE(made.has_value()) << made.error().message();
    return std::move(*made);
  }
  // One with a certificate of this name.
  [[nodiscard]] TlsClient client_named(const std::string& name, const TestSigner& signer,
                                       long to_s = 3600) const {
    write("client.pem", in_one(signer.sign({.name = name, .others = "", .to_s = to_s})));
    return client("ca.pem", "client.pem");
  }

  static constexpr std::string_view kOneCore = R"({"shape": "slot=1/core", "duration": 0})";

  std::string machine_{kPlainMachine};
  journal::TemporaryFolder folder_;
  TestSigner signer_{"signer"}, stranger_{"stranger"};
  Tokens known_;
  std::map<Role, std::string> tokens_;
  std::mutex mutex_;
  CertificateTable table_;
  std::optional<TlsServer> tls_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Server> server_;
  std::optional<std::thread> thread_;
  std::string where_;
};

}  // namespace copse::server
