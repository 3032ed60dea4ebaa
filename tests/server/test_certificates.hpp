// SPDX-License-Identifier: Apache-2.0
//
// Certificates for tests, made when they run: a certificate authority, and certificates that it signed.
#pragma once

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>

namespace copse::server {

struct TestCertificate {
  std::string certificate, key;  // PEM
};

class TestSigner {
 public:
  explicit TestSigner(const std::string& name) : key_(new_key(0)), own_(X509_new()) {
    fill(*own_, *key_, name, -3600, 3600);
    add_extension(*own_, NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(own_.get(), key_.get(), EVP_sha256());
  }

  struct Wish {
    std::string name = "localhost";  // the CN
    std::string others = "DNS:localhost,IP:127.0.0.1";
    long from_s = -3600, to_s = 3600;  // from now
    int rsa_bits = 0;                  // 0: an elliptic curve
  };
  [[nodiscard]] TestCertificate sign(const Wish& wish) const {
    const Key key = new_key(wish.rsa_bits);
    const Made made(X509_new());
    fill(*made, *key, wish.name, wish.from_s, wish.to_s);
    if (!wish.others.empty()) add_extension(*made, NID_subject_alt_name, wish.others);
    X509_set_issuer_name(made.get(), X509_get_subject_name(own_.get()));
    X509_sign(made.get(), key_.get(), EVP_sha256());
    return {text_of(*made), text_of(*key)};
  }
  [[nodiscard]] std::string certificate() const { return text_of(*own_); }
  // The key with a password.
  [[nodiscard]] static std::string encrypted(const std::string& key_text) {
    const Writer in(BIO_new_mem_buf(key_text.data(), static_cast<int>(key_text.size())));
    const Key key(PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr));
    const Writer out(BIO_new(BIO_s_mem()));
    PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), EVP_aes_128_cbc(), "secret", 6, nullptr,
                                  nullptr);
    return text_of(*out);
  }

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* made) const { X509_free(made); }
    void operator()(BIO* bio) const { BIO_free(bio); }
  };
  using Key = std::unique_ptr<EVP_PKEY, Free>;
  using Made = std::unique_ptr<X509, Free>;
  using Writer = std::unique_ptr<BIO, Free>;

  static Key new_key(int rsa_bits) {
    return Key(rsa_bits == 0 ? EVP_EC_gen("P-256") : EVP_RSA_gen(static_cast<unsigned>(rsa_bits)));
  }
  static void fill(X509& made, EVP_PKEY& key, const std::string& name, long from_s, long to_s) {
    static long number = 1;
    X509_set_version(&made, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(&made), number++);
    X509_gmtime_adj(X509_getm_notBefore(&made), from_s);
    X509_gmtime_adj(X509_getm_notAfter(&made), to_s);
    X509_set_pubkey(&made, &key);
    X509_NAME* const subject = X509_get_subject_name(&made);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.data()),
                               static_cast<int>(name.size()), -1, 0);
    X509_set_issuer_name(&made, subject);
  }
  static void add_extension(X509& made, int kind, const std::string& text) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, &made, &made, nullptr, nullptr, 0);
    X509_EXTENSION* const one = X509V3_EXT_conf_nid(nullptr, &context, kind, text.c_str());
    X509_add_ext(&made, one, -1);
    X509_EXTENSION_free(one);
  }
  static std::string text_of(BIO& bio) {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(&bio, &bytes);
    return {bytes, static_cast<std::size_t>(size)};
  }
  static std::string text_of(X509& made) {
    const Writer out(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(out.get(), &made);
    return text_of(*out);
  }
  static std::string text_of(EVP_PKEY& key) {
    const Writer out(BIO_new(BIO_s_mem()));
    PEM_write_bio_PrivateKey(out.get(), &key, nullptr, nullptr, 0, nullptr, nullptr);
    return text_of(*out);
  }

  Key key_;
  Made own_;
};

}  // namespace copse::server
