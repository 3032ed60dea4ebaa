// SPDX-License-Identifier: Apache-2.0
#include "server/tls/tls_server.hpp"

namespace copse::server {

Result<TlsServer::Loaded> TlsServer::load(const Files& files) {
  auto context = make_tls_context(TlsSocket::Side::server);
  if (!context) return std::unexpected(context.error());
  const auto ends_s = use_certificate(**context, files.certificate, files.key);
  if (!ends_s) return std::unexpected(ends_s.error());
  if (!files.client_ca.empty()) {
    auto trusted = trust_signers(**context, files.client_ca, TlsSocket::Side::server);
    if (!trusted) return std::unexpected(trusted.error());
  }
  return Loaded{std::move(*context), *ends_s};
}

Result<TlsServer> TlsServer::open(Files files) {
  auto loaded = load(files);
  if (!loaded) return std::unexpected(loaded.error());
  return TlsServer(std::move(files), std::move(*loaded));
}

Result<void> TlsServer::reload() {
  auto loaded = load(files_);
  if (!loaded) return std::unexpected(loaded.error());
  loaded_ = std::move(*loaded);
  return {};
}

std::unique_ptr<TlsSocket> TlsServer::accept(int socket) const {
  return std::make_unique<TlsSocket>(*loaded_.context, socket, TlsSocket::Side::server);
}

}  // namespace copse::server
