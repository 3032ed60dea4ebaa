// SPDX-License-Identifier: Apache-2.0
#include "server/http/routes.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "server/http/conditions.hpp"
#include "server/http/fields.hpp"
#include "server/http/handlers.hpp"
#include "server/http/problem.hpp"
#include "server/http/route_search.hpp"
#include "server/page/page_handlers.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

namespace {

// Lines of a session that are forbidden are written down by the service.
void write_down(Service& service, const FoundRoute& found, const Who& who, std::int64_t now_s) {
  const auto id = parse_whole(found.parameter, "id");
  service.refused({.who = who,
                   .op = found.route->name,
                   .id = id ? std::optional(*id) : std::nullopt,
                   .on = id ? std::string() : found.parameter,
                   .result = who.role == Role::nobody ? "unknown" : "forbidden"},
                  now_s);
}

std::optional<HttpResponse> refuse(Service& service, const FoundRoute& found, const Who& who,
                                   std::int64_t now_s) {
  if (found.route == nullptr && found.allowed.empty()) {
    return problem(Problem::not_found, "there is no such path; /v1/openapi.json lists all");
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
  return problem(Problem::forbidden, forbidden_text(who.role, found.route->action));
}

// An object with what stands behind "?": numbers as such.
std::string body_of_query(const Target& target) {
  std::string out;
  JsonWriter json(out);
  json.object([&] {
    for (const auto& [name, value] : target.query) {
      if (name == "fields") continue;  // of any answer: Routes::run
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
    std::vector<HttpRoute> out(api_routes().begin(), api_routes().end());
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
  if (auto file = file_of_page(request)) {
    if (file->status >= 400) return file;
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
  const journal::Sequence next = context_.service.next();
  out.needs = next;
  if (route.method != "GET" || out.status != 200 || out.events_from || out.pieces) return out;
  const std::string* fields = call.target.find("fields");
  if (fields != nullptr && out.type == "application/json") {
    auto kept = keep_fields(out.body, *fields, route.path.ends_with('}'));
    if (!kept) return problem_of(kept.error());
    out.body = std::move(*kept);
  }
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
  if (route.id == HttpRoute::Id::text) append_json(id, call.parameter);
  if (route.id == HttpRoute::Id::number) {
    const auto number = parse_whole(call.parameter, "the id");
    if (!number) return problem_of(number.error());
    id = std::to_string(*number);
  }
  std::string body = route.method == "GET" ? body_of_query(call.target) : std::string(request.body);
  if (!route.member.empty()) body = fmt::format("{{\"{}\": {}}}", route.member, body);
  const auto line = line_of(body, route.op, id);
  return line ? ask_session(context_, call, *line) : problem_of(line.error());
}

}  // namespace copse::server
