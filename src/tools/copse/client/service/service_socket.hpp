// SPDX-License-Identifier: Apache-2.0
//
// ServiceSocket: a connection to a service, over TLS if the address requires it. The destructor closes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "files/descriptor.hpp"
#include "server/tls/tls_socket.hpp"
#include "tools/copse/client/service/service_address.hpp"

namespace copse {

class ServiceSocket {
 public:
  // nothing: the data was not for the caller; too_late: no data in time; ended: the other end has closed
  // properly; lost: it has not.
  struct Received {
    enum class State : std::uint8_t { some, nothing, too_late, ended, lost };
    State state = State::lost;
    std::size_t bytes = 0;
    std::string why{};  // of lost: the reason, if it is known
  };

  // Errors: not_found (no service listens there; the message says how to start one); io; those of
  // TlsClient::connect.
  [[nodiscard]] static Result<ServiceSocket> connect(const ServiceAddress& address);
  ServiceSocket(ServiceSocket&& other) noexcept = default;
  ServiceSocket& operator=(ServiceSocket&& other) noexcept;
  ~ServiceSocket();

  // False: the other end has closed, or accepts no data for half a minute.
  [[nodiscard]] bool send(std::string_view bytes) const;
  // Waits for data, at most the time of wait_at_most(). After a read with 16 KiB or more, no data is
  // buffered that descriptor() does not report.
  [[nodiscard]] Received receive(char* bytes, std::size_t most) const;
  void wait_at_most(int seconds) { wait_ms_ = seconds * 1000; }  // 0: without end
  [[nodiscard]] int descriptor() const { return socket_.number(); }

 private:
  explicit ServiceSocket(int number) : socket_(number) {}
  Descriptor socket_;
  int wait_ms_ = 0;
  std::unique_ptr<server::TlsSocket> tls_{};  // destroyed before the socket; nullptr: without TLS
};

}  // namespace copse
