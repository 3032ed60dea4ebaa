// SPDX-License-Identifier: Apache-2.0
//
// Where a service is, and who asks it.
//
//   /run/copse/copse.sock      unix:/run/copse/copse.sock       a Unix socket
//   127.0.0.1:7400             http://127.0.0.1:7400            HTTP, with a token
//
// --server says it, else COPSE_SERVER; else it is the socket that `copse serve` listens at by default.
// The token is that of --token-file, else of COPSE_TOKEN, else of the file COPSE_TOKEN_FILE. It never
// stands on a command line, where others could read it.
#pragma once

#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse {

class CommandLine;

struct ServiceAddress {
  std::string name;        // for people, and for COPSE_SERVER
  std::string path;        // of a Unix socket; "": HTTP
  std::string host, port;  // of HTTP
  std::string token;       // "": none
};

// Errors: invalid (no path, no port, another scheme); limit (the path).
[[nodiscard]] Result<ServiceAddress> parse_service_address(std::string_view text);

// What commands that ask a service have in common.
struct ClientOptions {
  std::string server, token_file;
  bool json = false;
};
// Adds --server and --token-file; and --json with this meaning, unless that is "".
void add_client_options(
    CommandLine& line, ClientOptions& options,
    std::string_view json = "write what the service answers: JSON, a line each");
// Errors: those of parse_service_address; io, invalid (the token); not_found (no folder for a socket).
[[nodiscard]] Result<ServiceAddress> find_service(const ClientOptions& options);

}  // namespace copse
