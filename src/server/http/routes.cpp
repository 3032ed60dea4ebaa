// SPDX-License-Identifier: Apache-2.0
#include "server/http/routes.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "copse/error.hpp"
#include "server/http/conditions.hpp"
#include "server/http/handlers/handlers.hpp"
#include "server/http/problem.hpp"
#include "server/http/route_table.hpp"
#include "server/page/page_handlers.hpp"
#include "text/json_members.hpp"
#include "text/json_writer.hpp"
#include "text/split.hpp"

namespace copse::server {

namespace {

// --- ?fields=id,state: reduces the objects of an answer to the named members

constexpr std::size_t kFieldsMax = 64;

using Names = std::vector<std::string_view>;

Result<Names> names_of(std::string_view fields) {
  Names out;
  for (bool more = true; more;) {
    more = fields.contains(',');
    const std::string_view name = take_part(fields, ',');
    const bool plain = std::ranges::all_of(name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
    });
    if (name.empty() || !plain) {
      return fail(ErrorCode::invalid, "fields must be names separated by commas: id,state");
    }
    if (out.size() == kFieldsMax) {
      return fail(ErrorCode::limit, fmt::format("at most {} fields are allowed", kFieldsMax));
    }
    out.push_back(name);
  }
  return out;
}

void keep_members(JsonWriter& json, std::string_view object, const Names& names) {
  json.object([&] {
    std::string_view rest = object.substr(1);
    for (std::string_view key = take_json_value(rest); !key.empty(); key = take_json_value(rest)) {
      const std::string_view value = take_json_value(rest);
      const std::string_view name = key.substr(1, key.size() - 2);
      if (std::ranges::find(names, name) != names.end()) json.member_json(name, value);
    }
  });
}

void keep_in_list(JsonWriter& json, std::string_view list, const Names& names) {
  json.open('[');
  std::string_view rest = list.substr(1);
  for (std::string_view value = take_json_value(rest); !value.empty();
       value = take_json_value(rest)) {
    if (value.starts_with('{')) {
      keep_members(json, value, names);
    } else {
      json.json(value);
    }
  }
  json.close(']');
}

// Returns the answer with only these members in the objects of its lists; with `one`, in itself.
// Other members of the answer stay. Names that an object does not have are ignored. REQUIRES an
// object as JsonWriter writes it. Errors: invalid (not a list of names); limit.
Result<std::string> select_fields(std::string_view answer, std::string_view fields, bool one) {
  const auto names = names_of(fields);
  if (!names) return std::unexpected(names.error());
  std::string out;
  JsonWriter json(out);
  if (one) {
    keep_members(json, answer, *names);
    return out + '\n';
  }
  json.object([&] {
    std::string_view rest = answer.substr(1);
    for (std::string_view key = take_json_value(rest); !key.empty(); key = take_json_value(rest)) {
      const std::string_view value = take_json_value(rest);
      json.key(key.substr(1, key.size() - 2));
      if (value.starts_with('[')) {
        keep_in_list(json, value, *names);
      } else {
        json.json(value);
      }
    }
  });
  return out + '\n';
}

// --- Routes

// The service itself audits forbidden session requests.
void audit_refusal(Service& service, const RouteMatch& found, const Caller& caller,
                   std::int64_t now_s) {
  const auto id = parse_integer(found.parameter, "id");
  service.record_refusal({.caller = caller,
                          .op = found.route->name,
                          .id = id ? std::optional(*id) : std::nullopt,
                          .target = id ? std::string() : found.parameter,
                          .result = caller.role == Role::none ? "unauthenticated" : "forbidden"},
                         now_s);
}

std::optional<HttpResponse> refuse(Service& service, const RouteMatch& found, const Caller& caller,
                                   std::int64_t now_s) {
  if (found.route == nullptr && found.allowed.empty()) {
    return problem(Problem::not_found, "the path does not exist; /v1/openapi.json lists all paths");
  }
  if (found.route == nullptr) {
    HttpResponse out =
        problem(Problem::method_not_allowed, fmt::format("this path supports {}", found.allowed));
    out.fields.emplace_back("Allow", found.allowed);
    return out;
  }
  if (service.permits(caller.role, found.route->permission)) return std::nullopt;
  audit_refusal(service, found, caller, now_s);
  if (caller.role == Role::none) {
    return problem(Problem::unauthenticated,
                   "authentication required (Authorization: Bearer TOKEN)");
  }
  return problem(Problem::forbidden, forbidden_text(caller.role, found.route->permission));
}

// The query as a JSON object; whole numbers as numbers.
std::string body_of_query(const Target& target) {
  return object_text([&](JsonWriter& json) {
    for (const auto& [name, value] : target.query) {
      if (name == "fields") continue;  // handled by Routes::run
      if (const auto number = parse_integer(value, name)) {
        json.member(name, *number);
      } else {
        json.member(name, value);
      }
    }
  });
}

}  // namespace

std::span<const HttpRoute> Routes::table() {
  static const std::vector<HttpRoute> all = [] {
    std::vector<HttpRoute> out(api_routes().begin(), api_routes().end());
    for (HttpRoute route : page_routes()) {
      route.timed = true;  // the page shows the present
      out.push_back(route);
    }
    return out;
  }();
  return all;
}

std::optional<HttpResponse> Routes::page_file(const HttpRequest& request) const {
  return context_.page == nullptr ? std::nullopt : context_.page->assets().answer(request);
}

std::optional<HttpResponse> Routes::check_before_body(const HttpRequest& request,
                                                      std::int64_t now_s) {
  if (request.caller.role != Role::none) return std::nullopt;
  if (auto file = page_file(request)) {
    if (file->status >= 400) return file;
    return problem(Problem::too_large, "a request for a file of the page must not have a body");
  }
  const auto target = parse_target(request.target);
  if (!target) return problem_of(target.error());
  return refuse(context_.service, match_route(request.method, *target), request.caller, now_s);
}

HttpResponse Routes::answer(const HttpRequest& request, std::int64_t now_s) {
  HttpResponse out = begin(request, now_s);
  const std::shared_ptr<ResponseWork> work = out.work;  // it may replace the response
  while (work != nullptr && !work->step(out, now_s)) {
  }
  out.work = nullptr;
  return out;
}

HttpResponse Routes::begin(const HttpRequest& request, std::int64_t now_s) {
  if (auto file = page_file(request)) {
    ++context_.counts[{"page", file->status}];
    return std::move(*file);
  }
  auto target = parse_target(request.target);
  if (!target) return problem_of(target.error());
  RouteMatch found = match_route(request.method, *target);
  HttpResponse out;
  if (auto refused = refuse(context_.service, found, request.caller, now_s)) {
    out = std::move(*refused);
  } else {
    HttpCall call{request, std::move(*target), std::move(found.parameter), now_s};
    out = run(*found.route, call);
  }
  const std::string_view name = found.route == nullptr ? "none" : found.route->name;
  ++context_.counts[{name, out.status}];
  return out;
}

// What follows when the body is complete. A response that was made in steps shows the state at its
// begin, and needs the records at its end: some of its lines may be changes.
class Routes::Completion final : public ResponseWork {
 public:
  Completion(const Service& service, const HttpRoute& route, const HttpCall& call,
             std::shared_ptr<ResponseWork> work = {})
      : service_(service),
        route_(route),
        if_none_match_(call.request.if_none_match),
        state_(service.next()),
        work_(std::move(work)) {
    if (const std::string* fields = call.target.find("fields")) fields_ = *fields;
  }

  bool step(HttpResponse& out, std::int64_t now_s) override {
    if (!work_->step(out, now_s)) return false;
    complete(out);
    return true;
  }
  void complete(HttpResponse& out) const {
    out.needs = service_.next();
    if (route_.method != "GET" || out.status != 200 || out.events_from || out.event_source) return;
    if (fields_ && out.type == "application/json") {
      auto kept = select_fields(out.body, *fields_, route_.path.ends_with('}'));
      if (!kept) {
        out = problem_of(kept.error());
        out.needs = service_.next();
        return;
      }
      out.body = std::move(*kept);
    }
    std::string tag = etag_of(state_, route_.timed, out.body);
    if (etag_listed(if_none_match_, tag)) out = {.status = 304, .type = {}, .needs = out.needs};
    out.fields.emplace_back("ETag", std::move(tag));
  }

 private:
  const Service& service_;
  const HttpRoute& route_;
  std::string_view if_none_match_;
  journal::Sequence state_;
  std::optional<std::string> fields_{};
  std::shared_ptr<ResponseWork> work_;
};

HttpResponse Routes::run(const HttpRoute& route, HttpCall& call) {
  if (route.permission == Permission::liveness) return dispatch(route, call);
  context_.service.advance(call.now_s);
  HttpResponse out = dispatch(route, call);
  if (out.work == nullptr) {
    Completion(context_.service, route, call).complete(out);
  } else {
    out.work = std::make_shared<Completion>(context_.service, route, call, std::move(out.work));
  }
  return out;
}

HttpResponse Routes::dispatch(const HttpRoute& route, HttpCall& call) {
  const HttpRequest& request = call.request;
  if (route.method == "POST" && !request.idempotency_key.empty()) {
    call.identity = identity_of(request);
    if (route.op.empty()) {
      return problem(Problem::invalid,
                     "this route does not support Idempotency-Key: use the ids of its lines");
    }
    if (auto before = replayed_answer(context_.service, request, call.identity, call.now_s)) {
      return std::move(*before);
    }
  }
  if (route.method != "GET" &&
      route.handler != put_grant) {  // put_grant checks If-Match after retries
    if (auto changed = check_match(request.if_match, context_.service.next())) {
      return std::move(*changed);
    }
  }
  if (route.handler != nullptr) return route.handler(context_, call);
  std::string id;
  if (route.id == HttpRoute::Id::text) append_json(id, call.parameter);
  if (route.id == HttpRoute::Id::number) {
    const auto number = parse_integer(call.parameter, "the id");
    if (!number) return problem_of(number.error());
    id = std::to_string(*number);
  }
  std::string body = route.method == "GET" ? body_of_query(call.target) : std::string(request.body);
  if (!route.member.empty()) body = fmt::format("{{\"{}\": {}}}", route.member, body);
  const auto line = line_of(body, route.op, id);
  return line ? run_operation(context_, call, *line) : problem_of(line.error());
}

}  // namespace copse::server
