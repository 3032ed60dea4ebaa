// SPDX-License-Identifier: Apache-2.0
//
// TlsClient: whom a client of a service trusts, and how it shows who it is.
//
// A service is trusted if its certificate is for the host that was asked for, counts now, and is signed
// by somebody in `ca`; without that, by somebody whom the system trusts. There is no way around it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "copse/error.hpp"
#include "server/tls/tls_context.hpp"
#include "server/tls/tls_socket.hpp"

namespace copse::server {

class TlsClient {
 public:
  struct Files {
    std::string ca;           // "": those of the system
    std::string certificate;  // "": it shows none
    std::string key;          // may be the same file
  };

  // Errors: those of use_certificate and trust_signers.
  [[nodiscard]] static Result<TlsClient> open(const Files& files);
  // Takes a socket that is connected; it stays its owner's. Waits up to `time_ms`. `host` is a name or
  // an address; `name` is how people call the service. Errors: io, with what to do.
  [[nodiscard]] Result<std::unique_ptr<TlsSocket>> connect(int socket, const std::string& host,
                                                           const std::string& name,
                                                           int time_ms) const;

 private:
  TlsClient(TlsContext context, bool has_ca) : context_(std::move(context)), has_ca_(has_ca) {}
  [[nodiscard]] std::string why(const TlsSocket::Step& step, const std::string& host,
                                const std::string& name) const;

  TlsContext context_;
  bool has_ca_;
};

// Waits for what a step wants. False: it has not come within that time (-1: without end).
[[nodiscard]] bool wait_for(int socket, TlsSocket::Step::State wanted, int time_ms);

}  // namespace copse::server
