// SPDX-License-Identifier: Apache-2.0
//
// The routes of the page, /v1/page/…: the data of its views, at screen resolution. Ids of jobs are
// texts, because browsers cannot represent all integers. docs/tools/serve-page.md has the members.
#pragma once

#include <span>
#include <string>

#include "server/http/routes.hpp"
#include "server/jobs/job_row.hpp"
#include "server/page/page_service.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

[[nodiscard]] std::span<const HttpRoute> page_routes();

// 404, for a service without a page.
[[nodiscard]] HttpResponse no_page();
// A response; compressed if it is large and the client accepts that.
[[nodiscard]] HttpResponse page_answer(std::string_view accept_encoding, std::string body);
[[nodiscard]] inline HttpResponse page_answer(const HttpCall& call, std::string body) {
  return page_answer(call.request.accept_encoding, std::move(body));
}
// The same with one object; body(JsonWriter&) writes its members. `to`: as of page_answer.
template <class To, class Body>
[[nodiscard]] HttpResponse page_object(const To& to, Body body) {
  return page_answer(to, object_text(body));
}
// ?name=, a whole number in [least, most]; `usual` if it is absent. Errors: invalid, limit.
[[nodiscard]] Result<std::int64_t> number_of(const Target& target, std::string_view name,
                                             std::int64_t usual, std::int64_t least,
                                             std::int64_t most);
// Writes the members of a job in lists.
void append_job_summary(JsonWriter& json, const JobRow& row);
void append_job_id(JsonWriter& json, std::string_view key, JobId id);

// page_machine.cpp
[[nodiscard]] HttpResponse get_page_state(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse get_page_machine(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse get_page_nodes(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse get_page_node(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse get_page_fragmentation(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse get_page_layers(HttpContext& context, const HttpCall& call);
// page_schedule.cpp
[[nodiscard]] HttpResponse get_page_schedule(HttpContext& context, const HttpCall& call);
// page_document.cpp
[[nodiscard]] HttpResponse get_page_jobs(HttpContext& context, const HttpCall& call);
// page_queue.cpp
[[nodiscard]] HttpResponse get_page_queue(HttpContext& context, const HttpCall& call);
[[nodiscard]] HttpResponse get_page_job(HttpContext& context, const HttpCall& call);
// page_try.cpp
[[nodiscard]] HttpResponse post_page_try(HttpContext& context, const HttpCall& call);
// page_health.cpp
[[nodiscard]] HttpResponse get_page_health(HttpContext& context, const HttpCall& call);
// page_deltas.cpp
[[nodiscard]] HttpResponse get_page_events(HttpContext& context, const HttpCall& call);

}  // namespace copse::server
