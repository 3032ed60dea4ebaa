// SPDX-License-Identifier: Apache-2.0
//
// TlsClient: TLS for clients of a service: which certificates it trusts, and the certificate that
// it presents.
//
// A service is trusted if its certificate is valid now, is for the requested host, and is signed by
// an authority in `ca`, or, without `ca`, by one that the system trusts. The check cannot be turned
// off.
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
    std::string certificate;  // "": it presents none
    std::string key;          // may be the same file
  };

  // Errors: those of use_certificate and trust_signers.
  [[nodiscard]] static Result<TlsClient> open(const Files& files);
  // Takes a connected socket, which the caller still owns. Waits up to `time_ms`. `host`: a name or
  // an address; `name`: the service, for messages. Errors: io, with what to do.
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

// Waits until the socket is ready for a step. False: timed out (-1: waits without limit).
[[nodiscard]] bool wait_for(int socket, TlsSocket::Step::State wanted, int time_ms);

}  // namespace copse::server
