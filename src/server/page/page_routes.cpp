// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include <fmt/format.h>

#include "server/http/problem.hpp"
#include "server/page/encoding.hpp"
#include "server/page/page_handlers.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kCompressFromBytes = 1'000;

constexpr std::array kPageRoutes{
    HttpRoute{.path = "/v1/page/state",
              .name = "page-state",
              .summary = "The caller, and what the page begins with",
              .handler = get_page_state},
    HttpRoute{.path = "/v1/page/machine",
              .name = "page-machine",
              .summary = "The structure of the machine",
              .handler = get_page_machine},
    HttpRoute{.path = "/v1/page/nodes",
              .name = "page-nodes",
              .summary = "The state of all nodes in two bytes each, and their jobs",
              .handler = get_page_nodes},
    HttpRoute{.path = "/v1/page/nodes/{name}",
              .name = "page-node",
              .summary = "One node with its past, present and planned jobs",
              .handler = get_page_node},
    HttpRoute{.path = "/v1/page/schedule",
              .name = "page-schedule",
              .summary = "Some nodes over some time, as a screen can show it",
              .handler = get_page_schedule},
    HttpRoute{.path = "/v1/page/jobs",
              .name = "page-jobs",
              .summary = "Jobs that run, wait or ended lately, and where",
              .handler = get_page_jobs},
    HttpRoute{.path = "/v1/page/queue",
              .name = "page-queue",
              .summary = "Jobs by pages, with reasons in words",
              .handler = get_page_queue},
    HttpRoute{.path = "/v1/page/jobs/{id}",
              .name = "page-job",
              .summary = "One job: what it asked for, where it is, why it waits",
              .handler = get_page_job},
    HttpRoute{.path = "/v1/page/layers",
              .name = "page-layers",
              .summary = "Layers of hierarchical resources at a time",
              .handler = get_page_layers},
    HttpRoute{.path = "/v1/page/fragmentation",
              .name = "page-fragmentation",
              .summary = "The fragmentation of free nodes over time",
              .handler = get_page_fragmentation},
    HttpRoute{.path = "/v1/page/health",
              .name = "page-health",
              .summary = "Nodes that are down, the journal, and how long things take",
              .handler = get_page_health},
    HttpRoute{.method = "POST",
              .path = "/v1/page/try",
              .permission = Permission::try_out,
              .name = "page-try",
              .summary = "Whether a job would run, when, and what would help",
              .handler = post_page_try,
              .example = R"({"shape": "node/slot=2/core=2", "duration": "1h"})"},
    HttpRoute{.path = "/v1/page/events",
              .name = "page-events",
              .summary = "What changed, twice a second, for a page that is open",
              .handler = get_page_events,
              .type = "text/event-stream"},
};

}  // namespace

std::span<const HttpRoute> page_routes() { return kPageRoutes; }

HttpResponse no_page() {
  return problem(Problem::not_found, "this service was started without its page");
}

HttpResponse page_answer(std::string_view accept_encoding, std::string body) {
  HttpResponse out{.body = std::move(body)};
  out.fields.emplace_back("Vary", "Accept-Encoding");
  if (out.body.size() < kCompressFromBytes || !accepts_gzip(accept_encoding)) return out;
  out.body = gzip(out.body, Effort::quick);
  out.fields.emplace_back("Content-Encoding", "gzip");
  return out;
}

Result<std::int64_t> number_of(const Target& target, std::string_view name, std::int64_t usual,
                               std::int64_t least, std::int64_t most) {
  const std::string* text = target.find(name);
  if (text == nullptr) return usual;
  const auto read = parse_integer(*text, name, most);
  if (!read) return read;
  if (*read < least) {
    return fail(ErrorCode::invalid, fmt::format("{} must be at least {}", name, least));
  }
  return read;
}

void append_job_id(JsonWriter& json, std::string_view key, JobId id) {
  json.member(key, std::to_string(id));
}

void append_job_summary(JsonWriter& json, const JobRow& row) {
  append_job_id(json, "id", row.id);
  json.member("state", std::string_view(word(row.stage)));
  if (!row.name.empty()) json.member("name", row.name);
  if (!row.user.empty()) json.member("user", row.user);
  if (!row.queue.empty()) json.member("queue", row.queue);
  if (row.held) json.member("held", true);
  if (row.stopping) json.member("stopping", true);
  if (row.planned >= 0) json.member("planned", row.planned);
  if (row.started >= 0) json.member("started", row.started);
  if (row.ended >= 0) json.member("ended", row.ended);
  if (!row.result.empty()) json.member("result", row.result);
}

}  // namespace copse::server
