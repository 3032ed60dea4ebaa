// SPDX-License-Identifier: Apache-2.0
//
// TlsServer: the certificate and key by which a service speaks TLS, and by whom its clients' certificates
// have to be signed.
//
// Invariant: there is always a context that works. reload() replaces it as a whole, or leaves it;
// connections keep the one that they began with.
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
    std::string client_ca;  // "": clients are not asked for certificates
  };

  // Errors: those of use_certificate and trust_signers.
  [[nodiscard]] static Result<TlsServer> open(Files files);
  // Reads the files again. Errors: likewise; then it goes on with what it has.
  [[nodiscard]] Result<void> reload();
  // Takes a socket that somebody has accepted; it stays its owner's.
  [[nodiscard]] std::unique_ptr<TlsSocket> accept(int socket) const;
  // When the certificate ends, in seconds since 1970.
  [[nodiscard]] std::int64_t ends_s() const { return loaded_.ends_s; }

 private:
  struct Loaded {
    TlsContext context;
    std::int64_t ends_s = 0;
  };
  TlsServer(Files files, Loaded loaded) : files_(std::move(files)), loaded_(std::move(loaded)) {}
  [[nodiscard]] static Result<Loaded> load(const Files& files);

  Files files_;
  Loaded loaded_;
};

}  // namespace copse::server
