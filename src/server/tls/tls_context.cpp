// SPDX-License-Identifier: Apache-2.0
#include "server/tls/tls_context.hpp"

#include <fcntl.h>
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <cerrno>
#include <ctime>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "files/descriptor.hpp"
#include "files/read_file.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kPemBytesMax = std::size_t{1} << 20, kCertificatesMax = 1'000;
constexpr int kSecurityLevel = 2;

struct FreeOpenssl {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Certificate = std::unique_ptr<X509, FreeOpenssl>;
using Key = std::unique_ptr<EVP_PKEY, FreeOpenssl>;

// OpenSSL's reason for the last error.
std::string openssl_reason() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason == nullptr ? "OpenSSL has failed" : reason;
}

std::unexpected<Error> wrong_pem(std::string text) {
  ERR_clear_error();
  return fail(ErrorCode::invalid, std::move(text));
}

// The text of a key is wiped, so that it does not stay in freed memory.
struct PemText {
  std::string text;
  mode_t mode = 0;
  PemText(std::string text_in, mode_t mode_in) : text(std::move(text_in)), mode(mode_in) {}
  PemText(PemText&&) = default;
  PemText& operator=(PemText&&) = delete;
  ~PemText() { OPENSSL_cleanse(text.data(), text.size()); }
};

Result<PemText> read_pem(const std::string& path, std::string_view what) {
  const auto cannot = [&](const std::string& why) {
    return fail(ErrorCode::io,
                fmt::format("can't read the {} {}: {}", what, shown_word(path), why));
  };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) return cannot(reason_of(errno));
  struct stat facts{};
  if (::fstat(file.number(), &facts) != 0) return cannot(reason_of(errno));
  if (!S_ISREG(facts.st_mode)) return cannot("it is not a regular file");
  ReadText text = read_descriptor(file.number(), kPemBytesMax + 1);
  if (!text) return cannot(text.error().reason);
  if (text->size() > kPemBytesMax) {
    return fail(ErrorCode::limit, fmt::format("the {} {} has more than {} bytes", what,
                                              shown_word(path), kPemBytesMax));
  }
  return PemText(std::move(*text), facts.st_mode);
}

std::unique_ptr<BIO, FreeOpenssl> reader_of(const PemText& pem) {
  return std::unique_ptr<BIO, FreeOpenssl>(
      BIO_new_mem_buf(pem.text.data(), static_cast<int>(pem.text.size())));
}

Result<std::vector<Certificate>> read_certificates(const std::string& path) {
  const auto pem = read_pem(path, "certificate");
  if (!pem) return std::unexpected(pem.error());
  const auto reader = reader_of(*pem);
  std::vector<Certificate> out;
  while (out.size() < kCertificatesMax) {
    Certificate next(PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr));
    if (next == nullptr) break;
    out.push_back(std::move(next));
  }
  const unsigned long code = ERR_peek_last_error();
  const bool at_end =
      ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
  if (out.empty() && at_end) {
    return wrong_pem(
        fmt::format("{} has no certificate: it must be PEM, with \"-----BEGIN "
                    "CERTIFICATE-----\"",
                    shown_word(path)));
  }
  if (!at_end) {
    return wrong_pem(fmt::format("certificate {} of {} can't be read: {}", out.size() + 1,
                                 shown_word(path), openssl_reason()));
  }
  ERR_clear_error();
  return out;
}

// Refuses to ask for a password: the service has no terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

Result<Key> read_key(const std::string& path) {
  const auto pem = read_pem(path, "key");
  if (!pem) return std::unexpected(pem.error());
  bool encrypted = false;
  Key key(PEM_read_bio_PrivateKey(reader_of(*pem).get(), nullptr, no_password, &encrypted));
  if (encrypted) {
    return wrong_pem(
        fmt::format("the key {} is encrypted: \"openssl pkey -in KEY -out NEW\" "
                    "writes it without a password",
                    shown_word(path)));
  }
  if (key == nullptr) {
    return wrong_pem(
        fmt::format("{} has no key: it must be PEM, with \"-----BEGIN PRIVATE "
                    "KEY-----\"",
                    shown_word(path)));
  }
  if ((pem->mode & (S_IRWXO | S_IWGRP)) != 0) {
    return fail(ErrorCode::invalid,
                fmt::format("the key {} may be read or written by others: chmod 600 it, and make "
                            "another key if others have read it",
                            shown_word(path)));
  }
  return key;
}

std::int64_t seconds_of(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? std::int64_t{::timegm(&parts)} : 0;
}

}  // namespace

Result<TlsContext> make_tls_context(TlsSocket::Side side) {
  const bool serves = side == TlsSocket::Side::server;
  TlsContext out(SSL_CTX_new(serves ? TLS_server_method() : TLS_client_method()), SSL_CTX_free);
  if (out == nullptr || SSL_CTX_set_min_proto_version(out.get(), TLS1_2_VERSION) != 1) {
    return fail(ErrorCode::io, "TLS can't be set up: " + openssl_reason());
  }
  // The system may require a higher level.
  if (SSL_CTX_get_security_level(out.get()) < kSecurityLevel) {
    SSL_CTX_set_security_level(out.get(), kSecurityLevel);
  }
  SSL_CTX_set_options(out.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Write buffers may move, and one record is written at a time; idle connections release their
  // buffers.
  SSL_CTX_set_mode(out.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(out.get(), SSL_SESS_CACHE_OFF);
  return out;
}

Result<std::int64_t> use_certificate(ssl_ctx_st& context, const std::string& certificate_file,
                                     const std::string& key_file) {
  const auto certificates = read_certificates(certificate_file);
  if (!certificates) return std::unexpected(certificates.error());
  const auto key = read_key(key_file);
  if (!key) return std::unexpected(key.error());
  const std::string shown = shown_word(certificate_file);
  X509* const own = certificates->front().get();
  if (X509_check_private_key(own, key->get()) != 1) {
    return wrong_pem(
        fmt::format("the key {} does not belong to the certificate {}: name the "
                    "right files, or make a new pair",
                    shown_word(key_file), shown));
  }
  bool good = SSL_CTX_use_certificate(&context, own) == 1 &&
              SSL_CTX_use_PrivateKey(&context, key->get()) == 1;
  for (std::size_t i = 1; good && i < certificates->size(); ++i) {
    good = SSL_CTX_add1_chain_cert(&context, (*certificates)[i].get()) == 1;
  }
  if (!good) {
    const std::string reason = openssl_reason();
    return wrong_pem(fmt::format("the certificate {} can't be used: {}", shown, reason));
  }
  return seconds_of(X509_get0_notAfter(own));
}

Result<void> trust_signers(ssl_ctx_st& context, const std::string& file, TlsSocket::Side side) {
  const auto signers = read_certificates(file);
  if (!signers) return std::unexpected(signers.error());
  X509_STORE* const trusted = SSL_CTX_get_cert_store(&context);
  for (const Certificate& one : *signers) {
    const bool server = side == TlsSocket::Side::server;
    if (X509_STORE_add_cert(trusted, one.get()) != 1 ||
        (server && SSL_CTX_add_client_CA(&context, one.get()) != 1)) {
      const std::string reason = openssl_reason();
      return wrong_pem(
          fmt::format("a certificate of {} can't be used: {}", shown_word(file), reason));
    }
  }
  if (side == TlsSocket::Side::server) {
    // No session resumption: a client presents its certificate each time, so an expired one is
    // refused.
    SSL_CTX_set_verify(&context, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_options(&context, SSL_OP_NO_TICKET);
    (void)SSL_CTX_set_num_tickets(&context, 0);
  }
  return {};
}

}  // namespace copse::server
