// SPDX-License-Identifier: Apache-2.0
//
// HTTP over TLS on real sockets: who trusts whom, who is who by a certificate, and clients that behave
// badly before there is TLS.
#include <gtest/gtest.h>

#include "base/eventually.hpp"
#include "server/tls_desk.hpp"

namespace copse::server {
namespace {

TEST_F(TlsTest, CarriesRequestsWithTokens) {
  start();
  HttpSocket asks(where_, client());
  ASSERT_TRUE(asks.connected()) << asks.trouble();
  EXPECT_EQ(asks.ask("GET", "/v1/healthz").status, 200);
  EXPECT_EQ(asks.ask("GET", "/v1/machine").status, 401);
  EXPECT_EQ(asks.ask("GET", "/v1/machine", {}, tokens_[Role::guest]).status, 200);
  EXPECT_EQ(asks.ask("PUT", "/v1/grants/7", kOneCore, tokens_[Role::user]).status, 201);
  EXPECT_EQ(asks.ask("DELETE", "/v1/grants/7", {}, tokens_[Role::user]).status, 200);
  EXPECT_EQ(HttpSocket(where_, client(), "127.0.0.1").ask("GET", "/v1/healthz").status, 200);
  const std::string figures = asks.ask("GET", "/v1/metrics", {}, tokens_[Role::guest]).body;
  EXPECT_NE(figures.find("copse_tls_handshake_failures_total 0\n"), std::string::npos) << figures;
  EXPECT_NE(figures.find("copse_tls_certificate_expiry_timestamp_seconds "), std::string::npos);
}

// More than a record, both ways; requests ahead; and an end that is said.
TEST_F(TlsTest, CarriesLargeBodies) {
  start();
  HttpSocket asks(where_, client());
  std::string lines;
  for (int i = 0; i < 5'000; ++i) lines += "{\"op\": \"info\"}\n";
  const HttpAnswer all = asks.ask("POST", "/v1/batch", lines, tokens_[Role::user]);
  EXPECT_EQ(all.status, 200);
  EXPECT_EQ(std::ranges::count(all.body, '\n'), 5'000);
  EXPECT_GT(all.body.size(), 65'536U);
  const std::string once = HttpSocket::request("GET", "/v1/openapi.json");
  ASSERT_TRUE(asks.send(once + once + once));
  const std::string first = asks.answer().body;
  EXPECT_GT(first.size(), 10'000U);
  EXPECT_NE(first.find(R"("certificate": {"type": "mutualTLS"})"), std::string::npos);
  EXPECT_EQ(asks.answer().body, first);
  EXPECT_EQ(asks.answer().body, first);
  ASSERT_TRUE(asks.send("GET /v1/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
  EXPECT_EQ(asks.answer().status, 200);
  EXPECT_TRUE(asks.ended());
}

TEST_F(TlsTest, CarriesEvents) {
  start();
  HttpSocket stream(where_, client());
  ASSERT_TRUE(stream.send(HttpSocket::request("GET", "/v1/events", {}, tokens_[Role::guest])));
  EXPECT_NE(stream.until("\r\n\r\n: events").find("text/event-stream"), std::string::npos);
  HttpSocket asks(where_, client());
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(asks.ask("PUT", "/v1/grants/7", kOneCore, tokens_[Role::user]).status, 201);
    EXPECT_NE(stream.until("\"granted\""), "");
    ASSERT_EQ(asks.ask("DELETE", "/v1/grants/7", {}, tokens_[Role::user]).status, 200);
    EXPECT_NE(stream.until("\"cancelled\""), "");
  }
  stop();
  EXPECT_TRUE(stream.ended());
}

TEST_F(TlsTest, ClientsTrustNobodyElse) {
  start();
  const HttpSocket stranger(where_, client("stranger.pem"));
  EXPECT_NE(stranger.trouble().find("is not trusted"), std::string::npos) << stranger.trouble();
  EXPECT_NE(stranger.trouble().find("the file of --ca"), std::string::npos) << stranger.trouble();
  auto system = TlsClient::open({});
  ASSERT_TRUE(system.has_value());
  const HttpSocket unknown(where_, *system);
  EXPECT_NE(unknown.trouble().find("by --ca FILE or COPSE_CA"), std::string::npos)
      << unknown.trouble();
  const HttpSocket elsewhere(where_, client(), "example.org");
  EXPECT_NE(elsewhere.trouble().find("is not for example.org"), std::string::npos)
      << elsewhere.trouble();
  const HttpSocket address(where_, client(), "127.0.0.2");
  EXPECT_NE(address.trouble().find("is not for 127.0.0.2"), std::string::npos) << address.trouble();
  EXPECT_TRUE(HttpSocket(where_, client()).connected());
}

TEST_F(TlsTest, ClientsTrustNoCertificateThatHasEnded) {
  write("server.pem", in_one(signer_.sign({.from_s = -7200, .to_s = -3600})));
  start();
  const HttpSocket asks(where_, client());
  EXPECT_NE(asks.trouble().find("is not valid now (certificate has expired)"), std::string::npos)
      << asks.trouble();
}

// --- Certificates of clients

// By role: looks, takes, changes.
TEST_F(TlsTest, CertificatesSayWhoMayDoWhat) {
  start(true);
  struct Row {
    Role role;
    int look, take, change;
  };
  for (const Row& row : {Row{Role::guest, 200, 403, 403}, Row{Role::user, 200, 201, 403},
                         Row{Role::operate, 200, 201, 200}, Row{Role::owner, 200, 201, 200}}) {
    HttpSocket asks(where_, client_named(std::string(word(row.role)), signer_));
    ASSERT_TRUE(asks.connected()) << asks.trouble();
    EXPECT_EQ(asks.ask("GET", "/v1/machine").status, row.look) << word(row.role);
    EXPECT_EQ(asks.ask("PUT", "/v1/grants/7", kOneCore).status, row.take) << word(row.role);
    EXPECT_EQ(asks.ask("DELETE", "/v1/grants/7").status == 200, row.take == 201);
    EXPECT_EQ(asks.ask("PATCH", "/v1/nodes/n0", R"({"status": "up"})").status, row.change)
        << word(row.role);
  }
}

TEST_F(TlsTest, CertificatesOfOthersSayNothing) {
  start(true);
  HttpSocket unmapped(where_, client_named("eve", signer_));
  EXPECT_EQ(unmapped.ask("GET", "/v1/machine").status, 401);
  EXPECT_EQ(unmapped.ask("GET", "/v1/machine", {}, tokens_[Role::guest]).status, 200);
  EXPECT_EQ(HttpSocket(where_, client()).ask("GET", "/v1/machine").status, 401);
  // Certificates of another authority, and expired ones, are refused.
  HttpSocket forged(where_, client_named("owner", stranger_));
  EXPECT_EQ(forged.ask("GET", "/v1/healthz").status, 0);
  EXPECT_NE(forged.trouble().find("unknown ca"), std::string::npos) << forged.trouble();
  HttpSocket late(where_, client_named("owner", signer_, -60));
  EXPECT_EQ(late.ask("GET", "/v1/healthz").status, 0);
  EXPECT_NE(late.trouble().find("certificate expired"), std::string::npos) << late.trouble();
}

TEST_F(TlsTest, WithoutSignersNoCertificateCounts) {
  start(false);
  HttpSocket asks(where_, client_named("owner", signer_));
  EXPECT_EQ(asks.ask("GET", "/v1/machine").status, 401);
}

TEST_F(TlsTest, UnknownOnesAreAnonymous) {
  Server::Options options;
  options.anonymous = Role::guest;
  start(true, std::move(options));
  HttpSocket asks(where_, client_named("eve", signer_));
  EXPECT_EQ(asks.ask("GET", "/v1/machine").status, 200);
  EXPECT_EQ(asks.ask("PUT", "/v1/grants/7", kOneCore).status, 403);
}

TEST_F(TlsTest, TokensGoBeforeCertificates) {
  start(true);
  HttpSocket asks(where_, client_named("owner", signer_));
  EXPECT_EQ(asks.ask("PUT", "/v1/grants/7", kOneCore, tokens_[Role::guest]).status, 403);
  EXPECT_EQ(asks.ask("GET", "/v1/machine", {}, "copse_" + std::string(64, '0')).status, 401);
  EXPECT_EQ(asks.ask("PUT", "/v1/grants/7", kOneCore).status, 201);
}

TEST_F(TlsTest, ARowThatIsTakenAwayCountsNoMore) {
  start(true);
  HttpSocket asks(where_, client_named("owner", signer_));
  EXPECT_EQ(asks.ask("GET", "/v1/machine").status, 200);
  {
    const std::scoped_lock lock(mutex_);
    table_ = {};
  }
  EXPECT_EQ(asks.ask("GET", "/v1/machine").status, 401);
}

// --- Before there is TLS

TEST_F(TlsTest, PlainHttpIsToldSo) {
  start();
  for (const char* method : {"GET", "DELETE"}) {
    HttpSocket plain(where_);
    ASSERT_TRUE(plain.send(HttpSocket::request(method, "/v1/machine")));
    const HttpAnswer got = plain.answer();
    EXPECT_EQ(got.status, 400);
    EXPECT_NE(got.body.find("TLS"), std::string::npos);
    EXPECT_TRUE(plain.ended());
  }
  HttpSocket garbage(where_);
  ASSERT_TRUE(garbage.send(std::string(1'000, '\x16')));
  EXPECT_TRUE(garbage.ended());
  HttpSocket asks(where_, client());
  const std::string figures = asks.ask("GET", "/v1/metrics", {}, tokens_[Role::guest]).body;
  EXPECT_NE(figures.find("copse_tls_handshake_failures_total 3\n"), std::string::npos) << figures;
}

TEST_F(TlsTest, HalfOpenHandshakesAreLetGo) {
  Server::Options options;
  options.clients_max = 8;
  options.http.handshake = std::chrono::seconds(1);
  start(false, std::move(options));
  // A record of a handshake that says that it has 512 bytes.
  const std::string begun("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);
  std::vector<std::unique_ptr<HttpSocket>> silent;
  for (int i = 0; i < 8; ++i) {
    silent.push_back(std::make_unique<HttpSocket>(where_));
    if (i % 2 == 0) {
      EXPECT_TRUE(silent.back()->send(begun));
    }
  }
  for (const auto& one : silent) EXPECT_TRUE(one->ended());
  HttpSocket asks(where_, client());
  ASSERT_TRUE(asks.connected()) << asks.trouble();
  EXPECT_EQ(asks.ask("GET", "/v1/healthz").status, 200);
}

TEST_F(TlsTest, TheOldestHalfOpenHandshakeGoesFirst) {
  Server::Options options;
  options.http.handshakes_max = 3;
  options.http.handshake = std::chrono::minutes(10);
  start(false, std::move(options));
  std::vector<std::unique_ptr<HttpSocket>> silent;
  for (int i = 0; i < 12; ++i) silent.push_back(std::make_unique<HttpSocket>(where_));
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(silent[static_cast<std::size_t>(i)]->ended()) << i;
  HttpSocket asks(where_, client());
  ASSERT_TRUE(asks.connected()) << asks.trouble();
  const std::string figures = asks.ask("GET", "/v1/metrics", {}, tokens_[Role::guest]).body;
  EXPECT_NE(figures.find("copse_tls_handshake_failures_total 10\n"), std::string::npos) << figures;
}

TEST_F(TlsTest, TooManyClientsAreClosed) {
  Server::Options options;
  options.clients_max = 1;
  start(false, std::move(options));
  HttpSocket first(where_, client());
  EXPECT_EQ(first.ask("GET", "/v1/metrics", {}, tokens_[Role::guest]).status, 200);
  const HttpSocket second(where_, client());
  EXPECT_FALSE(second.connected());
  EXPECT_EQ(first.ask("GET", "/v1/metrics", {}, tokens_[Role::guest]).status, 200);
}

TEST_F(TlsTest, EndsWhileAHandshakeIsHalfOpen) {
  start();
  HttpSocket half(where_);
  ASSERT_TRUE(half.send(std::string("\x16\x03\x01\x02\x00", 5)));
  HttpSocket asks(where_, client());
  EXPECT_EQ(asks.ask("GET", "/v1/healthz").status, 200);
  stop();
  EXPECT_TRUE(half.ended());
  EXPECT_TRUE(asks.ended());
}

TEST_F(TlsTest, OldVersionsAreRefused) {
  start();
  for (const int version : {TLS1_1_VERSION, TLS1_2_VERSION, TLS1_3_VERSION}) {
    const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(
        SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    SSL_CTX_set_security_level(context.get(), 0);
    SSL_CTX_set_min_proto_version(context.get(), version);
    SSL_CTX_set_max_proto_version(context.get(), version);
    const int number = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port =
        htons(static_cast<std::uint16_t>(std::stoi(where_.substr(where_.rfind(':') + 1))));
    ASSERT_EQ(::connect(number, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    {
      TlsSocket tls(*context, number, TlsSocket::Side::client);
      TlsSocket::Step step = tls.handshake();
      while (step.waits() && wait_for(number, step.state, 120'000)) step = tls.handshake();
      EXPECT_EQ(step.state == TlsSocket::Step::State::done, version >= TLS1_2_VERSION)
          << version << ' ' << step.why;
    }
    ::close(number);
  }
}

TEST_F(TlsTest, ANewCertificateIsForNewClients) {
  std::atomic<int> times = 0;
  Server::Options options;
  options.reload = [&] {
    (void)tls_->reload();
    ++times;
  };
  start(false, std::move(options));
  const auto hang_up = [&] {
    const int before = times;
    ASSERT_EQ(::kill(::getpid(), SIGHUP), 0);
    ASSERT_TRUE(eventually([&] { return times > before; }));
  };
  HttpSocket before(where_, client());
  EXPECT_EQ(before.ask("GET", "/v1/healthz").status, 200);
  write("server.pem", "no certificate");
  hang_up();
  EXPECT_TRUE(HttpSocket(where_, client()).connected());
  write("server.pem", in_one(stranger_.sign({})));
  hang_up();
  EXPECT_FALSE(HttpSocket(where_, client()).connected());
  EXPECT_TRUE(HttpSocket(where_, client("stranger.pem")).connected());
  EXPECT_EQ(before.ask("GET", "/v1/healthz").status, 200);
}

}  // namespace
}  // namespace copse::server
