// SPDX-License-Identifier: Apache-2.0
//
// What both ends of TLS set up: an OpenSSL context with the rules of this project, and the files of
// certificates and keys (PEM) in it.
//
// The rules: TLS 1.2 at least; ciphers and keys of OpenSSL's security level 2 (RSA of 2048 bits, no
// SHA-1); no renegotiation, no compression, no sessions kept by a server.
//
// A file has at most 1 MiB and 1,000 certificates. Errors name the file, and say what to do.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "server/tls/tls_socket.hpp"

namespace copse::server {

using TlsContext = std::shared_ptr<ssl_ctx_st>;

// Errors: io (there is no memory for one).
[[nodiscard]] Result<TlsContext> make_tls_context(TlsSocket::Side side);

// A certificate, with those that lead to who signed it behind it; and its key, which may be in the same
// file. Returns when the certificate ends (seconds since 1970). Errors: io; invalid (everybody may read
// the key, or its group write it; it is encrypted; it is that of another certificate; both are too weak).
[[nodiscard]] Result<std::int64_t> use_certificate(ssl_ctx_st& context,
                                                   const std::string& certificate_file,
                                                   const std::string& key_file);
// Certificates of those whose signature counts. A server then asks its clients for a certificate.
// Errors: io; invalid.
[[nodiscard]] Result<void> trust_signers(ssl_ctx_st& context, const std::string& file,
                                         TlsSocket::Side side);

}  // namespace copse::server
