// SPDX-License-Identifier: Apache-2.0
//
// Health, metrics, changes and the interface of the service.
#include <algorithm>
#include <array>
#include <charconv>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "server/clock_guard.hpp"
#include "server/http/handlers/handlers.hpp"
#include "server/http/problem.hpp"
#include "server/jobs/shared_job.hpp"
#include "server/service.hpp"
#include "text/json_members.hpp"
#include "text/json_writer.hpp"
#include "text/split.hpp"

namespace copse::server {

namespace {

// The number after `head` at the beginning of a line.
std::optional<std::uint64_t> number_after(std::string_view line, std::string_view head) {
  if (!line.starts_with(head)) return std::nullopt;
  line.remove_prefix(head.size());
  std::uint64_t out = 0;
  const auto read = std::from_chars(line.data(), line.data() + line.size(), out);
  return read.ec == std::errc() ? std::optional(out) : std::nullopt;
}

// An effect without the lists of the jobs that it touches; `job`: the job that it is about.
void append_without_jobs(std::string_view effect, std::string& out, std::optional<JobId>& job) {
  JsonWriter json(out);
  json.object([&] {
    std::string_view rest = effect.substr(1);
    for (std::string_view key = take_json_value(rest); !key.empty(); key = take_json_value(rest)) {
      const std::string_view value = take_json_value(rest);
      if (key == "\"job\"") job = number_after(value, "");
      if (key == "\"jobs\"" || key == "\"redrawn\"") continue;
      json.member_json(key.substr(1, key.size() - 2), value);
    }
  });
}

// VisibleRecords: records of the journal as a client sees them (EventLog::append): the events of jobs,
// and the effects of grants, of others are reduced or left out.
class VisibleRecords {
 public:
  // REQUIRES that the service outlives this.
  VisibleRecords(const Service& service, const Caller& caller)
      : service_(service), viewer_(service.viewer_of(caller)) {}

  // Whether reduce() leaves all lines as they are.
  [[nodiscard]] bool all() const { return viewer_.sees_all; }
  // Reduces the lines of a record in place. O(length), unless the client sees everything.
  void reduce(std::string& lines) const {
    if (viewer_.sees_all) return;
    std::string out;
    for (std::string_view rest = lines; !rest.empty();) append(take_part(rest, '\n'), out);
    lines = std::move(out);
  }

 private:
  void append(std::string_view line, std::string& out) const {
    if (const auto event = number_after(line, R"({"seq": )")) {
      const JobEventLog& events = service_.events();
      // An event that is no longer kept there has no user any more.
      const bool kept = *event >= events.oldest() && *event < events.next();
      const Visibility seen =
          kept ? service_.visibility_of_event(viewer_, *event) : viewer_.of(std::string_view());
      if (seen == Visibility::hidden) return;
      if (seen == Visibility::whole) {
        out += line;
      } else {
        append_shared_event(line, out);
      }
    } else if (viewer_.misses_some() && line.starts_with(R"({"effect": )")) {
      const std::size_t before = out.size();
      std::optional<JobId> job;
      append_without_jobs(line, out, job);
      if (job && service_.visibility(viewer_, *job) == Visibility::hidden) {
        return out.resize(before);
      }
    } else {
      out += line;
    }
    out += '\n';
  }

  const Service& service_;
  Viewer viewer_;
};

constexpr std::size_t kChangesBytesMax = std::size_t{4} << 20;

// Parses the number of a record in GET /v1/changes and /v1/events.
Result<journal::Sequence> since(std::string_view text, std::string_view what) {
  const auto read = parse_integer(text, what);
  if (!read) return std::unexpected(read.error());
  return static_cast<journal::Sequence>(*read);
}

HttpResponse gone(const EventLog& events) {
  return problem(
      Problem::gone,
      fmt::format("changes before {} are no longer kept: read the state again (/v1/machine, "
                  "/v1/grants), and continue with the number in its ETag",
                  events.first()));
}

// A client that continues from a number names the history that the number belongs to. A restored
// copy reuses numbers for other changes.
std::optional<HttpResponse> other_history(const HttpContext& context, const Target& target) {
  const std::string* named = target.find("incarnation");
  if (named == nullptr || *named == context.service.incarnation()) return std::nullopt;
  return problem(Problem::gone,
                 fmt::format("the state is a restored copy with the incarnation {}: read it again "
                             "(/v1/machine, /v1/grants, /v1/jobs), and continue with its numbers",
                             context.service.incarnation()));
}

HttpResponse not_yet(const EventLog& events) {
  return problem(Problem::invalid, fmt::format("there are {} changes so far", events.next()));
}

// The record from which a stream has all job events from number `text` on.
std::expected<journal::Sequence, HttpResponse> record_of_event(const HttpContext& context,
                                                               std::string_view text) {
  const auto number = since(text, "seq");
  if (!number) return std::unexpected(problem_of(number.error()));
  const JobEventLog& jobs = context.service.events();
  const EventLog& records = context.events;
  if (*number > jobs.next()) {
    return std::unexpected(
        problem(Problem::invalid, fmt::format("the next event is {}", jobs.next())));
  }
  const bool kept = *number >= jobs.oldest();
  const journal::Sequence record =
      kept && *number < jobs.next() ? jobs.record(*number) : records.next();
  if (!kept || record < records.first()) {
    return std::unexpected(problem(
        Problem::gone, fmt::format("event {} is no longer kept: read the jobs again (/v1/jobs), "
                                   "and continue with their \"next\"",
                                   *number)));
  }
  return std::min(record, records.next());
}

// Built from the route table only: nothing that clients wrote.
void append_operation(const HttpRoute& route, JsonWriter& json) {
  json.object([&] {
    json.member("operationId", route.name);
    json.member("summary", route.summary);
    json.member("description", fmt::format("Requires the role {} or a higher one.", [&] {
                  for (const Role role : kRoles) {
                    if (may(role, route.permission)) return word(role);
                  }
                  return word(Role::owner);
                }()));
    if (const std::size_t at = route.path.find('{'); at != std::string_view::npos) {
      json.array("parameters", std::array{route.path.substr(at + 1, route.path.find('}') - at - 1)},
                 [&](std::string_view name) {
                   json.object([&] {
                     json.member("name", name);
                     json.member("in", "path");
                     json.member("required", true);
                     json.object("schema", [&] {
                       json.member("type", name == "id" && route.id != HttpRoute::Id::text
                                               ? "integer"
                                               : "string");
                     });
                   });
                 });
    }
    if (!route.example.empty()) {
      json.object("requestBody", [&] {
        json.object("content", [&] {
          const bool lines = route.type == "application/jsonl";
          json.object(lines ? "application/jsonl" : "application/json", [&] {
            if (lines) {
              json.member("example", route.example);
            } else {
              json.member_json("example", route.example);
            }
          });
        });
      });
    }
    json.object("responses", [&] {
      json.object(route.name == "allocate" ? "201" : "200", [&] {
        json.member("description", "done");
        json.object("content", [&] { json.object(route.type, [] {}); });
      });
      json.object("default", [&] {
        json.member("description", "a problem (RFC 9457)");
        json.object("content", [&] {
          json.object("application/problem+json", [&] {
            json.object("schema", [&] { json.member("$ref", "#/components/schemas/Problem"); });
          });
        });
      });
    });
  });
}

std::string method_key(std::string_view method) {
  std::string out(method);
  for (char& c : out) c = static_cast<char>(c - 'A' + 'a');
  return out;
}

void append_paths(JsonWriter& json) {
  std::vector<std::string_view> done;
  for (const HttpRoute& first : Routes::table()) {
    if (std::ranges::find(done, first.path) != done.end()) continue;
    done.push_back(first.path);
    json.object(first.path, [&] {
      for (const HttpRoute& route : Routes::table()) {
        if (route.path != first.path) continue;
        json.key(method_key(route.method));
        append_operation(route, json);
      }
    });
  }
}

constexpr std::string_view kProblemSchema =
    R"({"type": "object", "required": ["type", "title", "status", "detail"], "properties": )"
    R"({"type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"}, )"
    R"("detail": {"type": "string"}, "why": {"type": "object"}}})";

}  // namespace

void write_clock_warnings(JsonWriter& json, const Service& service) {
  if (service.clock_ahead_s() > kClockAheadMax_s) {
    json.member("clock_ahead_s", service.clock_ahead_s());
  }
  if (service.clock_jumped_s() > 0) json.member("clock_jumped_s", service.clock_jumped_s());
}

HttpResponse get_healthz(HttpContext& /*context*/, const HttpCall& /*call*/) {
  return {.body = "{\"status\": \"ok\"}\n"};
}

HttpResponse get_readyz(HttpContext& context, const HttpCall& /*call*/) {
  if (context.service.has_disk_space()) {
    return json_response([&](JsonWriter& json) {
      json.member("status", "ready");
      json.member("incarnation", context.service.incarnation());
      write_clock_warnings(json, context.service);
    });
  }
  return problem(Problem::no_space,
                 "the disk is nearly full: only requests that release resources are accepted");
}

HttpResponse get_openapi(HttpContext& context, const HttpCall& /*call*/) {
  return json_response([&](JsonWriter& json) {
    json.member("openapi", "3.1.0");
    json.object("info", [&] {
      json.member("title", "copse serve");
      json.member("version", "v1");
      json.member(
          "description",
          fmt::format(
              "Copse {}. Within v1, routes and members may be added, but not changed or removed.",
              context.version));
    });
    json.object("paths", [&] { append_paths(json); });
    json.object("components", [&] {
      json.object("schemas", [&] { json.member_json("Problem", kProblemSchema); });
      json.object("securitySchemes", [&] {
        json.object("token", [&] {
          json.member("type", "http");
          json.member("scheme", "bearer");
        });
        json.object("certificate", [&] { json.member("type", "mutualTLS"); });
      });
    });
    json.array("security", std::array{"token", "certificate"}, [&](const char* name) {
      json.object([&] { json.array(name, std::array<int, 0>{}, [](int) {}); });
    });
  });
}

HttpResponse get_changes(HttpContext& context, const HttpCall& call) {
  const auto limit = limit_of(call.target);
  if (!limit) return problem_of(limit.error());
  if (auto other = other_history(context, call.target)) return *other;
  EventLog& events = context.events;
  const std::string* text = call.target.find("since");
  const auto from =
      text == nullptr ? Result<journal::Sequence>(events.first()) : since(*text, "since");
  if (!from) return problem_of(from.error());
  if (*from < events.first()) return gone(events);
  if (*from > events.next()) return not_yet(events);
  const VisibleRecords visible(context.service, call.request.caller);
  HttpResponse out;
  JsonWriter json(out.body);
  journal::Sequence at = *from;
  json.object([&] {
    json.list("changes", [&] {
      std::string lines;
      for (; at < events.next() && at - *from < *limit && out.body.size() < kChangesBytesMax;
           ++at) {
        lines.clear();
        events.append(at, lines);
        visible.reduce(lines);
        for (std::string_view rest = lines; !rest.empty();) json.json(take_part(rest, '\n'));
      }
    });
    json.member("next", at);
    json.member("incarnation", context.service.incarnation());
  });
  out.body += '\n';
  return out;
}

HttpResponse get_events(HttpContext& context, const HttpCall& call) {
  const EventLog& events = context.events;
  HttpResponse out;
  out.type = "text/event-stream";
  out.events_from = events.next();
  const VisibleRecords visible(context.service, call.request.caller);
  if (!visible.all()) {  // the others share the text of a record
    out.reduce_events = [visible](std::string& lines) { visible.reduce(lines); };
  }
  if (auto other = other_history(context, call.target)) return *other;
  if (const std::string* number = call.target.find("seq")) {
    const auto record = record_of_event(context, *number);
    if (!record) return record.error();
    out.events_from = *record;
    return out;
  }
  std::optional<Result<journal::Sequence>> from;
  if (!call.request.last_event_id.empty()) {
    from = since(call.request.last_event_id, "Last-Event-ID");
    if (*from) **from += 1;
  } else if (const std::string* text = call.target.find("since")) {
    from = since(*text, "since");
  }
  if (!from) return out;
  if (!*from) return problem_of(from->error());
  if (**from < events.first()) return gone(events);
  if (**from > events.next()) return not_yet(events);
  out.events_from = **from;
  return out;
}

}  // namespace copse::server
