// SPDX-License-Identifier: Apache-2.0
//
// The address of a service, and the credentials of the client.
//
//   /run/copse/copse.sock      unix:/run/copse/copse.sock       a Unix socket
//   127.0.0.1:7400             http://127.0.0.1:7400            HTTP, with a token
//                              https://host:7400                likewise, over TLS
//
// The address is that of --server, else of COPSE_SERVER; else the default socket of `copse serve`.
// The token is that of --token-file, else of COPSE_TOKEN, else of the file COPSE_TOKEN_FILE. It is never
// on a command line, where other users could read it.
//
// The authorities for the certificate of the service are those of --ca, else COPSE_CA, else those of the
// system. The client's own certificate and key are --cert and --key, else COPSE_CERT and COPSE_KEY.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "server/tls/tls_client.hpp"

namespace copse {

class CommandLine;

struct ServiceAddress {
  std::string name;        // for people, and for COPSE_SERVER
  std::string path;        // of a Unix socket; "": HTTP
  std::string host, port;  // of HTTP
  std::string token;       // "": none
  bool secret = false;     // HTTPS
  std::string ca;  // the file of the authorities for its certificate; "": those of the system
  std::shared_ptr<const server::TlsClient> tls;  // of HTTPS, once find_service() has read the files
};

// Errors: invalid (no path, no port, another scheme); limit (the path).
[[nodiscard]] Result<ServiceAddress> parse_service_address(std::string_view text);

// The options of all commands that are clients.
struct ClientOptions {
  std::string server, token_file, ca, certificate, key;
  bool json = false;
};
// Adds --server, --token-file, --ca, --cert and --key; and --json with this meaning, unless that is "".
void add_client_options(
    CommandLine& line, ClientOptions& options,
    std::string_view json = "print the answers of the service: JSON, one per line");
// Errors: those of parse_service_address and TlsClient::open; io, invalid (the token); not_found (no folder for a socket).
[[nodiscard]] Result<ServiceAddress> find_service(const ClientOptions& options);

}  // namespace copse
