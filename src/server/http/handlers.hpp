// SPDX-License-Identifier: Apache-2.0
//
// What routes do that is more than one operation of the session.
#pragma once

#include <string>
#include <string_view>

#include "server/http/routes.hpp"

namespace copse::server {

// The request of a session: the members of an object, with the operation behind them. `id` is JSON,
// or "". Columns in messages are then those of the body. Errors: invalid (no object).
[[nodiscard]] Result<std::string> line_of(std::string_view body, std::string_view op,
                                          std::string_view id);
// The session's answer, as that of HTTP.
[[nodiscard]] HttpResponse ask_session(HttpContext& context, const HttpCall& call,
                                       std::string_view line);
// How many of a list, at most: of ?limit=. Errors: invalid, limit.
[[nodiscard]] Result<std::size_t> limit_of(const Target& target);

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
