// SPDX-License-Identifier: Apache-2.0
//
// TlsServer: the certificate and key of a service, and the authorities that must have signed its
// clients' certificates.
//
// Invariant: there is always a usable context. reload() replaces it as a whole or not at all; open
// connections keep theirs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "copse/error.hpp"
#include "server/tls/tls_context.hpp"
#include "server/tls/tls_socket.hpp"

namespace copse::server {

class TlsServer {
 public:
  struct Files {
    std::string certificate;
    std::string key;        // may be the same file
    std::string client_ca;  // "": no certificates are requested
  };

  // Errors: those of use_certificate and trust_signers.
  [[nodiscard]] static Result<TlsServer> open(Files files) {
    auto loaded = load(files);
    if (!loaded) return std::unexpected(loaded.error());
    return TlsServer(std::move(files), std::move(*loaded));
  }
  // Reads the files again. Errors: likewise; the old context stays.
  [[nodiscard]] Result<void> reload() {
    auto loaded = load(files_);
    if (!loaded) return std::unexpected(loaded.error());
    loaded_ = std::move(*loaded);
    return {};
  }
  // Takes an accepted socket, which the caller still owns.
  [[nodiscard]] std::unique_ptr<TlsSocket> accept(int socket) const {
    return std::make_unique<TlsSocket>(*loaded_.context, socket, TlsSocket::Side::server);
  }
  // When the certificate expires, in seconds since 1970.
  [[nodiscard]] std::int64_t ends_s() const { return loaded_.ends_s; }

 private:
  struct Loaded {
    TlsContext context;
    std::int64_t ends_s = 0;
  };
  TlsServer(Files files, Loaded loaded) : files_(std::move(files)), loaded_(std::move(loaded)) {}
  [[nodiscard]] static Result<Loaded> load(const Files& files) {
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

  Files files_;
  Loaded loaded_;
};

}  // namespace copse::server
