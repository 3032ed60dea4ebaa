// SPDX-License-Identifier: Apache-2.0
//
// Files of certificates and keys that are wrong; names in certificates, and whose they are.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "journal/temporary_folder.hpp"
#include "server/rights/certificate_table.hpp"
#include "server/test_certificates.hpp"
#include "server/tls/tls_server.hpp"
#include "server/tls/tls_socket.hpp"

namespace copse::server {
namespace {

class TlsFiles : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text, mode_t mode = 0600) {
    const std::string path = (folder_.path() / name).string();
    std::ofstream(path) << text;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  // What is said of these files; "": they are good.
  static std::string sentence(const std::string& certificate, const std::string& key,
                              const std::string& client_ca = {}) {
    const auto opened =
        TlsServer::open({.certificate = certificate, .key = key, .client_ca = client_ca});
    return opened ? "" : opened.error().message();
  }
  static bool says(const std::string& sentence, std::string_view part) {
    return sentence.find(part) != std::string::npos && sentence.find('\n') == std::string::npos;
  }

  journal::TemporaryFolder folder_;
  TestSigner signer_{"signer"};
  TestCertificate good_ = signer_.sign({});
  std::string certificate_ = write("cert.pem", good_.certificate),
              key_ = write("key.pem", good_.key);
};

TEST_F(TlsFiles, AreOneOrTwo) {
  EXPECT_EQ(sentence(certificate_, key_), "");
  const std::string both = write("both.pem", good_.certificate + signer_.certificate() + good_.key);
  EXPECT_EQ(sentence(both, both), "");
  EXPECT_EQ(sentence(both, both, write("ca.pem", signer_.certificate())), "");
}

TEST_F(TlsFiles, KeysAreTheirOwners) {
  EXPECT_EQ(sentence(certificate_, write("group.pem", good_.key, 0640)), "");
  for (const mode_t mode : {0644U, 0604U, 0660U, 0602U}) {
    const std::string said = sentence(certificate_, write("open.pem", good_.key, mode));
    EXPECT_TRUE(says(said, "open.pem\" may be read or written by others: chmod 600 it")) << said;
  }
}

TEST_F(TlsFiles, SayWhatIsWrong) {
  const TestCertificate other = signer_.sign({});
  const std::string mismatch = sentence(certificate_, write("other.pem", other.key));
  EXPECT_TRUE(says(mismatch, "does not belong to the certificate")) << mismatch;
  const std::string secret =
      sentence(certificate_, write("secret.pem", TestSigner::encrypted(good_.key)));
  EXPECT_TRUE(says(secret, "is encrypted: \"openssl pkey")) << secret;
  const std::string swapped = sentence(key_, certificate_);
  EXPECT_TRUE(says(swapped, "key.pem\" has no certificate: it must be PEM")) << swapped;
  const std::string no_key = sentence(certificate_, certificate_);
  EXPECT_TRUE(says(no_key, "cert.pem\" has no key")) << no_key;
  const std::string nothing = sentence(certificate_, (folder_.path() / "none").string());
  EXPECT_TRUE(says(nothing, "can't read the key")) << nothing;
  EXPECT_TRUE(says(nothing, "No such file")) << nothing;
  const std::string folder = sentence(folder_.path().string(), key_);
  EXPECT_TRUE(says(folder, "it is not a regular file")) << folder;
  const std::string endless = sentence("/dev/zero", key_);
  EXPECT_TRUE(says(endless, "it is not a regular file")) << endless;
  const std::string large = sentence(write("large.pem", std::string((1U << 20U) + 1, 'x')), key_);
  EXPECT_TRUE(says(large, "more than 1048576 bytes")) << large;
  std::string torn = good_.certificate;
  torn.replace(torn.size() / 2, 4, "????");
  const std::string broken = sentence(write("torn.pem", torn), key_);
  EXPECT_TRUE(says(broken, "certificate 1 of ")) << broken;
  EXPECT_TRUE(says(broken, "can't be read")) << broken;
  const std::string signers = sentence(certificate_, key_, write("empty.pem", ""));
  EXPECT_TRUE(says(signers, "empty.pem\" has no certificate")) << signers;
}

TEST_F(TlsFiles, WeakKeysAreRefused) {
  const TestCertificate weak = signer_.sign({.rsa_bits = 1024});
  const std::string said =
      sentence(write("weak.pem", weak.certificate), write("weak-key.pem", weak.key));
  EXPECT_TRUE(says(said, "can't be used: ee key too small")) << said;
}

TEST_F(TlsFiles, WhatIsReadAgainReplacesAllOrNothing) {
  auto tls = TlsServer::open({.certificate = certificate_, .key = key_, .client_ca = {}});
  ASSERT_TRUE(tls.has_value());
  const std::int64_t ends_s = tls->ends_s();
  const TestCertificate later = signer_.sign({.to_s = 7200});
  write("cert.pem", later.certificate);
  EXPECT_FALSE(tls->reload().has_value());  // the key is still the other one's
  EXPECT_EQ(tls->ends_s(), ends_s);
  write("key.pem", later.key);
  EXPECT_TRUE(tls->reload().has_value());
  EXPECT_GE(tls->ends_s(), ends_s + 3600);
}

std::vector<std::string> names_in(const std::string& pem) {
  BIO* const in = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* const read = PEM_read_bio_X509(in, nullptr, nullptr, nullptr);
  std::vector<std::string> out = certificate_names(*read);
  X509_free(read);
  BIO_free(in);
  return out;
}

TEST(CertificateNames, AreTheSubjectAndItsOthers) {
  const TestSigner signer("signer");
  const TestCertificate ada = signer.sign(
      {.name = "ada",
       .others = "DNS:a.example,email:ada@example.org,URI:spiffe://site/ada,IP:127.0.0.1"});
  EXPECT_EQ(names_in(ada.certificate),
            (std::vector<std::string>{"CN:ada", "DNS:a.example", "email:ada@example.org",
                                      "URI:spiffe://site/ada"}));
  // A name that a table may not have as it looks is none.
  EXPECT_TRUE(names_in(signer.sign({.name = std::string("ada\0.org", 8), .others = ""}).certificate)
                  .empty());
  EXPECT_TRUE(names_in(signer.sign({.name = "a\nda", .others = ""}).certificate).empty());
}

TEST(CertificateTableTest, FirstNameWithARowCounts) {
  CertificateTable table;
  ASSERT_TRUE(table.add("CN:ada", "ada", "operator").has_value());
  ASSERT_TRUE(table.add("DNS:ci.example", "ci", "user").has_value());
  using Names = std::vector<std::string>;
  EXPECT_EQ(table.authenticate(Names{"CN:ada", "DNS:ci.example"}).name, "ada");
  EXPECT_EQ(table.authenticate(Names{"CN:x", "DNS:ci.example"}).name, "ci");
  EXPECT_EQ(table.authenticate(Names{"CN:ada"}).role, Role::operate);
  for (const char* none : {"CN:Ada", "CN:ada ", "DNS:ada", "ada", "CN:ci.example"}) {
    EXPECT_EQ(table.authenticate(Names{none}).role, Role::none) << none;
  }
  EXPECT_EQ(table.authenticate(Names{}).role, Role::none);
}

TEST(CertificateTableTest, WrongRowsAreRefused) {
  const std::vector<std::array<std::string, 3>> wrong{
      {"ada", "ada", "user"},      {"CN:", "ada", "user"},
      {"OU:ada", "ada", "user"},   {"CN:ada", "", "user"},
      {"CN:ada", "uid:0", "user"}, {"CN:ada", "ada", "none"},
      {"CN:ada", "ada", "king"},   {"CN:" + std::string(300, 'a'), "ada", "user"}};
  CertificateTable table;
  for (const auto& [name, user, role] : wrong) {
    const auto added = table.add(name, user, role);
    ASSERT_FALSE(added.has_value()) << name << ' ' << user << ' ' << role;
    EXPECT_EQ(added.error().code, ErrorCode::invalid);
  }
  ASSERT_TRUE(table.add("CN:ada", "ada", "user").has_value());
  EXPECT_EQ(table.add("CN:ada", "bob", "owner").error().code, ErrorCode::exists);
  EXPECT_EQ(table.size(), 1U);
}

}  // namespace
}  // namespace copse::server
