// SPDX-License-Identifier: Apache-2.0
//
// Handlers of routes that are more than one session operation.
#pragma once

#include <string>
#include <string_view>

#include "server/http/routes.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

// The session request of a body: its members, followed by the operation. `id` is JSON, or "".
// Columns in messages are those of the body. Errors: invalid (not an object).
[[nodiscard]] Result<std::string> line_of(std::string_view body, std::string_view op,
                                          std::string_view id);
// Runs a session request and returns its answer as HTTP.
[[nodiscard]] HttpResponse run_operation(HttpContext& context, const HttpCall& call,
                                         std::string_view line);
// A response with one object; body(JsonWriter&) writes its members.
template <class Body>
[[nodiscard]] HttpResponse json_response(Body body) {
  return {.body = object_text(body) + '\n'};
}
// ?limit=, the maximum number of list entries. Errors: invalid, limit.
[[nodiscard]] Result<std::size_t> limit_of(const Target& target);

// Members about a clock that is ahead, or that jumped ahead; none if neither is so.
void write_clock_warnings(JsonWriter& json, const Service& service);

// machine_handlers.cpp
[[nodiscard]] HttpResponse get_machine(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse get_nodes(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse get_node(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse patch_node(HttpContext& context, const HttpCall& call);
// grant_handlers.cpp
[[nodiscard]] HttpResponse get_grants(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse get_grant(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse put_grant(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse delete_grant(HttpContext& context, const HttpCall& call);
// batch_handlers.cpp
[[nodiscard]] HttpResponse post_batch(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse post_simulate(HttpContext& context, const HttpCall& call);
// service_handlers.cpp
[[nodiscard]] HttpResponse get_healthz(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse get_readyz(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse get_metrics(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse get_openapi(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse get_events(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse get_changes(HttpContext& context, const HttpCall& call);

}  // namespace copse::server
