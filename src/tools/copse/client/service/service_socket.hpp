// SPDX-License-Identifier: Apache-2.0
//
// ServiceSocket: a connection to a service. Closed when it goes.
#pragma once

#include <string_view>

#include "copse/error.hpp"
#include "tools/copse/client/service/service_address.hpp"

namespace copse {

class ServiceSocket {
 public:
  // Errors: not_found (nobody listens there: says how to start a service); io.
  [[nodiscard]] static Result<ServiceSocket> connect(const ServiceAddress& address);
  ServiceSocket(ServiceSocket&& other) noexcept;
  ServiceSocket& operator=(ServiceSocket&& other) noexcept;
  ~ServiceSocket();

  // False: the other end has gone, or takes nothing for half a minute.
  [[nodiscard]] bool send(std::string_view bytes) const;
  // How many bytes have come; 0: the other end has ended; -1: errno says why.
  [[nodiscard]] long receive(char* bytes, std::size_t most) const;
  // After so long nothing has come, receive() is -1 with EAGAIN. 0: never.
  void wait_at_most(int seconds) const;
  [[nodiscard]] int descriptor() const { return number_; }

 private:
  explicit ServiceSocket(int number) : number_(number) {}
  int number_ = -1;
};

}  // namespace copse
