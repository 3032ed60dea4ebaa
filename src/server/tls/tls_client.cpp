// SPDX-License-Identifier: Apache-2.0
#include "server/tls/tls_client.hpp"

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <poll.h>

#include <cerrno>
#include <chrono>

#include <fmt/format.h>

namespace copse::server {

bool wait_for(int socket, TlsSocket::Step::State wanted, int time_ms) {
  const short events = wanted == TlsSocket::Step::State::wants_write ? POLLOUT : POLLIN;
  pollfd one{.fd = socket, .events = events, .revents = 0};
  for (;;) {
    const int ready = ::poll(&one, 1, time_ms);
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return true;  // the next step reports the error
  }
}

Result<TlsClient> TlsClient::open(const Files& files) {
  constexpr auto kSide = TlsSocket::Side::client;
  auto context = make_tls_context(kSide);
  if (!context) return std::unexpected(context.error());
  SSL_CTX_set_verify(context->get(), SSL_VERIFY_PEER, nullptr);
  if (files.ca.empty()) {
    (void)SSL_CTX_set_default_verify_paths(context->get());
  } else if (auto trusted = trust_signers(**context, files.ca, kSide); !trusted) {
    return std::unexpected(trusted.error());
  }
  if (!files.certificate.empty()) {
    const auto used = use_certificate(**context, files.certificate, files.key);
    if (!used) return std::unexpected(used.error());
  }
  return TlsClient(std::move(*context), !files.ca.empty());
}

std::string TlsClient::why(const TlsSocket::Step& step, const std::string& host,
                           const std::string& name) const {
  switch (step.verify_error) {
    case X509_V_OK: break;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return fmt::format(
          "the certificate of the service at {} is not for {}: use a name that "
          "is in its certificate",
          name, host);
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return fmt::format("the certificate of the service at {} is not valid now ({}): replace it",
                         name, step.why);
    default:
      return fmt::format(
          "the service at {} is not trusted ({}): {}", name, step.why,
          has_ca_ ? "no authority in the file of --ca or COPSE_CA has signed its certificate"
                  : "name the authority that signs its certificate by --ca FILE or COPSE_CA");
  }
  if (step.is_not_tls) {
    return fmt::format(
        "what listens at {} does not speak TLS: use http://, or start it with "
        "--tls-cert",
        name);
  }
  if (step.is_refused) {
    return fmt::format("the service at {} refuses TLS with this client: {}", name, step.why);
  }
  return fmt::format("the TLS handshake with the service at {} failed: {}", name, step.why);
}

Result<std::unique_ptr<TlsSocket>> TlsClient::connect(int socket, const std::string& host,
                                                      const std::string& name, int time_ms) const {
  using Clock = std::chrono::steady_clock;
  auto out = std::make_unique<TlsSocket>(*context_, socket, TlsSocket::Side::client);
  if (!out->expect_host(host)) {
    return fail(ErrorCode::invalid, fmt::format("{} is not a valid host name", host));
  }
  const auto end = Clock::now() + std::chrono::milliseconds(time_ms);
  for (;;) {
    const TlsSocket::Step step = out->handshake();
    if (step.state == TlsSocket::Step::State::done) return out;
    if (!step.waits()) return fail(ErrorCode::io, why(step, host, name));
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0 || !wait_for(socket, step.state, static_cast<int>(left.count()))) {
      return fail(ErrorCode::io, fmt::format("the TLS handshake with {} was not completed "
                                             "within {} seconds",
                                             name, time_ms / 1000));
    }
  }
}

}  // namespace copse::server
