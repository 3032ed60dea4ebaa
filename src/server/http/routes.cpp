// SPDX-License-Identifier: Apache-2.0
#include "server/http/routes.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "server/http/conditions.hpp"
#include "server/http/handlers.hpp"
#include "server/http/problem.hpp"
#include "server/http/route_search.hpp"
#include "server/page/page_handlers.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

namespace {

using Id = HttpRoute::Id;

constexpr std::string_view kRequest = R"({"shape": "node/slot=2/core=2", "duration": "1h"})";
constexpr std::string_view kLines =
    "{\"op\": \"alloc\", \"id\": 71, \"shape\": \"slot=1/core\", \"duration\": 60}\n"
    "{\"op\": \"free\", \"id\": 71}\n";
constexpr std::string_view kJsonLines = "application/jsonl";

// In the order in which openapi.json shows them.
constexpr std::array kRoutes{
    HttpRoute{.method = "GET",
              .path = "/v1/machine",
              .action = Action::look,
              .name = "machine",
              .about = "The machine, and what of it is free, allocated and down",
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
              .example = R"({"status": "drain"})"},
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
              .about = "Ask for resources under an id of your own",
              .handler = put_grant,
              .example = kRequest},
    HttpRoute{.method = "DELETE",
              .path = "/v1/grants/{id}",
              .action = Action::give_own,
              .name = "give-back",
              .about = "Give back what a grant has",
              .handler = delete_grant},
    HttpRoute{.method = "GET",
              .path = "/v1/jobs",
              .action = Action::look,
              .name = "jobs",
              .about = "Jobs that wait, run or ended lately",
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
              .about = "Whether the empty machine would serve a request",
              .op = "satisfy",
              .example = kRequest},
    HttpRoute{.method = "POST",
              .path = "/v1/simulate",
              .action = Action::try_out,
              .name = "simulate",
              .about = "Try requests on a copy of the state: nothing is done",
              .handler = post_simulate,
              .example = kLines,
              .type = kJsonLines},
    HttpRoute{.method = "POST",
              .path = "/v1/batch",
              .action = Action::look,
              .name = "batch",
              .about = "Requests of the session protocol, a line each",
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
    HttpRoute{.method = "PUT",
              .path = "/v1/reservations/{id}",
              .action = Action::change,
              .name = "reserve-layer",
              .about = "Reserve an amount of a layer for some jobs",
              .op = "reserve-layer",
              .id = Id::text,
              .example = R"({"resource": "licence", "nodes": "node[0-3]", "count": 2, "start": )"
                         R"(1800000000, "duration": "1d", "for": [7]})"},
    HttpRoute{.method = "DELETE",
              .path = "/v1/reservations/{id}",
              .action = Action::change,
              .name = "free-layer",
              .about = "End the reservation of a layer",
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
              .about = "What was done since a change",
              .handler = get_changes},
    HttpRoute{.method = "GET",
              .path = "/v1/events",
              .action = Action::look,
              .name = "events",
              .about = "What is done from now on, or from Last-Event-ID on, as it happens",
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
              .about = "Whether the service lives",
              .handler = get_healthz},
    HttpRoute{.method = "GET",
              .path = "/v1/readyz",
              .action = Action::live,
              .name = "readyz",
              .about = "Whether it takes changes",
              .handler = get_readyz},
    HttpRoute{.method = "GET",
              .path = "/v1/openapi.json",
              .action = Action::live,
              .name = "openapi",
              .about = "This interface, as OpenAPI 3.1 describes it",
              .handler = get_openapi},
};

// Lines of a session that are forbidden are written down by the service.
void write_down(Service& service, const FoundRoute& found, const Who& who, std::int64_t now_s) {
  const auto id = parse_whole(found.parameter, "id");
  service.refused({.who = who,
                   .op = found.route->name,
                   .id = id ? std::optional(*id) : std::nullopt,
                   .result = who.role == Role::nobody ? "unknown" : "forbidden"},
                  now_s);
}

std::optional<HttpResponse> refuse(Service& service, const FoundRoute& found, const Who& who,
                                   std::int64_t now_s) {
  if (found.route == nullptr && found.allowed.empty()) {
    return problem(Problem::not_found, "there is no such path; /v1/openapi.json has all");
  }
  if (found.route == nullptr) {
    HttpResponse out =
        problem(Problem::wrong_method, fmt::format("this path takes {}", found.allowed));
    out.fields.emplace_back("Allow", found.allowed);
    return out;
  }
  if (may(who.role, found.route->action)) return std::nullopt;
  write_down(service, found, who, now_s);
  if (who.role == Role::nobody) {
    return problem(Problem::unknown, "say who you are: Authorization: Bearer TOKEN");
  }
  return problem(Problem::forbidden, fmt::format("the role {} may not do this ({})", word(who.role),
                                                 word(found.route->action)));
}

// An object with what stands behind "?": numbers as such.
std::string body_of_query(const Target& target) {
  std::string out;
  JsonWriter json(out);
  json.object([&] {
    for (const auto& [name, value] : target.query) {
      if (const auto number = parse_whole(value, name)) {
        json.member(name, *number);
      } else {
        json.member(name, value);
      }
    }
  });
  return out;
}

}  // namespace

std::span<const HttpRoute> Routes::table() {
  static const std::vector<HttpRoute> all = [] {
    std::vector<HttpRoute> out(kRoutes.begin(), kRoutes.end());
    for (HttpRoute route : page_routes()) {
      route.timed = true;  // what the page shows is as of now
      out.push_back(route);
    }
    return out;
  }();
  return all;
}

std::optional<HttpResponse> Routes::file_of_page(const HttpRequest& request) const {
  return context_.page == nullptr ? std::nullopt : context_.page->assets().answer(request);
}

std::optional<HttpResponse> Routes::refuse_early(const HttpRequest& request, std::int64_t now_s) {
  if (request.who.role != Role::nobody) return std::nullopt;
  if (context_.page != nullptr && Assets::is_path(request.target)) {
    return problem(Problem::too_large, "files of the page are asked for without a body");
  }
  const auto target = parse_target(request.target);
  if (!target) return problem_of(target.error());
  return refuse(context_.service, find_route(request.method, *target), request.who, now_s);
}

HttpResponse Routes::answer(const HttpRequest& request, std::int64_t now_s) {
  if (auto file = file_of_page(request)) {
    ++context_.counts[{"page", file->status}];
    return std::move(*file);
  }
  auto target = parse_target(request.target);
  if (!target) return problem_of(target.error());
  FoundRoute found = find_route(request.method, *target);
  HttpResponse out;
  if (auto refused = refuse(context_.service, found, request.who, now_s)) {
    out = std::move(*refused);
  } else {
    HttpCall call{request, std::move(*target), std::move(found.parameter), now_s};
    out = run(*found.route, call);
  }
  const std::string_view name = found.route == nullptr ? "none" : found.route->name;
  ++context_.counts[{name, out.status}];
  return out;
}

HttpResponse Routes::run(const HttpRoute& route, HttpCall& call) {
  if (route.action == Action::live) return do_route(route, call);
  context_.service.advance(call.now_s);
  HttpResponse out = do_route(route, call);
  const store::Sequence next = context_.service.next();
  out.needs = next;
  if (route.method != "GET" || out.status != 200 || out.events_from || out.pieces) return out;
  std::string tag = tag_of(next, route.timed, out.body);
  if (is_listed(call.request.if_none_match, tag)) {
    out = {.status = 304, .type = {}, .needs = out.needs};
  }
  out.fields.emplace_back("ETag", std::move(tag));
  return out;
}

HttpResponse Routes::do_route(const HttpRoute& route, HttpCall& call) {
  const HttpRequest& request = call.request;
  if (route.method == "POST" && !request.idempotency_key.empty()) {
    call.asked = asked_of(request);
    if (route.op.empty()) {
      return problem(Problem::invalid,
                     "an Idempotency-Key is for one request: the ids of lines do the same");
    }
    if (auto before = answered_before(context_.service, request, call.asked, call.now_s)) {
      return std::move(*before);
    }
  }
  if (route.method != "GET" && route.handler != put_grant) {  // what was done already goes before
    if (auto changed = check_match(request.if_match, context_.service.next())) {
      return std::move(*changed);
    }
  }
  if (route.handler != nullptr) return route.handler(context_, call);
  std::string id;
  if (route.id == Id::text) append_json(id, call.parameter);
  if (route.id == Id::number) {
    const auto number = parse_whole(call.parameter, "the id");
    if (!number) return problem_of(number.error());
    id = std::to_string(*number);
  }
  const bool reads = route.method == "GET";
  const auto line = line_of(reads ? body_of_query(call.target) : request.body, route.op, id);
  return line ? ask_session(context_, call, *line) : problem_of(line.error());
}

}  // namespace copse::server
