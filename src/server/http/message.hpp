// SPDX-License-Identifier: Apache-2.0
//
// HTTP requests and responses (RFC 9110) as values, without sockets or a parser.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "journal/store.hpp"
#include "server/rights/rights.hpp"

namespace copse::server {

// A source of server-sent events for a stream without end.
class EventSource {
 public:
  virtual ~EventSource() = default;
  // Appends new events, if any. Returns a record number: all records before it must be on disk
  // before the events are sent.
  virtual journal::Sequence next(std::string& out) = 0;
};

struct HttpResponse;

// The rest of a response that takes long: other clients are served between its steps. The request and
// its body are valid until it is complete.
class ResponseWork {
 public:
  virtual ~ResponseWork() = default;
  // Does one step. True: the response is complete.
  virtual bool step(HttpResponse& out, std::int64_t now_s) = 0;
};

struct HttpRequest {
  std::string_view method, target, body;
  // Header fields; "": absent.
  std::string_view if_none_match{}, if_match{}, last_event_id{}, idempotency_key{};
  std::string_view accept_encoding{};
  Caller caller{};
};

struct HttpResponse {
  unsigned status = 200;
  std::string type = "application/json";  // Content-Type
  std::string body{};
  std::vector<std::pair<std::string, std::string>> fields{};  // further header fields
  journal::Sequence needs = 0;  // all records before it must be on disk before it is sent
  // A stream without end: journal records from this number on.
  std::optional<journal::Sequence> events_from{};
  std::function<void(std::string& lines)>
      reduce_events{};                          // what the client sees of a record; empty: all
  std::shared_ptr<EventSource> event_source{};  // a stream without end, polled twice a second
  std::shared_ptr<ResponseWork> work{};         // not complete yet
};

}  // namespace copse::server
