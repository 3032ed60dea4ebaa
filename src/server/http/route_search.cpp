// SPDX-License-Identifier: Apache-2.0
#include "server/http/route_search.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "server/http/handlers.hpp"

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

// In the order in which openapi.json shows them.
constexpr std::array kRoutes{
    HttpRoute{.method = "GET",
              .path = "/v1/machine",
              .action = Action::look,
              .name = "machine",
              .about = "The machine, and how much of it is free, allocated and down",
              .handler = get_machine,
              .timed = true},
    HttpRoute{.method = "GET",
              .path = "/v1/nodes",
              .action = Action::look,
              .name = "nodes",
              .about = "Nodes, with their states",
              .handler = get_nodes,
              .timed = true},
    HttpRoute{.method = "GET",
              .path = "/v1/nodes/{name}",
              .action = Action::look,
              .name = "node",
              .about = "One node",
              .handler = get_node,
              .timed = true},
    HttpRoute{.method = "PATCH",
              .path = "/v1/nodes/{name}",
              .action = Action::change,
              .name = "set-node",
              .about = "Drain a node, or let it take requests again",
              .handler = patch_node,
              .example = R"({"status": "drain", "reason": "fan"})"},
    HttpRoute{.method = "GET",
              .path = "/v1/drains",
              .action = Action::look,
              .name = "drains",
              .about = "Drained nodes, with the reason, who drained them, and when",
              .op = "drains"},
    HttpRoute{.method = "GET",
              .path = "/v1/grants",
              .action = Action::look,
              .name = "grants",
              .about = "Grants, running and planned",
              .handler = get_grants},
    HttpRoute{.method = "GET",
              .path = "/v1/grants/{id}",
              .action = Action::look,
              .name = "grant",
              .about = "One grant, with its R",
              .handler = get_grant},
    HttpRoute{.method = "PUT",
              .path = "/v1/grants/{id}",
              .action = Action::take,
              .name = "take",
              .about = "Request resources under an id that the client chooses",
              .handler = put_grant,
              .example = kRequest},
    HttpRoute{.method = "DELETE",
              .path = "/v1/grants/{id}",
              .action = Action::give_own,
              .name = "give-back",
              .about = "Release a grant",
              .handler = delete_grant},
    HttpRoute{.method = "GET",
              .path = "/v1/jobs",
              .action = Action::look,
              .name = "jobs",
              .about = "Waiting, running and recently ended jobs",
              .op = "jobs"},
    HttpRoute{.method = "POST",
              .path = "/v1/jobs",
              .action = Action::take,
              .name = "submit",
              .about = "Submit a job to the queue",
              .op = "submit",
              .example = kRequest},
    HttpRoute{.method = "GET",
              .path = "/v1/jobs/{id}",
              .action = Action::look,
              .name = "job",
              .about = "One job",
              .op = "job",
              .id = Id::number},
    HttpRoute{.method = "GET",
              .path = "/v1/jobs/{id}/why",
              .action = Action::look,
              .name = "why",
              .about = "Why a job waits",
              .op = "why",
              .id = Id::number,
              .timed = true},
    HttpRoute{.method = "GET",
              .path = "/v1/jobs/{id}/when",
              .action = Action::look,
              .name = "when",
              .about = "When a job starts",
              .op = "when",
              .id = Id::number,
              .timed = true},
    HttpRoute{.method = "DELETE",
              .path = "/v1/jobs/{id}",
              .action = Action::give_own,
              .name = "cancel",
              .about = "Cancel a job",
              .op = "cancel",
              .id = Id::number},
    HttpRoute{.method = "GET",
              .path = "/v1/queue",
              .action = Action::look,
              .name = "queue",
              .about = "The queue, in its order",
              .op = "queue"},
    HttpRoute{.method = "POST",
              .path = "/v1/explain",
              .action = Action::try_out,
              .name = "explain",
              .about = "Why a request would get nothing now",
              .op = "explain",
              .example = kRequest},
    HttpRoute{.method = "POST",
              .path = "/v1/satisfy",
              .action = Action::try_out,
              .name = "satisfy",
              .about = "Whether the empty machine could serve a request",
              .op = "satisfy",
              .example = kRequest},
    HttpRoute{.method = "POST",
              .path = "/v1/simulate",
              .action = Action::try_out,
              .name = "simulate",
              .about = "Try requests on a copy of the state: nothing changes",
              .handler = post_simulate,
              .example = kLines,
              .type = kJsonLines},
    HttpRoute{.method = "POST",
              .path = "/v1/batch",
              .action = Action::look,
              .name = "batch",
              .about = "Requests of the session protocol, one per line",
              .handler = post_batch,
              .example = kLines,
              .type = kJsonLines},
    HttpRoute{.method = "GET",
              .path = "/v1/layers",
              .action = Action::look,
              .name = "layers",
              .about = "Layers of hierarchical resources",
              .op = "layers",
              .timed = true},
    HttpRoute{.method = "POST",
              .path = "/v1/layers",
              .action = Action::change,
              .name = "add-layer",
              .about = "Add a layer",
              .op = "add-layer",
              .example = R"({"resource": "licence", "nodes": "node[0-3]", "count": 10})"},
    HttpRoute{.method = "PATCH",
              .path = "/v1/layers",
              .action = Action::change,
              .name = "set-layer",
              .about = "Set the count of a layer",
              .op = "set-layer",
              .example = R"({"resource": "licence", "nodes": "node[0-3]", "count": 8})"},
    HttpRoute{.method = "GET",
              .path = "/v1/reservations",
              .action = Action::look,
              .name = "reservations",
              .about = "Named reservations of nodes",
              .op = "reservations",
              .timed = true},
    HttpRoute{.method = "POST",
              .path = "/v1/reservations/try",
              .action = Action::try_out,
              .name = "try-reservation",
              .about = "What adding a reservation of nodes would do: nothing changes",
              .op = "try-reservation",
              .member = "reservation",
              .example = kReservation},
    HttpRoute{.method = "POST",
              .path = "/v1/reservations",
              .action = Action::change,
              .name = "add-reservation",
              .about = "Reserve nodes for a time, such as for maintenance",
              .op = "add-reservation",
              .member = "reservation",
              .example = kReservation},
    HttpRoute{.method = "DELETE",
              .path = "/v1/reservations",
              .action = Action::change,
              .name = "end-reservation",
              .about = "End a named reservation of nodes; the name is in the body",
              .op = "end-reservation",
              .example = R"({"name": "maintenance"})"},
    HttpRoute{.method = "PUT",
              .path = "/v1/reservations/{id}",
              .action = Action::change,
              .name = "reserve-layer",
              .about = "Reserve an amount of a layer, under this id, for some jobs",
              .op = "reserve-layer",
              .id = Id::text,
              .example = R"({"resource": "licence", "nodes": "node[0-3]", "count": 2, "start": )"
                         R"(1800000000, "duration": "1d", "for": [7]})"},
    HttpRoute{.method = "DELETE",
              .path = "/v1/reservations/{id}",
              .action = Action::change,
              .name = "free-layer",
              .about =
                  "End the reservation of a layer that has this id; for reservations of nodes: "
                  "DELETE /v1/reservations",
              .op = "free-layer",
              .id = Id::text},
    HttpRoute{.method = "DELETE",
              .path = "/v1/layers",
              .action = Action::change,
              .name = "remove-layer",
              .about = "Remove a layer",
              .op = "remove-layer",
              .example = R"({"resource": "licence", "nodes": "node[0-3]"})"},
    HttpRoute{.method = "GET",
              .path = "/v1/changes",
              .action = Action::look,
              .name = "changes",
              .about = "The changes since a given one",
              .handler = get_changes},
    HttpRoute{
        .method = "GET",
        .path = "/v1/events",
        .action = Action::look,
        .name = "events",
        .about = "Changes as they happen, from now on, or on from Last-Event-ID or an event's seq",
        .handler = get_events,
        .type = "text/event-stream"},
    HttpRoute{.method = "GET",
              .path = "/v1/metrics",
              .action = Action::look,
              .name = "metrics",
              .about = "Figures for Prometheus",
              .handler = get_metrics,
              .type = "text/plain; version=0.0.4",
              .timed = true},
    HttpRoute{.method = "GET",
              .path = "/v1/healthz",
              .action = Action::live,
              .name = "healthz",
              .about = "Whether the service is alive",
              .handler = get_healthz},
    HttpRoute{.method = "GET",
              .path = "/v1/readyz",
              .action = Action::live,
              .name = "readyz",
              .about = "Whether the service accepts changes",
              .handler = get_readyz},
    HttpRoute{.method = "GET",
              .path = "/v1/openapi.json",
              .action = Action::live,
              .name = "openapi",
              .about = "This interface, as OpenAPI 3.1 describes it",
              .handler = get_openapi},
};

// Whether a path is that of a route; then `parameter` is what stands for {…}.
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

FoundRoute find_route(std::string_view method, const Target& target) {
  FoundRoute out;
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
