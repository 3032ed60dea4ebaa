// SPDX-License-Identifier: Apache-2.0
//
// ServeTls: TLS of `copse serve`: its certificate and key, and the users of client certificates.
//
// SIGHUP reads all of it again. If a file can't be read, the old one stays in use, and the log reports it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "copse/error.hpp"
#include "server/rights/certificate_table.hpp"
#include "server/tls/tls_server.hpp"

namespace copse {

class ServeTls {
 public:
  struct Words {
    std::string certificate, key, client_ca;
    std::string config;  // the file of the table of certificates; "": none
  };
  using Log = std::function<void(const std::string& line)>;

  // Errors: invalid (a key or a client CA without a certificate); those of
  // TlsServer::open and read_certificate_table.
  [[nodiscard]] static Result<ServeTls> open(Words words);

  // nullptr: without TLS.
  [[nodiscard]] const server::TlsServer* server() const { return tls_ ? &*tls_ : nullptr; }
  [[nodiscard]] server::Caller authenticate(std::span<const std::string> names) const {
    return table_.authenticate(names);
  }
  void reload(const Log& log, std::int64_t now_s);
  // Logs that the certificate has expired, or expires within 14 days.
  void say_end(const Log& log, std::int64_t now_s) const;

 private:
  explicit ServeTls(Words words) : words_(std::move(words)) {}

  Words words_;
  std::optional<server::TlsServer> tls_{};
  server::CertificateTable table_{};
};

}  // namespace copse
