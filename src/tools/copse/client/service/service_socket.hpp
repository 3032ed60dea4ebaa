// SPDX-License-Identifier: Apache-2.0
//
// ServiceSocket: a connection to a service, over TLS if its address says so. Closed when it goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "server/tls/tls_socket.hpp"
#include "tools/copse/client/service/service_address.hpp"

namespace copse {

class ServiceSocket {
 public:
  // nothing: what has come is not for the one who asks; too_late: nothing has come; ended: the other
  // end has said so; gone: it has not.
  struct Received {
    enum class State : std::uint8_t { some, nothing, too_late, ended, gone };
    State state = State::gone;
    std::size_t bytes = 0;
    std::string why{};  // of gone: perhaps the reason
  };

  // Errors: not_found (nobody listens there: says how to start a service); io; those of
  // TlsClient::connect.
  [[nodiscard]] static Result<ServiceSocket> connect(const ServiceAddress& address);
  ServiceSocket(ServiceSocket&& other) noexcept;
  ServiceSocket& operator=(ServiceSocket&& other) noexcept;
  ~ServiceSocket();

  // False: the other end has gone, or takes nothing for half a minute.
  [[nodiscard]] bool send(std::string_view bytes) const;
  // Waits until something comes, as long as wait_at_most() says. A piece of 16 KiB or more leaves nothing
  // behind that descriptor() does not tell of.
  [[nodiscard]] Received receive(char* bytes, std::size_t most) const;
  void wait_at_most(int seconds) { wait_ms_ = seconds * 1000; }  // 0: without end
  [[nodiscard]] int descriptor() const { return number_; }

 private:
  explicit ServiceSocket(int number) : number_(number) {}
  int number_ = -1;
  int wait_ms_ = 0;
  std::unique_ptr<server::TlsSocket> tls_{};  // goes before the socket; nullptr: without TLS
};

}  // namespace copse
