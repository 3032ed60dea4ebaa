// SPDX-License-Identifier: Apache-2.0
#include "server/http/route_table.hpp"

#include <array>
#include <utility>

#include "server/http/handlers/handlers.hpp"
#include "session/protocol/session_operations.hpp"
#include "text/split.hpp"

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

// Routes of a session operation have its name, unless they have one, and require its permission.
template <std::size_t Count>
constexpr std::array<HttpRoute, Count> completed(std::array<HttpRoute, Count> routes) {
  for (HttpRoute& route : routes) {
    if (route.op.empty()) continue;
    if (route.name.empty()) route.name = route.op;
    route.permission = find_operation(route.op)->permission;
  }
  return routes;
}

// In the order of openapi.json.
constexpr std::array kRoutes = completed(std::array{
    HttpRoute{.path = "/v1/machine",
              .name = "machine",
              .summary = "The machine, and how much of it is free, allocated and down",
              .handler = get_machine,
              .timed = true},
    HttpRoute{.path = "/v1/nodes",
              .name = "nodes",
              .summary = "Nodes, with their states and jobs",
              .handler = get_nodes,
              .timed = true},
    HttpRoute{.path = "/v1/nodes/{name}",
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
    HttpRoute{.path = "/v1/drains",
              .summary = "Drained nodes, with reason, operator and time",
              .op = "drains"},
    HttpRoute{.path = "/v1/grants",
              .name = "grants",
              .summary = "Grants, running and planned",
              .handler = get_grants},
    HttpRoute{.path = "/v1/grants/{id}",
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
    HttpRoute{
        .path = "/v1/jobs", .summary = "Waiting, running and recently ended jobs", .op = "jobs"},
    HttpRoute{.method = "POST",
              .path = "/v1/jobs",
              .summary = "Submit a job to the queue",
              .op = "submit",
              .example = kRequest},
    HttpRoute{.path = "/v1/jobs/{id}", .summary = "One job", .op = "job", .id = Id::number},
    HttpRoute{.path = "/v1/jobs/{id}/why",
              .summary = "Why a job waits",
              .op = "why",
              .id = Id::number,
              .timed = true},
    HttpRoute{.path = "/v1/jobs/{id}/when",
              .summary = "When a job starts",
              .op = "when",
              .id = Id::number,
              .timed = true},
    HttpRoute{.method = "DELETE",
              .path = "/v1/jobs/{id}",
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
              .summary = "Hold a waiting job",
              .op = "hold",
              .id = Id::number},
    HttpRoute{.method = "POST",
              .path = "/v1/jobs/{id}/release",
              .summary = "Release a held job",
              .op = "release",
              .id = Id::number},
    HttpRoute{.method = "POST",
              .path = "/v1/jobs/{id}/end",
              .summary = "Report the end of a running job, with its \"status\"",
              .op = "end",
              .id = Id::number,
              .example = R"({"status": 0})"},
    HttpRoute{.path = "/v1/queue", .summary = "The queues", .op = "queue"},
    HttpRoute{.path = "/v1/usage",
              .summary = "What users have used, and their fair shares",
              .op = "usage"},
    HttpRoute{.method = "POST",
              .path = "/v1/explain",
              .summary = "Why a request would get nothing now",
              .op = "explain",
              .example = kRequest},
    HttpRoute{.method = "POST",
              .path = "/v1/satisfy",
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
              .name = "batch",
              .summary = "Requests of the session protocol, one per line",
              .handler = post_batch,
              .example = kLines,
              .type = kJsonLines},
    HttpRoute{.path = "/v1/layers",
              .summary = "Layers of hierarchical resources",
              .op = "layers",
              .timed = true},
    HttpRoute{.method = "POST",
              .path = "/v1/layers",
              .summary = "Add a layer",
              .op = "add-layer",
              .example = R"({"resource": "licence", "nodes": "node[0-3]", "count": 10})"},
    HttpRoute{.method = "PATCH",
              .path = "/v1/layers",
              .summary = "Set the count of a layer",
              .op = "set-layer",
              .example = R"({"resource": "licence", "nodes": "node[0-3]", "count": 8})"},
    HttpRoute{.path = "/v1/reservations",
              .summary = "Named reservations of nodes",
              .op = "reservations",
              .timed = true},
    HttpRoute{.method = "POST",
              .path = "/v1/reservations/try",
              .summary = "What adding a reservation of nodes would do: nothing changes",
              .op = "try-reservation",
              .member = "reservation",
              .example = kReservation},
    HttpRoute{.method = "POST",
              .path = "/v1/reservations",
              .summary = "Reserve nodes for a time, such as for maintenance",
              .op = "add-reservation",
              .member = "reservation",
              .example = kReservation},
    HttpRoute{.method = "DELETE",
              .path = "/v1/reservations",
              .summary = "End a named reservation of nodes; the name is in the body",
              .op = "end-reservation",
              .example = R"({"name": "maintenance"})"},
    HttpRoute{.method = "PUT",
              .path = "/v1/reservations/{id}",
              .summary = "Reserve an amount of a layer, under this id, for some jobs",
              .op = "reserve-layer",
              .id = Id::text,
              .example = R"({"resource": "licence", "nodes": "node[0-3]", "count": 2, "start": )"
                         R"(1800000000, "duration": "1d", "for": [7]})"},
    HttpRoute{.method = "DELETE",
              .path = "/v1/reservations/{id}",
              .summary =
                  "End the reservation of a layer that has this id; for reservations of nodes: "
                  "DELETE /v1/reservations",
              .op = "free-layer",
              .id = Id::text},
    HttpRoute{.method = "DELETE",
              .path = "/v1/layers",
              .summary = "Remove a layer",
              .op = "remove-layer",
              .example = R"({"resource": "licence", "nodes": "node[0-3]"})"},
    HttpRoute{.path = "/v1/changes",
              .name = "changes",
              .summary = "The changes since a given one",
              .handler = get_changes},
    HttpRoute{.path = "/v1/events",
              .name = "events",
              .summary =
                  "Changes as they happen, from now on, or on from Last-Event-ID or an event's seq",
              .handler = get_events,
              .type = "text/event-stream"},
    HttpRoute{.path = "/v1/metrics",
              .name = "metrics",
              .summary = "Metrics for Prometheus",
              .handler = get_metrics,
              .type = "text/plain; version=0.0.4",
              .timed = true},
    HttpRoute{.path = "/metrics",
              .name = "metrics-as-usual",
              .summary = "The same, where Prometheus looks for them",
              .handler = get_metrics,
              .type = "text/plain; version=0.0.4",
              .timed = true},
    HttpRoute{.path = "/v1/healthz",
              .permission = Permission::liveness,
              .name = "healthz",
              .summary = "Whether the service is alive",
              .handler = get_healthz},
    HttpRoute{.path = "/v1/readyz",
              .permission = Permission::liveness,
              .name = "readyz",
              .summary = "Whether the service accepts changes",
              .handler = get_readyz},
    HttpRoute{.path = "/v1/openapi.json",
              .permission = Permission::liveness,
              .name = "openapi",
              .summary = "This interface as OpenAPI 3.1",
              .handler = get_openapi},
});

// Whether a path matches; then `parameter` is the part that matched {…}.
bool fits(std::string_view pattern, const std::vector<std::string>& path, std::string& parameter) {
  pattern.remove_prefix(1);
  for (const std::string& part : path) {
    const std::string_view wanted = take_part(pattern, '/');
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
