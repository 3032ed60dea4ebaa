// SPDX-License-Identifier: Apache-2.0
#include "server/tls/tls_socket.hpp"

#include <arpa/inet.h>
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "files/read_file.hpp"

namespace copse::server {

namespace {

// --- OpenSSL's view of the socket. OpenSSL's own socket BIO would raise SIGPIPE.

int socket_of(BIO* bio) { return *static_cast<const int*>(BIO_get_data(bio)); }

bool may_go_on(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

int write_bytes(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t sent =
      ::send(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && may_go_on(errno)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int read_bytes(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t got = ::recv(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_DONTWAIT);
  if (got < 0 && may_go_on(errno)) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}

long control_bytes(BIO* /*bio*/, int what, long /*number*/, void* /*pointer*/) {
  return what == BIO_CTRL_FLUSH ? 1 : 0;
}

const BIO_METHOD* socket_method() {
  static const BIO_METHOD* const kMethod = [] {
    BIO_METHOD* made =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "a socket without SIGPIPE");
    if (made == nullptr) return made;
    (void)BIO_meth_set_write(made, write_bytes);
    (void)BIO_meth_set_read(made, read_bytes);
    (void)BIO_meth_set_ctrl(made, control_bytes);
    return made;
  }();
  return kMethod;
}

bool is_address(const std::string& host) {
  unsigned char bytes[sizeof(in6_addr)];
  return ::inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

bool is_not_tls(int reason) {
  return reason == SSL_R_HTTP_REQUEST || reason == SSL_R_HTTPS_PROXY_REQUEST ||
         reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_UNKNOWN_PROTOCOL;
}

}  // namespace

TlsSocket::TlsSocket(ssl_ctx_st& context, int socket, Side side)
    : socket_(socket), ssl_(SSL_new(&context)) {
  if (ssl_ == nullptr) return;
  BIO* const bio = BIO_new(socket_method());
  if (bio == nullptr) {
    SSL_free(ssl_);
    ssl_ = nullptr;
    return;
  }
  BIO_set_data(bio, &socket_);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
  if (side == Side::server) {
    SSL_set_accept_state(ssl_);
  } else {
    SSL_set_connect_state(ssl_);
  }
}

TlsSocket::~TlsSocket() { SSL_free(ssl_); }

bool TlsSocket::expect_host(const std::string& host) {
  if (ssl_ == nullptr) return true;  // the handshake reports it
  if (is_address(host)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), host.c_str()) == 1;
  }
  SSL_set_hostflags(ssl_, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(ssl_, host.c_str()) == 1 &&
         SSL_set_tlsext_host_name(ssl_, host.c_str()) == 1;
}

TlsSocket::Step TlsSocket::step_of(int result, std::size_t bytes) {
  using State = Step::State;
  const int error = errno;
  if (result > 0) return {.state = State::done, .bytes = bytes};
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ: return {.state = State::wants_read};
    case SSL_ERROR_WANT_WRITE: return {.state = State::wants_write};
    case SSL_ERROR_ZERO_RETURN: return {.state = State::ended};
    default: break;
  }
  usable_ = false;
  Step out{.state = State::failed};
  const unsigned long code = ERR_peek_error();
  if (code == 0) {
    out.why = error == 0 ? "the peer closed the connection" : reason_of(error);
    return out;
  }
  const char* const reason = ERR_reason_error_string(code);
  out.why = reason == nullptr ? "TLS has failed" : reason;
  const int number = ERR_GET_REASON(code);
  out.is_not_tls = is_not_tls(number);
  out.is_refused = number >= SSL_AD_REASON_OFFSET;
  if (number == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    out.verify_error = SSL_get_verify_result(ssl_);
    out.why = X509_verify_cert_error_string(out.verify_error);
  }
  ERR_clear_error();
  return out;
}

TlsSocket::Step TlsSocket::handshake() {
  if (ssl_ == nullptr) return {.why = "there is no memory for TLS"};
  ERR_clear_error();
  errno = 0;
  Step out = step_of(SSL_do_handshake(ssl_), 0);
  usable_ = out.state == Step::State::done;
  return out;
}

TlsSocket::Step TlsSocket::read(char* bytes, std::size_t most) {
  if (!usable_) return {.why = "the connection is over"};
  ERR_clear_error();
  errno = 0;
  std::size_t got = 0;
  const int result = SSL_read_ex(ssl_, bytes, most, &got);
  return step_of(result, got);
}

TlsSocket::Step TlsSocket::write(std::string_view bytes) {
  if (!usable_) return {.why = "the connection is over"};
  if (bytes.empty()) return {.state = Step::State::done};
  ERR_clear_error();
  errno = 0;
  std::size_t put = 0;
  const int result = SSL_write_ex(ssl_, bytes.data(), bytes.size(), &put);
  return step_of(result, put);
}

void TlsSocket::send_close_notify() {
  if (!std::exchange(usable_, false)) return;
  ERR_clear_error();
  (void)SSL_shutdown(ssl_);
  ERR_clear_error();
}

bool TlsSocket::has_pending() const { return ssl_ != nullptr && SSL_pending(ssl_) > 0; }

std::vector<std::string> TlsSocket::peer_names() const {
  if (!usable_ || SSL_get_verify_result(ssl_) != X509_V_OK) return {};
  const X509* const shown = SSL_get0_peer_certificate(ssl_);
  return shown == nullptr ? std::vector<std::string>() : certificate_names(*shown);
}

namespace {

constexpr std::size_t kNamesMax = 64, kNameBytesMax = 256;

void add_name(std::vector<std::string>& names, std::string_view kind, const ASN1_STRING* text) {
  if (text == nullptr || names.size() >= kNamesMax) return;
  unsigned char* bytes = nullptr;
  const int size = ASN1_STRING_to_UTF8(&bytes, text);
  if (size < 0) return;
  const std::string name(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  const bool plain =
      std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (name.empty() || name.size() > kNameBytesMax || !plain) return;
  names.push_back(std::string(kind) + name);
}

void add_alternative(std::vector<std::string>& names, const GENERAL_NAME& name) {
  switch (name.type) {
    case GEN_DNS: return add_name(names, "DNS:", name.d.dNSName);
    case GEN_EMAIL: return add_name(names, "email:", name.d.rfc822Name);
    case GEN_URI: return add_name(names, "URI:", name.d.uniformResourceIdentifier);
    default: return;
  }
}

}  // namespace

std::vector<std::string> certificate_names(const x509_st& certificate) {
  std::vector<std::string> out;
  const X509_NAME* const subject = X509_get_subject_name(&certificate);
  for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) >= 0;) {
    add_name(out, "CN:", X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  }
  const auto free_names = [](GENERAL_NAMES* names) { GENERAL_NAMES_free(names); };
  const std::unique_ptr<GENERAL_NAMES, decltype(free_names)> others(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)),
      free_names);
  for (int i = 0; others != nullptr && i < sk_GENERAL_NAME_num(others.get()); ++i) {
    add_alternative(out, *sk_GENERAL_NAME_value(others.get(), i));
  }
  return out;
}

}  // namespace copse::server
