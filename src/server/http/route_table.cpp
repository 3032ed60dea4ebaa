// SPDX-License-Identifier: Apache-2.0
#include "server/http/route_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "server/http/handlers/handlers.hpp"
#include "session/protocol/session_operations.hpp"

namespace copse::server {

namespace {

using Id = HttpRoute::Id;

constexpr std::string_view kRequest = R"({"shape": "node/slot=2/core=2", "duration": "1h"})";
constexpr std::string_view kLines =
    "{\"op\": \"alloc\", \"id\": 71, \"shape\": \"slot=1/core\", \"duration\": 60}\n"
    "{\"op\": \"free\", \"id\": 71}\n";
constexpr std::string_view kReservation =
    R"({"name": "maintenance", "nodes": "node[0-3]", "start": 1800000000, "duration": "4h", )"
    R"("users": [], "repeat": "weekly"})";
constexpr std::string_view kJsonLines = "application/jsonl";

// Routes of a session operation require its permission.
template <std::size_t Count>
constexpr std::array<HttpRoute, Count> with_permissions(std::array<HttpRoute, Count> routes) {
  for (HttpRoute& route : routes) {
    if (!route.op.empty()) route.permission = find_operation(route.op)->permission;
  }
  return routes;
}

// In the order of openapi.json.
constexpr std::array kRoutes = with_permissions(std::array{
    HttpRoute{.method = "GET",
              .path = "/v1/machine",
              .permission = Permission::read,
              .name = "machine",
              .summary = "The machine, and how much of it is free, allocated and down",
              .handler = get_machine,
              .timed = true},
    HttpRoute{.method = "GET",
              .path = "/v1/nodes",
              .permission = Permission::read,
              .name = "nodes",
              .summary = "Nodes, with their states and jobs",
              .handler = get_nodes,
              .timed = true},
    HttpRoute{.method = "GET",
              .path = "/v1/nodes/{name}",
              .permission = Permission::read,
              .name = "node",
              .summary = "One node, with its states and jobs",
              .handler = get_node,
              .timed = true},
    HttpRoute{.method = "PATCH",
              .path = "/v1/nodes/{name}",
              .permission = Permission::change,
              .name = "set-node",
              .summary = "Drain a node, set it down, or up again",
              .handler = patch_node,
              .example = R"({"status": "drain", "reason": "fan"})"},
    HttpRoute{.method = "GET",
              .path = "/v1/drains",
              .name = "drains",
              .summary = "Drained nodes, with reason, operator and time",
              .op = "drains"},
    HttpRoute{.method = "GET",
              .path = "/v1/grants",
              .permission = Permission::read,
              .name = "grants",
              .summary = "Grants, running and planned",
              .handler = get_grants},
    HttpRoute{.method = "GET",
              .path = "/v1/grants/{id}",
              .permission = Permission::read,
              .name = "grant",
              .summary = "One grant, with its R",
              .handler = get_grant},
    HttpRoute{.method = "PUT",
              .path = "/v1/grants/{id}",
              .permission = Permission::allocate,
              .name = "allocate",
              .summary = "Request resources under an id that the client chooses",
              .handler = put_grant,
              .example = kRequest},
    HttpRoute{.method = "DELETE",
              .path = "/v1/grants/{id}",
              .permission = Permission::release_own,
              .name = "release-grant",
              .summary = "Release a grant",
              .handler = delete_grant},
    HttpRoute{.method = "GET",
              .path = "/v1/jobs",
              .name = "jobs",
              .summary = "Waiting, running and recently ended jobs",
              .op = "jobs"},
    HttpRoute{.method = "POST",
              .path = "/v1/jobs",
              .name = "submit",
              .summary = "Submit a job to the queue",
              .op = "submit",
              .example = kRequest},
    HttpRoute{.method = "GET",
              .path = "/v1/jobs/{id}",
              .name = "job",
              .summary = "One job",
              .op = "job",
              .id = Id::number},
    HttpRoute{.method = "GET",
              .path = "/v1/jobs/{id}/why",
              .name = "why",
              .summary = "Why a job waits",
              .op = "why",
              .id = Id::number,
              .timed = true},
    HttpRoute{.method = "GET",
              .path = "/v1/jobs/{id}/when",
              .name = "when",
              .summary = "When a job starts",
              .op = "when",
              .id = Id::number,
              .timed = true},
    HttpRoute{.method = "DELETE",
              .path = "/v1/jobs/{id}",
              .name = "cancel",
              .summary = "Cancel a job",
              .op = "cancel",
              .id = Id::number},
    HttpRoute{.method = "PATCH",
              .path = "/v1/jobs/{id}",
              .name = "set-priority",
              .summary = "Set the priority of a job; only operators raise it",
              .op = "priority",
              .id = Id::number,
              .example = R"({"priority": -5})"},
    HttpRoute{.method = "POST",
              .path = "/v1/jobs/{id}/hold",
              .name = "hold",
              .summary = "Hold a waiting job",
              .op = "hold",
              .id = Id::number},
    HttpRoute{.method = "POST",
              .path = "/v1/jobs/{id}/release",
              .name = "release",
              .summary = "Release a held job",
              .op = "release",
              .id = Id::number},
    HttpRoute{.method = "POST",
              .path = "/v1/jobs/{id}/end",
              .name = "end",
              .summary = "Report the end of a running job, with its \"status\"",
              .op = "end",
              .id = Id::number,
              .example = R"({"status": 0})"},
    HttpRoute{.method = "GET",
              .path = "/v1/queue",
              .name = "queue",
              .summary = "The queues",
              .op = "queue"},
    HttpRoute{.method = "GET",
              .path = "/v1/usage",
              .name = "usage",
              .summary = "What users have used, and their fair shares",
              .op = "usage"},
    HttpRoute{.method = "POST",
              .path = "/v1/explain",
              .name = "explain",
              .summary = "Why a request would get nothing now",
              .op = "explain",
              .example = kRequest},
    HttpRoute{.method = "POST",
              .path = "/v1/satisfy",
              .name = "satisfy",
              .summary = "Whether the empty machine could serve a request",
              .op = "satisfy",
              .example = kRequest},
    HttpRoute{.method = "POST",
              .path = "/v1/simulate",
              .permission = Permission::try_out,
              .name = "simulate",
              .summary = "Try requests on a copy of the state: nothing changes",
              .handler = post_simulate,
              .example = kLines,
              .type = kJsonLines},
    HttpRoute{.method = "POST",
              .path = "/v1/batch",
              .permission = Permission::read,
              .name = "batch",
              .summary = "Requests of the session protocol, one per line",
              .handler = post_batch,
              .example = kLines,
              .type = kJsonLines},
    HttpRoute{.method = "GET",
              .path = "/v1/layers",
              .name = "layers",
              .summary = "Layers of hierarchical resources",
              .op = "layers",
              .timed = true},
    HttpRoute{.method = "POST",
              .path = "/v1/layers",
              .name = "add-layer",
              .summary = "Add a layer",
              .op = "add-layer",
              .example = R"({"resource": "licence", "nodes": "node[0-3]", "count": 10})"},
    HttpRoute{.method = "PATCH",
              .path = "/v1/layers",
              .name = "set-layer",
              .summary = "Set the count of a layer",
              .op = "set-layer",
              .example = R"({"resource": "licence", "nodes": "node[0-3]", "count": 8})"},
    HttpRoute{.method = "GET",
              .path = "/v1/reservations",
              .name = "reservations",
              .summary = "Named reservations of nodes",
              .op = "reservations",
              .timed = true},
    HttpRoute{.method = "POST",
              .path = "/v1/reservations/try",
              .name = "try-reservation",
              .summary = "What adding a reservation of nodes would do: nothing changes",
              .op = "try-reservation",
              .member = "reservation",
              .example = kReservation},
    HttpRoute{.method = "POST",
              .path = "/v1/reservations",
              .name = "add-reservation",
              .summary = "Reserve nodes for a time, such as for maintenance",
              .op = "add-reservation",
              .member = "reservation",
              .example = kReservation},
    HttpRoute{.method = "DELETE",
              .path = "/v1/reservations",
              .name = "end-reservation",
              .summary = "End a named reservation of nodes; the name is in the body",
              .op = "end-reservation",
              .example = R"({"name": "maintenance"})"},
    HttpRoute{.method = "PUT",
              .path = "/v1/reservations/{id}",
              .name = "reserve-layer",
              .summary = "Reserve an amount of a layer, under this id, for some jobs",
              .op = "reserve-layer",
              .id = Id::text,
              .example = R"({"resource": "licence", "nodes": "node[0-3]", "count": 2, "start": )"
                         R"(1800000000, "duration": "1d", "for": [7]})"},
    HttpRoute{.method = "DELETE",
              .path = "/v1/reservations/{id}",
              .name = "free-layer",
              .summary =
                  "End the reservation of a layer that has this id; for reservations of nodes: "
                  "DELETE /v1/reservations",
              .op = "free-layer",
              .id = Id::text},
    HttpRoute{.method = "DELETE",
              .path = "/v1/layers",
              .name = "remove-layer",
              .summary = "Remove a layer",
              .op = "remove-layer",
              .example = R"({"resource": "licence", "nodes": "node[0-3]"})"},
    HttpRoute{.method = "GET",
              .path = "/v1/changes",
              .permission = Permission::read,
              .name = "changes",
              .summary = "The changes since a given one",
              .handler = get_changes},
    HttpRoute{.method = "GET",
              .path = "/v1/events",
              .permission = Permission::read,
              .name = "events",
              .summary =
                  "Changes as they happen, from now on, or on from Last-Event-ID or an event's seq",
              .handler = get_events,
              .type = "text/event-stream"},
    HttpRoute{.method = "GET",
              .path = "/v1/metrics",
              .permission = Permission::read,
              .name = "metrics",
              .summary = "Metrics for Prometheus",
              .handler = get_metrics,
              .type = "text/plain; version=0.0.4",
              .timed = true},
    HttpRoute{.method = "GET",
              .path = "/metrics",
              .permission = Permission::read,
              .name = "metrics-as-usual",
              .summary = "The same, where Prometheus looks for them",
              .handler = get_metrics,
              .type = "text/plain; version=0.0.4",
              .timed = true},
    HttpRoute{.method = "GET",
              .path = "/v1/healthz",
              .permission = Permission::liveness,
              .name = "healthz",
              .summary = "Whether the service is alive",
              .handler = get_healthz},
    HttpRoute{.method = "GET",
              .path = "/v1/readyz",
              .permission = Permission::liveness,
              .name = "readyz",
              .summary = "Whether the service accepts changes",
              .handler = get_readyz},
    HttpRoute{.method = "GET",
              .path = "/v1/openapi.json",
              .permission = Permission::liveness,
              .name = "openapi",
              .summary = "This interface as OpenAPI 3.1",
              .handler = get_openapi},
});

// Whether a path matches; then `parameter` is the part that matched {…}.
bool fits(std::string_view pattern, const std::vector<std::string>& path, std::string& parameter) {
  pattern.remove_prefix(1);
  for (const std::string& part : path) {
    const std::size_t end = std::min(pattern.find('/'), pattern.size());
    const std::string_view wanted = pattern.substr(0, end);
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
    if (wanted.starts_with('{')) {
      parameter = part;
    } else if (wanted != part) {
      return false;
    }
  }
  return pattern.empty() && !path.empty();
}

}  // namespace

std::span<const HttpRoute> api_routes() { return kRoutes; }

RouteMatch match_route(std::string_view method, const Target& target) {
  RouteMatch out;
  if (method == "HEAD") method = "GET";
  for (const HttpRoute& route : Routes::table()) {
    std::string parameter;
    if (!fits(route.path, target.path, parameter)) continue;
    if (route.method == method) return {&route, std::move(parameter), {}};
    out.allowed += (out.allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  return out;
}

}  // namespace copse::server
