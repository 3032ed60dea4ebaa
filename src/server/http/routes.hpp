// SPDX-License-Identifier: Apache-2.0
//
// Routes: /v1 over HTTP. A request in, its answer out; no socket.
//
// A route is a row of one table: method, path, who may, and either an operation of the session, to
// which body and query are handed on, or a handler. So there is one grammar of requests, and one
// place that decides about rights. What the table has is what openapi.json says.
//
// Within /v1 things are added, never changed or taken away.
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

#include "server/http/event_log.hpp"
#include "server/http/message.hpp"
#include "server/http/target.hpp"
#include "server/service.hpp"

namespace copse::server {

class PageService;

// What handlers work with.
struct HttpContext {
  Service& service;
  EventLog& events;
  std::string version{};        // of the program
  PageService* page = nullptr;  // nullptr: there is none
  // Figures of the server, in the form of Prometheus, behind those of the routes.
  std::function<void(std::string& out)> more_metrics{};
  std::map<std::pair<std::string_view, unsigned>, std::uint64_t> counts{};  // by operation, status
};

struct HttpCall {
  const HttpRequest& request;
  Target target;
  std::string parameter{};  // of the path, where the route has {…}
  std::int64_t now_s = 0;
  Service::Asked asked{};  // to be remembered with what it changes
};

struct HttpRoute {
  enum class Id : std::uint8_t { none, number, text };
  using Handler = HttpResponse (*)(HttpContext& context, const HttpCall& call);

  std::string_view method, path;  // "/v1/grants/{id}"
  Action action = Action::live;
  std::string_view name;  // of the operation, in openapi.json and in metrics
  std::string_view about;
  std::string_view op{};      // of the session; "": the handler answers
  Id id = Id::none;           // what {…} is in that operation
  std::string_view member{};  // of it, that the body is; "": the body is all of them
  Handler handler = nullptr;
  std::string_view example{};                  // a body; "": it has none
  std::string_view type = "application/json";  // of the answer
  bool timed = false;                          // its answer changes with the time, too
};

class Routes {
 public:
  explicit Routes(HttpContext& context) : context_(context) {}

  [[nodiscard]] HttpResponse answer(const HttpRequest& request, std::int64_t now_s);
  // What is answered before a body is read: it is not, of who is not known.
  [[nodiscard]] std::optional<HttpResponse> refuse_early(const HttpRequest& request,
                                                         std::int64_t now_s);

  [[nodiscard]] static std::span<const HttpRoute> table();

 private:
  [[nodiscard]] std::optional<HttpResponse> file_of_page(const HttpRequest& request) const;
  [[nodiscard]] HttpResponse run(const HttpRoute& route, HttpCall& call);
  [[nodiscard]] HttpResponse do_route(const HttpRoute& route, HttpCall& call);

  HttpContext& context_;
};

}  // namespace copse::server
