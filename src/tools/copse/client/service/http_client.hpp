// SPDX-License-Identifier: Apache-2.0
//
// HTTP/1.1 to a service, on a Unix socket or over TCP: one request on one connection, or a stream of
// events. It blocks, because a command has nothing else to do.
//
// Limits: a header of 64 KiB, an answer of 256 MiB, a line of events of 64 MiB.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "tools/copse/client/service/service_address.hpp"

namespace copse {

struct HttpReply {
  unsigned status = 0;
  std::string body;
};

// Errors: not_found (no service listens there); io, which says whether the request may have been executed.
[[nodiscard]] Result<HttpReply> ask_http(const ServiceAddress& address, std::string_view method,
                                         std::string_view target, std::string_view body = {});

// Server-sent events, as they arrive.
class EventStream {
 public:
  struct Event {
    std::string kind;                // "": of the journal; "gone": some were missed
    std::vector<std::string> lines;  // JSON, each an object
  };

  // Events from now on: none of a request that is sent after this returns can be missed.
  // Errors: as ask_http; a reply that is not a stream.
  [[nodiscard]] static Result<EventStream> open(const ServiceAddress& address);
  EventStream(EventStream&& other) noexcept;
  EventStream& operator=(EventStream&& other) noexcept;
  ~EventStream();

  // For poll(). If take() has events already, it may have nothing to read.
  [[nodiscard]] int descriptor() const;
  [[nodiscard]] bool has_pending() const;
  // Waits for data, which may not complete an event. Errors: io (it ended).
  [[nodiscard]] Result<std::vector<Event>> take();

 private:
  struct Impl;
  explicit EventStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The error of a reply other than 200.
[[nodiscard]] Error error_of(const ServiceAddress& address, const HttpReply& reply);

}  // namespace copse
