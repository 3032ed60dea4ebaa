// SPDX-License-Identifier: Apache-2.0
//
// Routes: /v1 over HTTP. A request in, a response out; no socket.
//
// A route is a row of one table: method, path, permission, and either a session operation, which
// gets the body or query, or a handler. So there is one grammar of requests, and one place that
// checks permissions. openapi.json is made from the table.
//
// Within /v1, routes and members may be added, but not changed or removed.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/http/events/event_log.hpp"
#include "server/http/message.hpp"
#include "server/http/target.hpp"
#include "server/service.hpp"

namespace copse::server {

class PageService;

// What handlers use.
struct HttpContext {
  Service& service;
  EventLog& events;
  std::string version{};        // of Copse
  PageService* page = nullptr;  // nullptr: no page
  // Appends the server's metrics, in Prometheus format.
  std::function<void(std::string& out)> more_metrics{};
  std::map<std::pair<std::string_view, unsigned>, std::uint64_t>
      counts{};  // by route name and status
};

struct HttpCall {
  const HttpRequest& request;
  Target target;
  std::string parameter{};  // the part of the path that matches {…}
  std::int64_t now_s = 0;
  RequestIdentity identity{};  // stored with the change
};

struct HttpRoute {
  enum class Id : std::uint8_t { none, number, text };
  using Handler = HttpResponse (*)(HttpContext& context, const HttpCall& call);

  std::string_view method = "GET", path{};   // "/v1/grants/{id}"
  Permission permission = Permission::read;  // that of `op`, if there is one
  // operationId in openapi.json; label in metrics. By default that of `op`.
  std::string_view name{};
  std::string_view summary{};
  std::string_view op{};      // session operation; "": use `handler`
  Id id = Id::none;           // type of the operation's "id", from {…}
  std::string_view member{};  // member that the body becomes; "": the body is the request
  Handler handler = nullptr;
  std::string_view example{};                  // a body; "": no body
  std::string_view type = "application/json";  // Content-Type of the response
  bool timed = false;                          // the response also depends on the time
};

class Routes {
 public:
  explicit Routes(HttpContext& context) : context_(context) {}

  // The response, complete.
  [[nodiscard]] HttpResponse answer(const HttpRequest& request, std::int64_t now_s);
  // The response, or its begin; the rest is then made by the steps of HttpResponse::work.
  [[nodiscard]] HttpResponse begin(const HttpRequest& request, std::int64_t now_s);
  // The refusal of a request before its body is read: bodies of unauthenticated requests are not
  // read.
  [[nodiscard]] std::optional<HttpResponse> check_before_body(const HttpRequest& request,
                                                              std::int64_t now_s);

  [[nodiscard]] static std::span<const HttpRoute> table();

 private:
  [[nodiscard]] std::optional<HttpResponse> page_file(const HttpRequest& request) const;
  class Completion;
  [[nodiscard]] HttpResponse run(const HttpRoute& route, HttpCall& call);
  [[nodiscard]] HttpResponse dispatch(const HttpRoute& route, HttpCall& call);

  HttpContext& context_;
};

}  // namespace copse::server
