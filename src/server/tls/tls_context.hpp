// SPDX-License-Identifier: Apache-2.0
//
// The OpenSSL context of both ends, with the rules of this project, and its PEM files of
// certificates and keys.
//
// Rules: TLS 1.2 or later; OpenSSL's security level 2 (RSA of 2048 bits, no SHA-1); no
// renegotiation, no compression, no session cache in the server.
//
// A file has at most 1 MiB and 1,000 certificates. Errors name the file and say what to do.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "copse/error.hpp"
#include "server/tls/tls_socket.hpp"

namespace copse::server {

using TlsContext = std::shared_ptr<ssl_ctx_st>;

// Errors: io (out of memory).
[[nodiscard]] Result<TlsContext> make_tls_context(TlsSocket::Side side);

// Loads a certificate with its intermediate chain, and its key, which may be in the same file.
// Returns when the certificate expires (seconds since 1970). Errors: io; invalid (the key is
// readable by everybody or writable by its group; the key is encrypted, or belongs to another
// certificate; certificate or key is too weak).
[[nodiscard]] Result<std::int64_t> use_certificate(ssl_ctx_st& context,
                                                   const std::string& certificate_file,
                                                   const std::string& key_file);
// Trusts the certificate authorities in a file. A server then requests a certificate from its
// clients. Errors: io; invalid.
[[nodiscard]] Result<void> trust_signers(ssl_ctx_st& context, const std::string& file,
                                         TlsSocket::Side side);

}  // namespace copse::server
