// SPDX-License-Identifier: Apache-2.0
//
// The program `copse serve` with TLS, and commands and curl as its clients.
#include <gtest/gtest.h>

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/eventually.hpp"
#include "server/test_certificates.hpp"
#include "tools/live_service.hpp"

namespace copse {
namespace {

namespace fs = std::filesystem;

class ClientTls : public testing::Test {
 protected:
  ClientTls() {
    write("ca.pem", signer_.certificate());
    write("server.pem", in_one(signer_.sign({})));
    write("ada.pem", in_one(signer_.sign({.name = "ada", .others = ""})));
    write("carl.pem", in_one(signer_.sign({.name = "x", .others = "email:carl@example.org"})));
    write("bob.pem", in_one(signer_.sign({.name = "bob", .others = ""})));
    write("serve.toml", config_with("operator"));
    service_.emplace(std::vector<std::string>{"--config", path("serve.toml")});
  }
  [[nodiscard]] std::string config_with(const std::string& role) const {
    return "listen = [\"127.0.0.1:0\"]\ntls-cert = \"" + path("server.pem") +
           "\"\ntls-client-ca = \"" + path("ca.pem") +
           "\"\n[tls-clients]\n\"CN:ada\" = { user = \"ada\", role = \"" + role +
           "\" }\n\"email:carl@example.org\" = { user = \"carl\", role = \"user\" }\n";
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (files_.path() / name).string();
  }
  void write(const std::string& name, const std::string& text) const {
    files_.write(name, text);
    fs::permissions(files_.path() / name, fs::perms::owner_read | fs::perms::owner_write);
  }
  static std::string in_one(const server::TestCertificate& made) {
    return made.certificate + made.key;
  }
  [[nodiscard]] Outcome copse(std::vector<std::string> words,
                              std::vector<std::string> variables = {}) const {
    variables.insert(variables.begin(), {"COPSE_SERVER=" + service_->url()});
    return service_->copse(words, variables);
  }
  // As ada, an operator.
  [[nodiscard]] std::vector<std::string> ada() const {
    return {"COPSE_CA=" + path("ca.pem"), "COPSE_CERT=" + path("ada.pem")};
  }
  // Whether the log of the service has the text, before a time limit.
  [[nodiscard]] bool logs(std::string_view text) const {
    return eventually([&] { return service_->log().find(text) != std::string::npos; });
  }

  server::TestSigner signer_{"signer"};
  Scratch files_;
  std::optional<LiveService> service_;
};

TEST_F(ClientTls, CommandsAskWithACertificate) {
  ASSERT_TRUE(service_->url().starts_with("https://127.0.0.1:")) << service_->log();
  EXPECT_EQ(copse({"nodes"}, ada()).output,
            "STATE      NODES NODELIST\nfree           4 node[0-3]\n");
  EXPECT_EQ(copse({"drain", "node3", "--ca", path("ca.pem"), "--cert", path("ada.pem"), "--key",
                   path("ada.pem")})
                .status,
            0);
  // A job of a user belongs to the name in the table of certificates.
  const std::vector<std::string> carl{"COPSE_CA=" + path("ca.pem"),
                                      "COPSE_CERT=" + path("carl.pem")};
  EXPECT_EQ(copse({"submit", "--shape", "slot=1/core", "--duration", "1h"}, carl).output, "1\n");
  EXPECT_EQ(copse({"jobs", "-o", "{id} {user}", "--no-header"}, carl).output, "1 carl\n");
  EXPECT_EQ(copse({"drain", "node2"}, carl).status, 2);
  // The end of a job comes by events.
  EXPECT_EQ(copse({"cancel", "1"}, ada()).status, 0);
  (void)service_->ask(R"({"op": "end", "id": 1})");
  EXPECT_NE(copse({"wait", "1"}, ada()).status, 2);
  const Outcome ran = copse({"run", "--any-host", "--shape", "slot=1/core", "--", "/bin/sh", "-c",
                             "echo $COPSE_SERVER; test -f \"$COPSE_CA\""},
                            ada());
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ran.output, service_->url() + "\n");
}

TEST_F(ClientTls, WhoHasNoRowNeedsAToken) {
  const std::vector<std::string> bob{"COPSE_CA=" + path("ca.pem"), "COPSE_CERT=" + path("bob.pem")};
  const Outcome refused = copse({"nodes"}, bob);
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("requires a token"), std::string::npos) << refused.errors;
}

TEST_F(ClientTls, SaysWhyThereIsNoTls) {
  const auto says = [&](const Outcome& outcome, std::string_view part) {
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.errors.find(part), std::string::npos) << outcome.errors;
    EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
  };
  says(copse({"nodes"}), "name the authority that signs its certificate by --ca FILE or COPSE_CA");
  write("other.pem", server::TestSigner("other").certificate());
  says(copse({"nodes", "--ca", path("other.pem")}),
       "no authority in the file of --ca or COPSE_CA has signed its certificate");
  says(copse({"nodes", "--key", path("ada.pem")}), "the key has no certificate");
  says(copse({"nodes", "--server", service_->socket(), "--ca", path("ca.pem")}),
       "--ca requires a service at https://HOST:PORT");
  const std::string port = service_->url().substr(service_->url().rfind(':'));
  says(copse({"nodes", "--server", "http://127.0.0.1" + port}), "requires TLS: use https://");
  write("stranger.pem", in_one(server::TestSigner("other").sign({.name = "ada"})));
  says(copse({"nodes", "--ca", path("ca.pem"), "--cert", path("stranger.pem")}),
       "refuses TLS with this client: ");
  const LiveService plain({"--listen", "127.0.0.1:0"});
  const std::string plain_port = plain.url().substr(plain.url().rfind(':'));
  says(copse({"nodes", "--server", "https://127.0.0.1" + plain_port, "--ca", path("ca.pem")}),
       "does not speak TLS: use http://");
}

TEST_F(ClientTls, HangUpReadsCertificateAndTable) {
  ASSERT_EQ(copse({"undrain", "node3"}, ada()).status, 0);
  write("serve.toml", config_with("guest"));
  write("server.pem", "no certificate\n");
  service_->tell(SIGHUP);
  EXPECT_TRUE(logs("the certificate is unchanged: ")) << service_->log();
  const Outcome forbidden = copse({"undrain", "node3"}, ada());
  EXPECT_EQ(forbidden.status, 2);
  EXPECT_NE(forbidden.errors.find("the role guest may not do this"), std::string::npos)
      << forbidden.errors;
  const server::TestSigner other("other");
  write("server.pem", in_one(other.sign({.to_s = 7 * 24 * 3600})));
  write("serve.toml", "[tls-clients]\n\"CN:ada\" = 7\n");
  service_->tell(SIGHUP);
  EXPECT_TRUE(logs("the certificate is reloaded")) << service_->log();
  EXPECT_TRUE(logs("the table of certificates is unchanged: ")) << service_->log();
  EXPECT_TRUE(logs("expires within 7 days")) << service_->log();
  write("other.pem", other.certificate());
  EXPECT_EQ(
      copse({"nodes"}, {"COPSE_CA=" + path("other.pem"), "COPSE_CERT=" + path("ada.pem")}).status,
      0);
  EXPECT_EQ(copse({"nodes"}, ada()).status, 2);
}

TEST_F(ClientTls, CurlAsks) {
  if (!fs::exists("/usr/bin/curl")) GTEST_SKIP() << "there is no curl";
  const auto curl = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"/usr/bin/curl", "-sS", "--max-time", "30"});
    return run({.words = std::move(words), .input = {}, .folder = files_.path()});
  };
  const std::string url = service_->url();
  EXPECT_EQ(curl({"--cacert", "ca.pem", url + "/v1/healthz"}).output, "{\"status\": \"ok\"}\n");
  const std::string both = curl({"--cacert", "ca.pem", "--cert", "ada.pem", "-X", "PATCH", "-d",
                                 R"({"status": "drain"})", url + "/v1/nodes/node1", "-o",
                                 "/dev/null", "-w", "%{http_code}"})
                               .output;
  EXPECT_EQ(both, "200");
  EXPECT_EQ(curl({url + "/v1/healthz"}).status, 60);  // the certificate is not trusted
  EXPECT_NE(curl({"--cacert", "ca.pem", "--tls-max", "1.1", url + "/v1/healthz"}).status, 0);
}

TEST(ServeTlsWords, AreCheckedBeforeAnythingIsMade) {
  const Scratch scratch;
  const auto says = [&](std::vector<std::string> words, std::string_view part) {
    words.insert(words.begin(), {program("copse"), "serve", "--state", "state", "--socket", "s",
                                 "--listen", "127.0.0.1:0"});
    const Outcome outcome = run({.words = std::move(words), .input = {}, .folder = scratch.path()});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.errors.find(part), std::string::npos) << outcome.errors;
    EXPECT_FALSE(fs::exists(scratch.path() / "state"));
  };
  const server::TestCertificate made = server::TestSigner("signer").sign({});
  scratch.write("cert.pem", made.certificate);
  scratch.write("key.pem", made.key);
  fs::permissions(scratch.path() / "key.pem", fs::perms(0644));
  says({"--tls-key", "key.pem"}, "--tls-key requires --tls-cert");
  says({"--tls-client-ca", "cert.pem"}, "--tls-client-ca requires --tls-cert");
  says({"--tls-cert", "cert.pem"}, "\"cert.pem\" has no key");
  says({"--tls-cert", "cert.pem", "--tls-key", "key.pem"},
       "the key \"key.pem\" may be read or written by others: chmod 600 it");
  scratch.write("serve.toml", "[tls-clients]\n\"CN:ada\" = { user = \"ada\", role = \"user\" }\n");
  says({"--config", "serve.toml"}, "\"tls-clients\" needs \"tls-client-ca\"");
}

}  // namespace
}  // namespace copse
